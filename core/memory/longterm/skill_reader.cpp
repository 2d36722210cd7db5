// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill_reader.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <yaml-cpp/yaml.h>

#include <optional>

namespace kernelskill {

namespace {

constexpr int maximumNameLength = 64;
constexpr int maximumDescriptionLength = 1024;
constexpr qint64 maximumFileBytes = 1 << 20;

// Where an error is: yaml-cpp counts from 0 inside the front matter, whose first line is line 2 of the file.
std::unexpected<Error> syntax(const QString &source, int line, const QString &message)
{
    return failure("skill.syntax", QStringLiteral("%1:%2: %3").arg(source).arg(line).arg(message));
}

int lineOf(const YAML::Node &node)
{
    return node.Mark().line < 0 ? 1 : node.Mark().line + 2;
}

QString textOf(const YAML::Node &node)
{
    return QString::fromStdString(node.Scalar()).trimmed();
}

struct FrontMatter
{
    QString yaml, body;
};

std::optional<FrontMatter> split(const QString &text)
{
    static const QRegularExpression fence(QStringLiteral("^---[ \\t]*$"), QRegularExpression::MultilineOption);
    const auto first = fence.match(text);
    if (!first.hasMatch() || first.capturedStart() != 0) return std::nullopt;
    const auto second = fence.match(text, first.capturedEnd());
    if (!second.hasMatch()) return std::nullopt;
    FrontMatter parts;
    parts.yaml = text.mid(first.capturedEnd() + 1, second.capturedStart() - first.capturedEnd() - 1);
    parts.body = text.mid(second.capturedEnd()).trimmed();
    return parts;
}

class Reader
{
public:
    explicit Reader(QString source) : m_source(std::move(source)) {}

    Result<Skill> read(const YAML::Node &root, const QString &body);

private:
    Result<QString> scalar(const YAML::Node &node, const char *key);
    Result<QStringList> list(const YAML::Node &node, const char *key);
    Result<QList<PromisedChange>> promises(const YAML::Node &node);
    Result<PromisedChange> promise(const YAML::Node &node);
    Result<void> readMetadata(const YAML::Node &metadata, Skill &skill);
    Result<void> checkIdentity(const YAML::Node &root, const Skill &skill);

