// SPDX-License-Identifier: Apache-2.0
// The GPUs of all machines, without making anybody wait for a machine that does not answer.
//
// Each machine is asked on a thread of its own, several at a time. What it said last is kept, in memory and, for other
// machines, in the cache folder (cuda-devices.json), and answers at once; an answer older than half a minute is also
// asked for again in the background, so that the next look sees it. Only what no answer is known for is waited for, and
// not beyond the patience given: until then the machine shows as one device that cannot be used, with the reason.
#pragma once

#include "cuda_device.h"

#include <chrono>

namespace kernelskill::cuda {

class DeviceDirectory
{
public:
    // One a process: threads may be asking when an evaluator goes. They end with the application object.
    [[nodiscard]] static DeviceDirectory &instance();

    // This machine first, then the hosts in order. Any thread; blocks as said above.
    [[nodiscard]] QList<HostDevices> look(const WorkerInstallation &worker, const QList<HostAddress> &hosts,
                                          std::chrono::milliseconds patience);

    // Ends what is being asked and waits for its threads. Nothing is kept in memory afterwards.
    void forget();

private:
    DeviceDirectory();
    ~DeviceDirectory();
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace kernelskill::cuda
