// SPDX-License-Identifier: Apache-2.0
// Among which threads something is ordered. Where libcu++ is installed these are its own, so that both go together.
#pragma once

#if __has_include(<cuda/std/detail/__config>)
#include <cuda/std/atomic>
#else
namespace cuda {

enum thread_scope { thread_scope_system = 0, thread_scope_device = 1, thread_scope_block = 2, thread_scope_thread = 3 };

} // namespace cuda
#endif