    QString m_source;
};

Result<QString> Reader::scalar(const YAML::Node &node, const char *key)
{
    const YAML::Node value = node[key];
    if (!value || value.IsNull()) return QString();
    if (!value.IsScalar()) {
        return syntax(m_source, lineOf(value), QStringLiteral("'%1' must be a text").arg(QLatin1String(key)));
    }
    return textOf(value);
}

Result<QStringList> Reader::list(const YAML::Node &node, const char *key)
{
    const YAML::Node value = node[key];
    QStringList result;
    if (!value || value.IsNull()) return result;
    if (value.IsScalar()) {
        for (const QString &part : textOf(value).split(u';', Qt::SkipEmptyParts)) {
            if (!part.trimmed().isEmpty()) result.append(part.trimmed());
        }
        return result;
    }
    if (!value.IsSequence()) {
        return syntax(
            m_source, lineOf(value),
            QStringLiteral("'%1' must be a list of texts, or one text with ';' between them").arg(QLatin1String(key)));
    }
    for (const YAML::Node &element : value) {
        if (!element.IsScalar()) {
            return syntax(m_source, lineOf(element),
                          QStringLiteral("'%1' must hold texts only").arg(QLatin1String(key)));
        }
        result.append(textOf(element));
    }
    return result;
}

Result<PromisedChange> Reader::promise(const YAML::Node &node)
{
    static const QRegularExpression change(QStringLiteral("^(lower|higher|(at most|at least) -?[0-9]+(\\.[0-9]+)?)$"));
    PromisedChange result;
    if (node.IsMap()) {
        const auto metric = scalar(node, "metric"), changed = scalar(node, "change"), why = scalar(node, "why");
        if (!metric) return std::unexpected(metric.error());
        if (!changed) return std::unexpected(changed.error());
        if (!why) return std::unexpected(why.error());
        result = {*metric, *changed, *why};
    } else if (node.IsScalar()) {
        const QString text = textOf(node);
        const qsizetype colon = text.indexOf(u':');
        result.metric = text.left(colon).trimmed();
        const QString rest = colon < 0 ? QString() : text.mid(colon + 1);
        const qsizetype dash = rest.indexOf(QChar(0x2014));
        result.change = (dash < 0 ? rest : rest.left(dash)).trimmed();
        result.why = dash < 0 ? QString() : rest.mid(dash + 1).trimmed();
    }
    if (result.metric.isEmpty() || !change.match(result.change).hasMatch()) {
        return syntax(
            m_source, lineOf(node),
            QStringLiteral("a promise needs a metric and a change ('lower', 'higher', 'at most N', 'at least N')"));
    }
    return result;
}

Result<QList<PromisedChange>> Reader::promises(const YAML::Node &node)
{
    QList<PromisedChange> result;
    if (!node || node.IsNull()) return result;
    if (node.IsScalar()) {
        for (const QString &part : textOf(node).split(u';', Qt::SkipEmptyParts)) {
            auto one = promise(YAML::Node(part.trimmed().toStdString()));
            if (!one) return syntax(m_source, lineOf(node), one.error().message.section(QStringLiteral(": "), 1));
            result.append(*one);
        }
        return result;
    }
    if (!node.IsSequence()) return syntax(m_source, lineOf(node), QStringLiteral("'promises' must be a list"));
    for (const YAML::Node &element : node) {
        auto one = promise(element);
        if (!one) return std::unexpected(one.error());
        result.append(*one);
    }
    return result;
}

Result<void> Reader::readMetadata(const YAML::Node &metadata, Skill &skill)
{
    if (!metadata || metadata.IsNull()) return {};
    if (!metadata.IsMap()) return syntax(m_source, lineOf(metadata), QStringLiteral("'metadata' must be a map"));
    const auto title = scalar(metadata, "title"), method = scalar(metadata, "method");
    const auto languages = list(metadata, "languages"), structures = list(metadata, "structures");
    const auto gate = list(metadata, "gate"), required = list(metadata, "requires");
    const auto prohibits = list(metadata, "prohibits");
    const auto promised = promises(metadata["promises"]);
    for (const auto *text : {&title, &method}) {
        if (!*text) return std::unexpected(text->error());
    }
    for (const auto *texts : {&languages, &structures, &gate, &required, &prohibits}) {
        if (!*texts) return std::unexpected(texts->error());
    }
    if (!promised) return std::unexpected(promised.error());
    static const QRegularExpression number(QStringLiteral("^M[0-9]{1,3}$"));
    if (!method->isEmpty() && !number.match(*method).hasMatch()) {
        return syntax(m_source, lineOf(metadata["method"]),
                      QStringLiteral("'method' must be M1, M2, …, not '%1'").arg(*method));
    }
    static const QRegularExpression structure(QStringLiteral("^S[0-4]$"));
    for (const QString &name : *structures) {
        if (!structure.match(name).hasMatch()) {
            return syntax(m_source, lineOf(metadata["structures"]),
                          QStringLiteral("'structures' holds S0 to S4, not '%1'").arg(name));
        }
    }
    if (!title->isEmpty()) skill.title = *title;
    skill.method = *method;
    if (!languages->isEmpty()) skill.languages = *languages;
    skill.structures = *structures;
    skill.requires_ = *gate + *required;
    skill.prohibits = *prohibits;
    skill.promises = *promised;
    return {};
}

Result<void> Reader::checkIdentity(const YAML::Node &root, const Skill &skill)
{
    static const QRegularExpression name(QStringLiteral("^[a-z0-9]+(-[a-z0-9]+)*$"));
    if (skill.name.size() > maximumNameLength || !name.match(skill.name).hasMatch()) {
        return syntax(m_source, root["name"] ? lineOf(root["name"]) : 2,
                      QStringLiteral("'name' must be lower-case words joined by '-', at most %1 characters, not '%2'")
                          .arg(maximumNameLength)
                          .arg(skill.name));
    }
    if (skill.description.isEmpty() || skill.description.size() > maximumDescriptionLength) {
        return syntax(
            m_source, root["description"] ? lineOf(root["description"]) : 2,
            QStringLiteral("'description' must say what the skill does and when to use it, in 1 to %1 characters")
                .arg(maximumDescriptionLength));
    }
    return {};
}

QString titleFromName(const QString &name)
{
    QString title = QString(name).replace(u'-', u' ');
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    return title;
}

Result<Skill> Reader::read(const YAML::Node &root, const QString &body)
{
    if (!root.IsMap())
        return syntax(m_source, 2, QStringLiteral("the front matter must be a map with name and description"));
    const auto name = scalar(root, "name"), description = scalar(root, "description");
    if (!name) return std::unexpected(name.error());
    if (!description) return std::unexpected(description.error());
    Skill skill;
    skill.name = *name;
    skill.description = *description;
    skill.title = titleFromName(*name);
    skill.body = body;
    skill.source = m_source;
    if (auto checked = checkIdentity(root, skill); !checked) return std::unexpected(checked.error());
    if (auto metadata = readMetadata(root["metadata"], skill); !metadata) return std::unexpected(metadata.error());
    return skill;
}

void emit(YAML::Emitter &out, const char *key, const QStringList &values)
{
    if (values.isEmpty()) return;
    out << YAML::Key << key << YAML::Value << YAML::BeginSeq;
    for (const QString &value : values)
        out << YAML::DoubleQuoted << value.toStdString();
    out << YAML::EndSeq;
}

} // namespace

Result<Skill> parseSkillText(const QString &text, const QString &source)
{
    const auto parts = split(text);
    if (!parts) {
        return syntax(
            source, 1,
            QStringLiteral("a skill starts with front matter between two lines '---' (name, description, metadata)"));
    }
    try {
        return Reader(source).read(YAML::Load(parts->yaml.toStdString()), parts->body);
    } catch (const YAML::Exception &exception) {
        return syntax(source, exception.mark.is_null() ? 2 : exception.mark.line + 2,
                      QString::fromStdString(exception.msg));
    }
}

Result<Skill> readSkill(const QString &folder)
{
    const QString path = QDir(folder).filePath(QStringLiteral("SKILL.md"));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return failure("skill.missing", QStringLiteral("%1: cannot be read (%2)").arg(path, file.errorString()));
    }
    if (file.size() > maximumFileBytes) {
        return failure("skill.syntax",
                       QStringLiteral("%1: larger than 1 MiB; put long material under references/").arg(path));
    }
    auto skill = parseSkillText(QString::fromUtf8(file.readAll()), path);
    if (!skill) return skill;
    const QString folderName = QFileInfo(QDir(folder).absolutePath()).fileName();
    if (skill->name != folderName) {
        return syntax(
            path, 2,
            QStringLiteral("'name' is '%1' but the folder is '%2'; they must agree").arg(skill->name, folderName));
    }
    return skill;
}

