// SPDX-License-Identifier: Apache-2.0
#include "features/code_tree.h"

#include <QRegularExpression>

namespace kernelskill::expert {

NodePtr makeNode(Node::Kind kind, QString text)
{
    return std::make_unique<Node>(kind, std::move(text));
}

const CodeFunction *CodeProgram::find(const QString &name, const QString &owner) const
{
    for (const CodeFunction &function : functions) {
        if (function.name == name && function.owner == owner && function.body) return &function;
    }
    return nullptr;
}

bool isPointerType(const QString &type)
{
    return type.contains(u'*') || type.contains(u'[');
}

QString CodeProgram::plainType(const QString &type, const QHash<QString, QString> &bindings) const
{
    static const QRegularExpression noise(
        QStringLiteral("\\b(const|volatile|__restrict__|__restrict|restrict|struct|static|extern|constexpr|inline|"
                       "__constant__|__device__|__shared__|typename|register|nvcuda|std)\\b|::|&|\\*|\\[[^\\]]*\\]"));
    QString plain = QString(type).remove(noise).simplified();
    for (int depth = 0; depth < 8; ++depth) {
        if (const auto bound = bindings.constFind(plain); bound != bindings.cend() && *bound != plain)
            plain = QString(*bound).remove(noise).simplified();
        else if (const auto alias = aliases.constFind(plain); alias != aliases.cend() && *alias != plain)
            plain = QString(*alias).remove(noise).simplified();
        else
            break;
    }
    return plain;
}

namespace {

struct TypeInfo
{
    int bytes = 0;
    int lanes = 1;
    bool isFloating = false;
    bool isNarrow = false;
};

QHash<QString, TypeInfo> makeTypes()
{
    QHash<QString, TypeInfo> types{{QStringLiteral("float"), {4, 1, true, false}},
                                   {QStringLiteral("double"), {8, 1, true, false}},
                                   {QStringLiteral("bool"), {1, 1, false, false}}};
    for (const char *name : {"half", "__half", "__nv_bfloat16", "nv_bfloat16"})
        types.insert(QLatin1String(name), {2, 1, true, true});
    for (const char *name : {"__nv_fp8_e4m3", "__nv_fp8_e5m2"})
        types.insert(QLatin1String(name), {1, 1, true, true});
    for (const char *name : {"char", "signed char", "int8_t", "uint8_t", "unsigned char"})
        types.insert(QLatin1String(name), {1, 1, false, true});
    for (const char *name : {"short", "unsigned short", "int16_t", "uint16_t", "short int"})
        types.insert(QLatin1String(name), {2, 1, false, false});
    for (const char *name : {"int", "unsigned int", "unsigned", "int32_t", "uint32_t", "signed"})
        types.insert(QLatin1String(name), {4, 1, false, false});
    for (const char *name : {"long", "unsigned long", "long long", "unsigned long long", "long long int", "int64_t",
                             "uint64_t", "size_t", "ptrdiff_t", "uintptr_t"})
        types.insert(QLatin1String(name), {8, 1, false, false});
    for (const char *name : {"half2", "__half2", "__nv_bfloat162", "nv_bfloat162"})
        types.insert(QLatin1String(name), {4, 2, true, true});
    struct Element
    {
        const char *name;
        TypeInfo info;
    };
    for (const Element &element : {Element{"float", {4, 1, true, false}},
                                   {"double", {8, 1, true, false}},
                                   {"int", {4, 1, false, false}},
                                   {"uint", {4, 1, false, false}},
                                   {"short", {2, 1, false, false}},
                                   {"ushort", {2, 1, false, false}},
                                   {"char", {1, 1, false, true}},
                                   {"uchar", {1, 1, false, true}},
                                   {"longlong", {8, 1, false, false}},
                                   {"ulonglong", {8, 1, false, false}}}) {
        for (int lanes : {2, 3, 4}) {
            TypeInfo info = element.info;
            info.bytes *= lanes;
            info.lanes = lanes;
            types.insert(QLatin1String(element.name) + QString::number(lanes), info);
        }
    }
    types.remove(QStringLiteral("uint3")); // threadIdx and its like
    return types;
}

TypeInfo infoOf(const QString &plain)
{
    static const QHash<QString, TypeInfo> types = makeTypes();
    return types.value(plain);
}

} // namespace

int lanesOfType(const QString &plain)
{
    return infoOf(plain).lanes;
}

int bytesOfType(const QString &plain)
{
    return infoOf(plain).bytes;
}

bool isFloatingType(const QString &plain)
{
    return infoOf(plain).isFloating;
}

QSet<QString> setOf(std::initializer_list<const char *> words)
{
    QSet<QString> made;
    for (const char *word : words)
        made.insert(QLatin1String(word));
    return made;
}

bool isNarrowType(const QString &plain)
{
    return infoOf(plain).isNarrow;
}

} // namespace kernelskill::expert
