// SPDX-License-Identifier: Apache-2.0
// One evaluation at a time on a GPU: a locked file a GPU, for all users of the machine. The lock ends with the process.
#pragma once

#include <functional>
#include <string>

namespace kernelskill::cuda {

class Lease
{
public:
    Lease() = default;
    ~Lease();
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    // Waits, calling `waiting` about once a second, until it is ours. False with `error` after `limit_ms`.
    [[nodiscard]] bool take(const std::string &uuid, int limit_ms, const std::function<void()> &waiting,
                            std::string &error);

private:
    int m_file = -1;
};

} // namespace kernelskill::cuda