QString writeSkillText(const Skill &skill)
{
    YAML::Emitter out;
    out << YAML::BeginMap;
    out << YAML::Key << "name" << YAML::Value << skill.name.toStdString();
    out << YAML::Key << "description" << YAML::Value << YAML::DoubleQuoted << skill.description.toStdString();
    out << YAML::Key << "license" << YAML::Value << "Apache-2.0";
    out << YAML::Key << "metadata" << YAML::Value << YAML::BeginMap;
    out << YAML::Key << "title" << YAML::Value << YAML::DoubleQuoted << skill.title.toStdString();
    if (!skill.method.isEmpty()) out << YAML::Key << "method" << YAML::Value << skill.method.toStdString();
    emit(out, "languages", skill.languages);
    emit(out, "structures", skill.structures);
    emit(out, "gate", skill.requires_);
    emit(out, "prohibits", skill.prohibits);
    if (!skill.promises.isEmpty()) {
        out << YAML::Key << "promises" << YAML::Value << YAML::BeginSeq;
        for (const PromisedChange &promise : skill.promises) {
            out << YAML::BeginMap << YAML::Key << "metric" << YAML::Value << promise.metric.toStdString();
            out << YAML::Key << "change" << YAML::Value << promise.change.toStdString();
            out << YAML::Key << "why" << YAML::Value << YAML::DoubleQuoted << promise.why.toStdString() << YAML::EndMap;
        }
        out << YAML::EndSeq;
    }
    out << YAML::EndMap << YAML::EndMap;
    return QStringLiteral("---\n%1\n---\n\n%2\n").arg(QString::fromUtf8(out.c_str()), skill.body);
}

} // namespace kernelskill
