// SPDX-License-Identifier: Apache-2.0
// Makes the C++ library known as cuda::std, where libcu++ is not installed.
#pragma once

#if __has_include(<cuda/std/detail/__config>)
#include <cuda/std/cstddef>
#else
namespace std {
}
namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda
#endif
