// SPDX-License-Identifier: Apache-2.0
// How element types are spelt in C++: on the device, and in reference.cpp. Open: an entry a type.
#pragma once

#include <QString>
#include <QStringList>

namespace kernelskill {

struct DtypeInfo
{
    QString name;          // "float16"
    int bytes = 0;         // on the device
    bool isFloating = false;
    QString cudaType;      // "__half"
    QString referenceType; // "float": what reference.cpp gets
};

// Null when unknown. The pointer stays valid for ever.
[[nodiscard]] const DtypeInfo *dtypeInfo(const QString &name);
[[nodiscard]] QStringList dtypeNames(); // as task.json may spell them

} // namespace kernelskill
