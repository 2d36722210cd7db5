// SPDX-License-Identifier: Apache-2.0
#include "retrieval/policy_reader.h"

#include "retrieval/policy_evaluator.h"
#include "retrieval/policy_overlay.h"

#include <QRegularExpression>

#include <yaml-cpp/yaml.h>

namespace kernelskill {

namespace {

// Thrown and caught in this file only: reading a tree of YAML with a Result at each step would bury the form.
struct Refusal
{
    Error error;
};

class Reader
{
public:
    Reader(const PolicyText &policy, const PolicyText &overlay) : m_text(policy), m_overlay(overlay) {}
    Policy read();

private:
    [[noreturn]] void refuse(const YAML::Node &at, const QString &message,
                             const QString &code = QStringLiteral("policy.syntax"), qsizetype offset = 0) const;
    [[nodiscard]] QString placed(int line, int column, const QString &message) const;
    [[nodiscard]] YAML::Node load();
    void readAll(const YAML::Node &root);
    void onlyKeys(const YAML::Node &map, const QStringList &keys) const;
    [[nodiscard]] QString text(const YAML::Node &map, const char *key, bool needed = true) const;
    [[nodiscard]] QStringList texts(const YAML::Node &map, const char *key) const;
    // A predicate list: texts, or nested {all: […]} and {any: […]}.
    [[nodiscard]] QStringList predicates(const YAML::Node &map, const char *key);
    [[nodiscard]] QString predicate(const YAML::Node &node);
    void check(const YAML::Node &node, const QString &expression);
    void checkKnown(const YAML::Node &node, const QString &name, const QStringList &known, const QString &what) const;

    void readFields(const YAML::Node &fields);
    void readDerived(const YAML::Node &derived);
    void readTiers(const YAML::Node &tiers);
    void readMethods(const YAML::Node &methods);
    void readBottleneck(const YAML::Node &node);
    void readCase(const YAML::Node &node, const QString &bottleneck);
    [[nodiscard]] QStringList knownTexts(const YAML::Node &map, const char *key, const QStringList &known,
                                         const QString &what) const;

    Policy m_policy;
    PolicyText m_text, m_overlay;
    int m_firstOverlayLine = 0; // the overlay is read as if it stood below the policy, so a line tells which it is of
    std::unique_ptr<PolicyEvaluator> m_evaluator;
    QStringList m_methodIds;
};

void Reader::refuse(const YAML::Node &at, const QString &message, const QString &code, qsizetype offset) const
{
    const YAML::Mark mark = at.Mark();
    throw Refusal{{code, placed(mark.line, mark.column + int(offset), message), {}}};
}

// "file:line:column: message", from 0-based numbers of the two texts together.
QString Reader::placed(int line, int column, const QString &message) const
{
    const bool ofOverlay = !m_overlay.text.isEmpty() && line >= m_firstOverlayLine;
    return QStringLiteral("%1:%2:%3: %4")
        .arg(ofOverlay ? m_overlay.source : m_text.source)
        .arg(std::max(0, ofOverlay ? line - m_firstOverlayLine : line) + 1)
        .arg(std::max(0, column) + 1)
        .arg(message);
}

YAML::Node Reader::load()
{
    try {
        YAML::Node root = YAML::Load(m_text.text.toStdString());
        m_policy.text = m_text.text;
        m_policy.source = m_text.source;
        if (m_overlay.text.isEmpty()) return root;
        m_firstOverlayLine = int(m_text.text.count(u'\n')) + 1;
        const YAML::Node overlay =
            YAML::Load(std::string(size_t(m_firstOverlayLine), '\n') + m_overlay.text.toStdString());
        applyOverlay(root, overlay, [this](const YAML::Node &at, const QString &message) { refuse(at, message); });
        YAML::Emitter merged;
        merged << root;
        m_policy.text = QString::fromUtf8(merged.c_str()) + u'\n';
        m_policy.source += QStringLiteral(" + ") + m_overlay.source;
        return root;
    } catch (const YAML::Exception &exception) {
        throw Refusal{{QStringLiteral("policy.syntax"),
                       placed(exception.mark.line, exception.mark.column, QString::fromStdString(exception.msg)),
                       {}}};
    }
}

void Reader::onlyKeys(const YAML::Node &map, const QStringList &keys) const
{
    if (!map.IsMap())
        refuse(map, QStringLiteral("a map with %1 is expected here").arg(keys.join(QStringLiteral(", "))));
    for (const auto &entry : map)
        checkKnown(entry.first, QString::fromStdString(entry.first.Scalar()), keys, QStringLiteral("key"));
}

void Reader::checkKnown(const YAML::Node &node, const QString &name, const QStringList &known,
                        const QString &what) const
{
    if (known.contains(name)) return;
    const QString near = nearestName(name, known);
    refuse(node,
           near.isEmpty()
               ? QStringLiteral("unknown %1 '%2'; known: %3").arg(what, name, known.join(QStringLiteral(", ")))
               : QStringLiteral("unknown %1 '%2'; did you mean '%3'?").arg(what, name, near),
           QStringLiteral("policy.name"));
}

QString Reader::text(const YAML::Node &map, const char *key, bool needed) const
{
    const YAML::Node value = map[key];
    if (!value || value.IsNull()) {
        if (needed) refuse(map, QStringLiteral("'%1' is missing").arg(QLatin1String(key)));
        return {};
    }
    if (!value.IsScalar()) refuse(value, QStringLiteral("'%1' must be a text").arg(QLatin1String(key)));
    return QString::fromStdString(value.Scalar()).simplified();
}

QStringList Reader::texts(const YAML::Node &map, const char *key) const
{
    const YAML::Node value = map[key];
    if (!value || value.IsNull()) return {};
    if (!value.IsSequence()) refuse(value, QStringLiteral("'%1' must be a list").arg(QLatin1String(key)));
    QStringList result;
    for (const YAML::Node &element : value) {
        if (!element.IsScalar()) refuse(element, QStringLiteral("'%1' must hold texts").arg(QLatin1String(key)));
        result.append(QString::fromStdString(element.Scalar()).simplified());
    }
    return result;
}

QStringList Reader::knownTexts(const YAML::Node &map, const char *key, const QStringList &known,
                               const QString &what) const
{
    const QStringList result = texts(map, key);
    for (qsizetype i = 0; i < result.size(); ++i)
        checkKnown(map[key][size_t(i)], result[i], known, what);
    return result;
}

void Reader::check(const YAML::Node &node, const QString &expression)
{
    auto added = m_evaluator->addPredicate(expression);
    if (added) return;
    // The column of the name itself, where the text stands in the file as it is.
    const bool quoted = node.Tag() == "!";
    const QRegularExpression name(QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(added.error().detail)));
    const qsizetype within = added.error().detail.isEmpty() ? 0 : expression.indexOf(name);
    refuse(node, added.error().message, added.error().code, std::max<qsizetype>(0, within) + (quoted ? 1 : 0));
}

QString Reader::predicate(const YAML::Node &node)
{
    if (node.IsScalar()) {
        const QString expression = QString::fromStdString(node.Scalar()).simplified();
        check(node, expression);
        return expression;
    }
    onlyKeys(node, {QStringLiteral("all"), QStringLiteral("any")});
    QStringList parts;
    for (const auto &[key, joint] : {std::pair("all", " AND "), std::pair("any", " OR ")}) {
        QStringList inner;
        for (const QString &one : predicates(node, key))
            inner.append(u'(' + one + u')');
        if (!inner.isEmpty()) parts.append(u'(' + inner.join(QLatin1String(joint)) + u')');
    }
    if (parts.isEmpty()) refuse(node, QStringLiteral("empty condition"));
    return parts.join(QStringLiteral(" AND "));
}

QStringList Reader::predicates(const YAML::Node &map, const char *key)
{
    const YAML::Node value = map[key];
    QStringList result;
    if (!value || value.IsNull()) return result;
    if (!value.IsSequence()) refuse(value, QStringLiteral("'%1' must be a list of conditions").arg(QLatin1String(key)));
    for (const YAML::Node &element : value)
        result.append(predicate(element));
    return result;
}

void Reader::readFields(const YAML::Node &fields)
{
    const QStringList kinds{QStringLiteral("number"), QStringLiteral("boolean"), QStringLiteral("structure")};
    onlyKeys(fields, kinds);
    static const QRegularExpression name(QStringLiteral("^[a-z][a-z0-9_]*$"));
    for (const QString &kind : kinds) {
        const QByteArray key = kind.toLatin1();
        const QStringList names = texts(fields, key.constData());
        for (qsizetype i = 0; i < names.size(); ++i) {
            const YAML::Node node = fields[key.constData()][size_t(i)];
            if (!name.match(names[i]).hasMatch())
                refuse(node, QStringLiteral("a field is a lower-case word, not '%1'").arg(names[i]));
            if (m_policy.kinds.contains(names[i])) refuse(node, QStringLiteral("'%1' is declared twice").arg(names[i]));
            m_policy.fields.append(names[i]);
            m_policy.kinds.insert(names[i], kind);
        }
    }
    auto evaluator = PolicyEvaluator::make(m_policy.fields, m_policy.kinds);
    if (!evaluator) refuse(fields, evaluator.error().message, evaluator.error().code);
    m_evaluator = std::move(*evaluator);
}

void Reader::readDerived(const YAML::Node &derived)
{
    if (!derived) return;
    if (!derived.IsSequence()) refuse(derived, QStringLiteral("'derived' must be a list"));
    for (const YAML::Node &node : derived) {
        onlyKeys(node,
                 {QStringLiteral("name"), QStringLiteral("is"), QStringLiteral("kind"), QStringLiteral("meaning")});
        DerivedField field{text(node, "name"), text(node, "is"), text(node, "meaning")};
        QString kind = text(node, "kind", false);
        if (kind.isEmpty())
            kind = QStringLiteral("number");
        else
            checkKnown(node["kind"], kind, {QStringLiteral("number"), QStringLiteral("boolean")},
                       QStringLiteral("kind"));
        if (m_policy.kinds.contains(field.name))
            refuse(node["name"], QStringLiteral("'%1' is declared twice").arg(field.name));
        check(node["is"], field.expression);
        if (auto added = m_evaluator->addDerived(field.name, field.expression, kind); !added) {
            refuse(node["is"], added.error().message, added.error().code);
        }
        m_policy.kinds.insert(field.name, kind);
        m_policy.derived.append(field);
    }
}

void Reader::readTiers(const YAML::Node &tiers)
{
    onlyKeys(tiers, {QStringLiteral("H"), QStringLiteral("M"), QStringLiteral("L")});
    for (const char *name : {"H", "M", "L"}) {
        const QString expression = text(tiers, name);
        check(tiers[name], expression);
        m_policy.tiers.insert(QString::fromLatin1(name), expression);
    }
}

void Reader::readMethods(const YAML::Node &methods)
{
    if (!methods.IsMap()) refuse(methods, QStringLiteral("'methods' must be a map of ids"));
    static const QRegularExpression form(QStringLiteral("^(M[0-9]{1,3}|[a-z0-9]+(-[a-z0-9]+)+)$"));
    for (const auto &entry : methods) {
        const QString id = QString::fromStdString(entry.first.Scalar());
        if (!form.match(id).hasMatch())
            refuse(entry.first, QStringLiteral("a method is M1, M2, … or a skill's name, not '%1'").arg(id));
        if (m_methodIds.contains(id)) refuse(entry.first, QStringLiteral("'%1' is declared twice").arg(id));
        onlyKeys(entry.second, {QStringLiteral("title"), QStringLiteral("cache_or_reuse")});
        m_policy.methods.append(
            {id, text(entry.second, "title"), text(entry.second, "cache_or_reuse", false) == u"true"});
        m_methodIds.append(id);
    }
}

void Reader::readCase(const YAML::Node &node, const QString &bottleneck)
{
    onlyKeys(node,
             {QStringLiteral("id"), QStringLiteral("title"), QStringLiteral("tiers"), QStringLiteral("structures"),
              QStringLiteral("all"), QStringLiteral("any"), QStringLiteral("allowed"), QStringLiteral("forbidden")});
    static const QStringList tiers{QStringLiteral("H"), QStringLiteral("M"), QStringLiteral("L")};
    static const QStringList structures{QStringLiteral("S0"), QStringLiteral("S1"), QStringLiteral("S2"),
                                        QStringLiteral("S3"), QStringLiteral("S4")};
    PolicyCase one;
    one.id = bottleneck + u'.' + text(node, "id");
    one.bottleneck = bottleneck;
    one.place = placed(node.Mark().line, node.Mark().column, {});
    one.title = text(node, "title");
    one.tiers = knownTexts(node, "tiers", tiers, QStringLiteral("tier"));
    one.structures = knownTexts(node, "structures", structures, QStringLiteral("structure"));
    one.all = predicates(node, "all");
    one.any = predicates(node, "any");
    one.allowed = knownTexts(node, "allowed", m_methodIds, QStringLiteral("method"));
    one.forbidden = knownTexts(node, "forbidden", m_methodIds, QStringLiteral("method"));
    if (one.allowed.isEmpty()) refuse(node, QStringLiteral("a case must allow something"));
    for (const QString &method : std::as_const(one.allowed)) {
        if (one.forbidden.contains(method)) refuse(node, QStringLiteral("'%1' is allowed and forbidden").arg(method));
    }
    for (const PolicyCase &other : std::as_const(m_policy.cases)) {
        if (other.id == one.id) refuse(node["id"], QStringLiteral("the case '%1' is declared twice").arg(one.id));
    }
    m_policy.cases.append(one);
}

void Reader::readBottleneck(const YAML::Node &node)
{
    onlyKeys(node, {QStringLiteral("id"), QStringLiteral("title"), QStringLiteral("all"), QStringLiteral("any"),
                    QStringLiteral("fallback"), QStringLiteral("cases")});
    PolicyBottleneck bottleneck;
    bottleneck.id = text(node, "id");
    bottleneck.title = text(node, "title");
    bottleneck.priority = int(m_policy.bottlenecks.size()) + 1;
    bottleneck.all = predicates(node, "all");
    bottleneck.any = predicates(node, "any");
    bottleneck.fallback = text(node, "fallback", false) == u"true";
    for (const PolicyBottleneck &other : std::as_const(m_policy.bottlenecks)) {
        if (other.id == bottleneck.id)
            refuse(node["id"], QStringLiteral("the bottleneck '%1' is declared twice").arg(bottleneck.id));
        if (other.fallback) refuse(node, QStringLiteral("the fallback bottleneck '%1' must stand last").arg(other.id));
    }
    if (bottleneck.fallback != (bottleneck.all.isEmpty() && bottleneck.any.isEmpty())) {
        refuse(node, QStringLiteral("a bottleneck has a signature (all, any) or is the fallback, and not both"));
    }
    m_policy.bottlenecks.append(bottleneck);
    if (!node["cases"] || !node["cases"].IsSequence()) refuse(node, QStringLiteral("'cases' is missing"));
    for (const YAML::Node &one : node["cases"])
        readCase(one, bottleneck.id);
}

Policy Reader::read()
{
    readAll(load());
    return m_policy;
}

void Reader::readAll(const YAML::Node &root)
{
    onlyKeys(root, {QStringLiteral("version"), QStringLiteral("fields"), QStringLiteral("derived"),
                    QStringLiteral("tiers"), QStringLiteral("methods"), QStringLiteral("reuse_source"),
                    QStringLiteral("advice"), QStringLiteral("bottlenecks")});
    m_policy.version = text(root, "version").toInt();
    if (m_policy.version != 1) refuse(root["version"], QStringLiteral("this program reads version 1"));
    for (const char *key : {"fields", "tiers", "methods", "bottlenecks"}) {
        if (!root[key]) refuse(root, QStringLiteral("'%1' is missing").arg(QLatin1String(key)));
    }
    readFields(root["fields"]);
    readDerived(root["derived"]);
    readTiers(root["tiers"]);
    readMethods(root["methods"]);
    m_policy.reuseSource = text(root, "reuse_source", false);
    if (!m_policy.reuseSource.isEmpty()) check(root["reuse_source"], m_policy.reuseSource);
    m_policy.advice = texts(root, "advice");
    if (!root["bottlenecks"].IsSequence()) refuse(root["bottlenecks"], QStringLiteral("'bottlenecks' must be a list"));
    for (const YAML::Node &node : root["bottlenecks"])
        readBottleneck(node);
    const PolicyCase *last = m_policy.cases.isEmpty() ? nullptr : &m_policy.cases.last();
    if (!last || !m_policy.bottlenecks.last().fallback || !last->tiers.isEmpty() || !last->structures.isEmpty() ||
        !last->all.isEmpty() || !last->any.isEmpty()) {
        // An overlay that takes the fallback away leaves the list without a place of its own.
        refuse(root["bottlenecks"].size() > 0 ? root["bottlenecks"][root["bottlenecks"].size() - 1] : root,
               QStringLiteral("the last bottleneck must be the fallback and its last case without any condition, "
                              "so that every row of evidence reaches a case"));
    }
}

} // namespace

Result<Policy> readPolicyText(const PolicyText &policy, const PolicyText &overlay)
{
    try {
        return Reader(policy, overlay).read();
    } catch (const Refusal &refusal) {
        return std::unexpected(refusal.error);
    } catch (const YAML::Exception &exception) {
        return failure("policy.syntax", policy.source + QStringLiteral(": ") + QString::fromStdString(exception.msg));
    }
}

} // namespace kernelskill
