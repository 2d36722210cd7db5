// SPDX-License-Identifier: Apache-2.0
// Parsing a SKILL.md costs about 0.3 ms, so a thousand of them would make a list slow: the store keeps what the reader
// made of each text. skillReaderVersion tells readings of another reader, and Skill's fields may change with it.
#include "memory/longterm/skill_store_impl.h"

#include <QDataStream>

namespace kernelskill {

namespace {

constexpr auto streamVersion = QDataStream::Qt_6_5;

QDataStream &operator<<(QDataStream &out, const PromisedChange &promise)
{
    return out << promise.metric << promise.change << promise.why;
}

QDataStream &operator>>(QDataStream &in, PromisedChange &promise)
{
    return in >> promise.metric >> promise.change >> promise.why;
}

QDataStream &operator<<(QDataStream &out, const SkillField &field)
{
    return out << field.key << field.value;
}

QDataStream &operator>>(QDataStream &in, SkillField &field)
{
    return in >> field.key >> field.value;
}

QDataStream &operator<<(QDataStream &out, const SkillDiagnostic &diagnostic)
{
    return out << qint32(diagnostic.severity) << diagnostic.file << qint32(diagnostic.line) << diagnostic.message
               << diagnostic.remedy;
}

QDataStream &operator>>(QDataStream &in, SkillDiagnostic &diagnostic)
{
    qint32 severity = 0, line = 1;
    in >> severity >> diagnostic.file >> line >> diagnostic.message >> diagnostic.remedy;
    diagnostic.severity = SkillDiagnostic::Severity(severity);
    diagnostic.line = line;
    return in;
}

template <class T> void write(QDataStream &out, const QList<T> &list)
{
    out << qint32(list.size());
    for (const T &element : list)
        out << element;
}

template <class T> void read(QDataStream &in, QList<T> &list)
{
    qint32 size = 0;
    in >> size;
    for (qint32 i = 0; i < size && in.status() == QDataStream::Ok; ++i) {
        T element;
        in >> element;
        list.append(std::move(element));
    }
}

} // namespace

QByteArray packReading(const Skill &skill)
{
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out.setVersion(streamVersion);
    // The body is a piece of the text unless lines end in CR LF.
    const qsizetype start = skill.text.lastIndexOf(skill.body);
    out << qint64(start) << qint64(skill.body.size()) << (start < 0 ? skill.body : QString());
    out << skill.name << skill.title << skill.description << skill.method << skill.languages << skill.structures
        << skill.requires_ << skill.prohibits << skill.verifiedBy << skill.license << skill.compatibility
        << skill.allowedTools << skill.foreign;
    write(out, skill.promises);
    write(out, skill.otherFields);
    write(out, skill.otherMetadata);
    write(out, skill.diagnostics);
    return bytes;
}

std::optional<Skill> unpackReading(const QByteArray &bytes, QString text)
{
    Skill skill;
    qint64 start = -1, length = 0;
    QDataStream in(bytes);
    in.setVersion(streamVersion);
    in >> start >> length >> skill.body;
    in >> skill.name >> skill.title >> skill.description >> skill.method >> skill.languages >> skill.structures >>
        skill.requires_ >> skill.prohibits >> skill.verifiedBy >> skill.license >> skill.compatibility >>
        skill.allowedTools >> skill.foreign;
    read(in, skill.promises);
    read(in, skill.otherFields);
    read(in, skill.otherMetadata);
    read(in, skill.diagnostics);
    if (in.status() != QDataStream::Ok || skill.name.isEmpty()) return std::nullopt;
    if (start >= 0 && (length < 0 || start + length > text.size())) return std::nullopt;
    if (start >= 0)
        skill.body = std::move(text).sliced(start, length); // no second copy: a list of skills is mostly bodies
    return skill;
}

} // namespace kernelskill
