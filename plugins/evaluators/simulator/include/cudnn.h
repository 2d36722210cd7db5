// SPDX-License-Identifier: Apache-2.0
// Says what is missing in words people can act on.
#pragma once
#error                                                                                                                 \
    "cuDNN is a library of code compiled for real GPUs; the simulator does not have it. Replace its calls by kernels."
