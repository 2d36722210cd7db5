# SPDX-License-Identifier: Apache-2.0
file(RPATH_REMOVE FILE ${FILE})
