// SPDX-License-Identifier: Apache-2.0
#include "task/dtypes.h"

#include "kit/dtypes.h"

#include <QList>

#include <algorithm>

namespace kernelskill {

namespace {

struct Spelling
{
    const char *name, *cudaType, *referenceType;
};

// Sizes and conversions are the kit's; here is only how the types are written.
constexpr Spelling spellings[] = {
    {"float64", "double", "double"},
    {"float32", "float", "float"},
    {"float16", "__half", "float"},
    {"bfloat16", "__nv_bfloat16", "float"},
    {"int64", "long long", "long long"},
    {"int32", "int", "int"},
    {"int8", "signed char", "signed char"},
    {"uint8", "unsigned char", "unsigned char"},
    {"bool", "bool", "bool"},
};

const QList<DtypeInfo> &all()
{
    static const QList<DtypeInfo> list = [] {
        QList<DtypeInfo> result;
        for (const Spelling &spelling : spellings) {
            const kit::Dtype *dtype = kit::findDtype(spelling.name);
            result.append({QString::fromLatin1(spelling.name), int(dtype->bytes), dtype->isFloating,
                           QString::fromLatin1(spelling.cudaType), QString::fromLatin1(spelling.referenceType)});
        }
        return result;
    }();
    return list;
}

} // namespace

const DtypeInfo *dtypeInfo(const QString &name)
{
    const auto found = std::ranges::find(all(), name, &DtypeInfo::name);
    return found == all().end() ? nullptr : &*found;
}

QStringList dtypeNames()
{
    QStringList names;
    for (const DtypeInfo &info : all()) names.append(info.name);
    return names;
}

} // namespace kernelskill
