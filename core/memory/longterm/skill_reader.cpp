// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill_reader.h"

#include "memory/longterm/skill_front_matter.h"
#include "memory/longterm/skill_yaml.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>
#include <QStringDecoder>

#include <algorithm>
#include <array>

namespace kernelskill {

namespace {

using Severity = SkillDiagnostic::Severity;

constexpr int maximumNameLength = 64;
constexpr int maximumDescriptionLength = 1024;

// What only we write. A title alone does not make a skill ours.
constexpr std::array ourKeys{"method",   "languages", "structures", "gate",
                             "requires", "prohibits", "promises",   "verified_by"};

QString textOf(const YAML::Node &node)
{
    return QString::fromStdString(node.Scalar()).trimmed();
}

QString oneLine(const QString &text)
{
    static const QRegularExpression breaks(QStringLiteral("\\s*[\\n\\r]\\s*"));
    return QString(text).replace(breaks, QStringLiteral(" ")).trimmed();
}

bool isName(const QString &text)
{
    static const QRegularExpression name(QStringLiteral("^[a-z0-9]+(-[a-z0-9]+)*$"));
    return text.size() <= maximumNameLength && name.match(text).hasMatch();
}

QString nameFrom(const QString &text)
{
    static const QRegularExpression others(QStringLiteral("[^a-z0-9]+"));
    QString plain;
    for (const QChar character : text.normalized(QString::NormalizationForm_KD).toLower()) {
        if (!character.isMark()) plain += character;
    }
    QString name = plain.replace(others, QStringLiteral("-")).left(maximumNameLength);
    while (name.startsWith(u'-'))
        name.remove(0, 1);
    while (name.endsWith(u'-'))
        name.chop(1);
    return name;
}

struct Item
{
    QString text;
    int line = 1;
};

class Reader
{
public:
    Reader(QString source, QString folderName) : m_source(std::move(source)), m_folderName(std::move(folderName)) {}
    SkillReading read(const QString &text);

private:
    void say(Severity severity, int line, const QString &message, const QString &remedy = {})
    {
        m_diagnostics.append({severity, m_source, line, message, remedy});
    }
    [[nodiscard]] int lineOf(const YAML::Node &node) const
    {
        return node.Mark().line < 0 ? m_front.firstLine : node.Mark().line + m_front.firstLine;
    }
    QString scalar(const YAML::Node &node, const char *key);
    QList<Item> items(const YAML::Node &node, const char *key);
    QList<Item> itemsOfText(const YAML::Node &node);
    QStringList texts(const YAML::Node &node, const char *key);
    void readPromises(const YAML::Node &node);
    void addPromise(PromisedChange promise, int line);
    void readRoot();
    void readMetadata(const YAML::Node &metadata);
    void readOurMetadata(const YAML::Node &metadata);
    void keepOthers(const YAML::Node &map, const QSet<QString> &known, bool inMetadata);
    void checkName(int line);
    void checkDescription(int line);

