// SPDX-License-Identifier: Apache-2.0
// Makes the C++ library known as cuda::std.
#pragma once

namespace std {
}
namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda
