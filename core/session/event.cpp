// SPDX-License-Identifier: Apache-2.0
#include "session/event.h"

namespace kernelskill {

QStringList blobsOf(const Event &event)
{
    QStringList digests;
    for (auto field = event.data.begin(); field != event.data.end(); ++field) {
        if (field.key().endsWith(u"_blob") && !field->toString().isEmpty()) digests.append(field->toString());
    }
    return digests;
}

} // namespace kernelskill