    QString m_source, m_folderName;
    FrontMatter m_front;
    Skill m_skill;
    QList<SkillDiagnostic> m_diagnostics;
};

QString Reader::scalar(const YAML::Node &node, const char *key)
{
    const YAML::Node value = node[key];
    if (!value || value.IsNull()) return {};
    if (value.IsScalar()) return textOf(value);
    say(Severity::Error, lineOf(value), QStringLiteral("'%1' must be a text").arg(QLatin1String(key)));
    return {};
}

// Agent Skills' metadata maps texts to texts, so a list is a text of several lines, or one line with ';' between.
QList<Item> Reader::itemsOfText(const YAML::Node &node)
{
    const QString raw = QString::fromStdString(node.Scalar());
    const bool manyLines = raw.contains(u'\n');
    // Lines of a literal block stand below its key; all other texts are told by the line they begin on.
    const QString here = m_front.yaml.section(u'\n', node.Mark().line, node.Mark().line);
    const bool literal = manyLines && here.mid(node.Mark().column).startsWith(u'|');
    QList<Item> result;
    int line = lineOf(node) + (literal ? 1 : 0);
    for (const QString &part : raw.split(manyLines ? u'\n' : u';')) {
        if (!part.trimmed().isEmpty()) result.append({part.trimmed(), line});
        if (literal) ++line;
    }
    return result;
}

QList<Item> Reader::items(const YAML::Node &node, const char *key)
{
    const YAML::Node value = node[key];
    QList<Item> result;
    if (!value || value.IsNull()) return result;
    if (value.IsScalar()) return itemsOfText(value);
    if (!value.IsSequence()) {
        say(Severity::Error, lineOf(value), QStringLiteral("'%1' must be a list of texts").arg(QLatin1String(key)),
            QStringLiteral("write one text with ';' between the items, or one item a line below '|'"));
        return result;
    }
    say(Severity::Note, lineOf(value), QStringLiteral("'%1' is a YAML list").arg(QLatin1String(key)),
        QStringLiteral("Agent Skills wants one text: items with ';' between, or one a line below '|'"));
    for (const YAML::Node &element : value) {
        if (!element.IsScalar())
            say(Severity::Error, lineOf(element), QStringLiteral("'%1' must hold texts only").arg(QLatin1String(key)));
        else if (const QString text = oneLine(textOf(element)); !text.isEmpty())
            result.append({text, lineOf(element)});
    }
    return result;
}

QStringList Reader::texts(const YAML::Node &node, const char *key)
{
    QStringList result;
    for (const Item &item : items(node, key))
        result.append(item.text);
    return result;
}

void Reader::addPromise(PromisedChange promise, int line)
{
    static const QRegularExpression change(QStringLiteral("^(lower|higher|(at most|at least) -?[0-9]+(\\.[0-9]+)?)$"));
    static const QRegularExpression metric(QStringLiteral("^[A-Za-z][A-Za-z0-9_.]*$"));
    if (!metric.match(promise.metric).hasMatch() || !change.match(promise.change).hasMatch()) {
        say(Severity::Error, line,
            QStringLiteral("a promise needs a metric and a change ('lower', 'higher', 'at most N', 'at least N')"));
        return;
    }
    m_skill.promises.append(std::move(promise));
}

void Reader::readPromises(const YAML::Node &node)
{
    if (!node || node.IsNull()) return;
    const auto fromText = [this](const QString &text, int line) {
        const qsizetype colon = text.indexOf(u':');
        const QString rest = colon < 0 ? QString() : text.mid(colon + 1);
        const qsizetype dash = rest.indexOf(QChar(0x2014));
        addPromise({text.left(colon < 0 ? text.size() : colon).trimmed(), (dash < 0 ? rest : rest.left(dash)).trimmed(),
                    dash < 0 ? QString() : rest.mid(dash + 1).trimmed()},
                   line);
    };
    if (node.IsScalar()) {
        for (const Item &item : itemsOfText(node))
            fromText(item.text, item.line);
        return;
    }
    if (!node.IsSequence()) {
        say(Severity::Error, lineOf(node), QStringLiteral("'promises' must be a list"),
            QStringLiteral("write one a line below 'promises: |', as 'metric: change — why'"));
        return;
    }
    say(Severity::Note, lineOf(node), QStringLiteral("'promises' is a YAML list"),
        QStringLiteral("Agent Skills wants one text: one promise a line below '|', as 'metric: change — why'"));
    for (const YAML::Node &element : node) {
        if (element.IsMap())
            addPromise({scalar(element, "metric"), scalar(element, "change"), oneLine(scalar(element, "why"))},
                       lineOf(element));
        else
            fromText(element.IsScalar() ? oneLine(textOf(element)) : QString(), lineOf(element));
    }
}

void Reader::readOurMetadata(const YAML::Node &metadata)
{
    m_skill.method = scalar(metadata, "method");
    m_skill.verifiedBy = oneLine(scalar(metadata, "verified_by"));
    m_skill.requires_ = texts(metadata, "gate") + texts(metadata, "requires");
    m_skill.prohibits = texts(metadata, "prohibits");
    readPromises(metadata["promises"]);
    if (const QStringList languages = texts(metadata, "languages"); !languages.isEmpty())
        m_skill.languages = languages.contains(QStringLiteral("any")) ? QStringList() : languages;
    static const QRegularExpression method(QStringLiteral("^M[0-9]{1,3}$"));
    if (!m_skill.method.isEmpty() && !method.match(m_skill.method).hasMatch()) {
        say(Severity::Error, lineOf(metadata["method"]),
            QStringLiteral("'method' must be M1, M2, …, not '%1'").arg(m_skill.method));
    }
    static const QRegularExpression structure(QStringLiteral("^S[0-4]$"));
    for (const Item &item : items(metadata, "structures")) {
        if (!structure.match(item.text).hasMatch())
            say(Severity::Error, item.line, QStringLiteral("'structures' holds S0 to S4, not '%1'").arg(item.text));
        m_skill.structures.append(item.text);
    }
}

void Reader::readMetadata(const YAML::Node &metadata)
{
    const bool isMap = metadata && metadata.IsMap();
    m_skill.foreign = !isMap || std::ranges::none_of(ourKeys, [&](const char *key) { return bool(metadata[key]); });
    if (m_skill.foreign) m_skill.languages.clear();
    if (!metadata || metadata.IsNull()) return;
    if (!isMap) {
        say(Severity::Warning, lineOf(metadata), QStringLiteral("'metadata' is no map"),
            QStringLiteral("write 'key: text' lines below it"));
        if (const auto value = yaml::flow(metadata)) m_skill.otherFields.append({QStringLiteral("metadata"), *value});
        return;
    }
    if (metadata["title"]) {
        if (const QString title = oneLine(scalar(metadata, "title")); !title.isEmpty()) m_skill.title = title;
    }
    QSet<QString> known{QStringLiteral("title")};
    for (const char *key : ourKeys)
        known.insert(QString::fromLatin1(key));
    if (!m_skill.foreign) readOurMetadata(metadata);
    keepOthers(metadata, known, true);
}

void Reader::keepOthers(const YAML::Node &map, const QSet<QString> &known, bool inMetadata)
{
    QList<SkillField> &target = inMetadata ? m_skill.otherMetadata : m_skill.otherFields;
    QSet<QString> seen;
    for (const auto &entry : map) {
        if (!entry.first.IsScalar()) {
            say(Severity::Warning, lineOf(entry.first), QStringLiteral("a key that is no text is left out"));
            continue;
        }
        const QString key = QString::fromStdString(entry.first.Scalar());
        if (seen.contains(key)) {
            say(Severity::Warning, lineOf(entry.first), QStringLiteral("'%1' stands here a second time").arg(key),
                QStringLiteral("the first one counts; remove the other"));
            continue;
        }
        seen.insert(key);
        if (known.contains(key)) continue;
        const bool text = inMetadata && entry.second.IsScalar();
        const auto value = text ? QString::fromStdString(entry.second.Scalar()) : yaml::flow(entry.second);
        if (!value) {
            say(Severity::Error, lineOf(entry.second),
                QStringLiteral("'%1' is deeper or larger than front matter can be").arg(key),
                QStringLiteral("put long material under references/"));
            continue;
        }
        target.append({key, *value});
        if (inMetadata && !text && !entry.second.IsNull())
            say(Severity::Note, lineOf(entry.second), QStringLiteral("'%1' in metadata is no text").arg(key),
                QStringLiteral("Agent Skills wants texts; it is kept as one"));
        else if (!inMetadata || !m_skill.foreign)
            say(Severity::Note, lineOf(entry.first), QStringLiteral("'%1' has no meaning here; it is kept").arg(key));
    }
}

void Reader::checkName(int line)
{
    const QString given = m_skill.name;
    if (!isName(given)) {
        const QString mended = nameFrom(given.isEmpty() ? m_folderName : given);
        const QString rule =
            QStringLiteral("'name' must be lower-case words joined by '-', at most %1 characters, not '%2'")
                .arg(maximumNameLength)
                .arg(given.left(2 * maximumNameLength));
        if (!m_skill.foreign || mended.isEmpty()) {
            say(Severity::Error, line, rule);
            return;
        }
        say(Severity::Warning, line, rule, QStringLiteral("it is called '%1' here").arg(mended));
        m_skill.name = mended;
    } else if (!m_folderName.isEmpty() && m_folderName != given) {
        say(Severity::Warning, line, QStringLiteral("'name' is '%1' but the folder is '%2'").arg(given, m_folderName),
            QStringLiteral("Agent Skills wants them to agree; the name counts here"));
    }
}

void Reader::checkDescription(int line)
{
    const bool missing = m_skill.description.isEmpty();
    if (!missing && m_skill.description.size() <= maximumDescriptionLength) return;
    const QString rule =
        QStringLiteral("'description' must say what the skill does and when to use it, in 1 to %1 characters")
            .arg(maximumDescriptionLength);
    if (!m_skill.foreign) {
        say(Severity::Error, line, rule);
        return;
    }
    if (missing) {
        for (const QString &bodyLine : m_skill.body.split(u'\n')) {
            if (bodyLine.trimmed().isEmpty() || bodyLine.startsWith(u'#')) continue;
            m_skill.description = bodyLine.trimmed().left(maximumDescriptionLength);
            break;
        }
        if (m_skill.description.isEmpty()) {
            say(Severity::Error, line, rule);
            return;
        }
    }
    say(Severity::Warning, line, rule,
        missing ? QStringLiteral("its first line stands in for it") : QStringLiteral("it is kept as it is"));
}

void Reader::readRoot()
{
    const YAML::Node &root = m_front.root;
    if (!root.IsMap()) {
        say(Severity::Error, m_front.firstLine,
            QStringLiteral("the front matter must be a map with name and description"));
        return;
    }
    m_skill.name = scalar(root, "name");
    m_skill.description = oneLine(scalar(root, "description"));
    m_skill.license = oneLine(scalar(root, "license"));
    m_skill.compatibility = oneLine(scalar(root, "compatibility"));
    QSet<QString> known{QStringLiteral("name"), QStringLiteral("description"), QStringLiteral("license"),
                        QStringLiteral("compatibility"), QStringLiteral("metadata")};
    // Agent Skills has a text; a list, as others write it, is kept as the YAML it is.
    if (const YAML::Node tools = root["allowed-tools"]; tools && tools.IsScalar()) {
        m_skill.allowedTools = oneLine(textOf(tools));
        known.insert(QStringLiteral("allowed-tools"));
    }
    readMetadata(root["metadata"]);
    const auto lineOfKey = [&](const char *key) { return root[key] ? lineOf(root[key]) : m_front.firstLine; };
    checkName(lineOfKey("name"));
    checkDescription(lineOfKey("description"));
    if (m_skill.title.isEmpty()) m_skill.title = titleFromName(m_skill.name);
    keepOthers(root, known, false);
}

SkillReading Reader::read(const QString &text)
{
    if (auto front = readFrontMatter(text, m_source, m_diagnostics)) {
        m_front = std::move(*front);
        m_skill.body = m_front.body;
        m_skill.source = m_source;
        m_skill.text = text;
        try {
            readRoot();
        } catch (const YAML::Exception &exception) { // a value that is none, such as an alias to nothing
            say(Severity::Error, exception.mark.is_null() ? m_front.firstLine : exception.mark.line + m_front.firstLine,
                QString::fromStdString(exception.msg));
        }
    }
    std::ranges::stable_sort(m_diagnostics, {}, &SkillDiagnostic::line);
    SkillReading reading;
    reading.diagnostics = m_diagnostics;
    if (!hasErrors(m_diagnostics)) {
        m_skill.diagnostics = m_diagnostics;
        reading.skill = std::move(m_skill);
    }
    return reading;
}

} // namespace

QString titleFromName(const QString &name)
{
    QString title = QString(name).replace(u'-', u' ');
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    return title;
}

SkillReading examineSkillText(const QString &text, const QString &source, const QString &folderName)
{
    return Reader(source, folderName).read(text);
}

Result<Skill> parseSkillText(const QString &text, const QString &source, const QString &folderName)
{
    SkillReading reading = examineSkillText(text, source, folderName);
    if (reading.skill) return std::move(*reading.skill);
    QStringList errors;
    for (const SkillDiagnostic &diagnostic : std::as_const(reading.diagnostics)) {
        if (diagnostic.severity == Severity::Error) errors.append(diagnostic.text());
    }
    return failure("skill.syntax", errors.first(), errors.size() > 1 ? errors.join(u'\n') : QString());
}

QString decodeSkillText(const QByteArray &bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::ConvertInitialBom);
    return decoder(bytes);
}

Result<Skill> readSkill(const QString &folder)
{
    const QString path = QDir(folder).filePath(QStringLiteral("SKILL.md"));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return failure("skill.missing", QStringLiteral("%1: cannot be read (%2)").arg(path, file.errorString()));
    }
    if (file.size() > maximumSkillTextBytes) {
        return failure("skill.syntax",
                       QStringLiteral("%1:1: larger than 1 MiB; put long material under references/").arg(path));
    }
    return parseSkillText(decodeSkillText(file.readAll()), path, QFileInfo(QDir(folder).absolutePath()).fileName());
}

} // namespace kernelskill
