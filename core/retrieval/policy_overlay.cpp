// SPDX-License-Identifier: Apache-2.0
#include "retrieval/policy_overlay.h"

#include <QStringList>

#include <algorithm>
#include <list>
#include <string>

namespace kernelskill {

namespace {

std::string idOf(const YAML::Node &node, const char *key = "id")
{
    if (!node.IsMap() || !node[key] || !node[key].IsScalar()) return {};
    return node[key].Scalar();
}

bool isFallback(const YAML::Node &bottleneck)
{
    return bottleneck["fallback"] && bottleneck["fallback"].IsScalar() && bottleneck["fallback"].Scalar() == "true";
}

// A list, for assigning one YAML::Node to another, as a vector does to close a gap, changes the tree.
using Nodes = std::list<YAML::Node>;

Nodes elements(const YAML::Node &sequence)
{
    return {sequence.begin(), sequence.end()};
}

YAML::Node sequenceOf(const Nodes &nodes)
{
    YAML::Node sequence(YAML::NodeType::Sequence);
    for (const YAML::Node &node : nodes)
        sequence.push_back(node);
    return sequence;
}

class Overlay
{
public:
    Overlay(YAML::Node policy, const RefusePolicy &refuse) : m_policy(policy), m_refuse(refuse) {}
    void apply(const YAML::Node &overlay);

private:
    // Changes the element with the same id, or inserts a new one. `merge` treats the former.
    void place(Nodes &nodes, YAML::Node given, const std::function<void(YAML::Node, const YAML::Node &)> &merge);
    void mergeMap(const char *key, const YAML::Node &given);
    void mergeFields(const YAML::Node &given);
    void mergeDerived(const YAML::Node &given);
    void mergeBottlenecks(const YAML::Node &given);
    void remove(const YAML::Node &ids);
    void expectSequence(const YAML::Node &node, const char *key);

    YAML::Node m_policy;
    const RefusePolicy &m_refuse;
};

void Overlay::expectSequence(const YAML::Node &node, const char *key)
{
    if (!node.IsSequence()) m_refuse(node, QStringLiteral("'%1' must be a list").arg(QLatin1String(key)));
}

void Overlay::place(Nodes &nodes, YAML::Node given,
                    const std::function<void(YAML::Node, const YAML::Node &)> &merge)
{
    const std::string id = idOf(given);
    if (id.empty()) m_refuse(given, QStringLiteral("'id' is missing: it says what is changed or added"));
    const YAML::Node beforeNode = given["before"];
    const std::string before = beforeNode && beforeNode.IsScalar() ? beforeNode.Scalar() : std::string();
    given.remove("before");
    YAML::Node placed;
    placed.reset(given);
    auto found = std::ranges::find_if(nodes, [&](const YAML::Node &node) { return idOf(node) == id; });
    if (found != nodes.end()) {
        merge(*found, given);
        if (before.empty()) return;
        placed.reset(*found);
        nodes.erase(found);
    }
    auto position = nodes.end();
    if (!before.empty()) {
        position = std::ranges::find_if(nodes, [&](const YAML::Node &node) { return idOf(node) == before; });
        if (position == nodes.end()) {
            m_refuse(beforeNode, QStringLiteral("there is no '%1' to stand before").arg(QString::fromStdString(before)));
        }
    } else if (!nodes.empty() && isFallback(nodes.back())) {
        --position;
    }
    nodes.insert(position, placed);
}

void Overlay::mergeMap(const char *key, const YAML::Node &given)
{
    if (!given) return;
    if (!given.IsMap()) m_refuse(given, QStringLiteral("'%1' must be a map").arg(QLatin1String(key)));
    YAML::Node map = m_policy[key];
    for (const auto &entry : given) {
        if (map[entry.first.Scalar()])
            map[entry.first.Scalar()] = entry.second;
        else
            map.force_insert(entry.first, entry.second); // keeps the key's place for messages
    }
}

void Overlay::mergeFields(const YAML::Node &given)
{
    if (!given) return;
    if (!given.IsMap()) m_refuse(given, QStringLiteral("'fields' must be a map"));
    for (const auto &entry : given) {
        const std::string kind = entry.first.Scalar();
        expectSequence(entry.second, kind.c_str());
        Nodes all = m_policy["fields"][kind] ? elements(m_policy["fields"][kind]) : Nodes();
        for (const YAML::Node &field : entry.second)
            all.push_back(field);
        m_policy["fields"][kind] = sequenceOf(all);
    }
}

void Overlay::mergeDerived(const YAML::Node &given)
{
    if (!given) return;
    expectSequence(given, "derived");
    Nodes all = m_policy["derived"] ? elements(m_policy["derived"]) : Nodes();
    for (const YAML::Node &field : given) {
        const std::string name = idOf(field, "name");
        const auto found =
            std::ranges::find_if(all, [&](const YAML::Node &node) { return idOf(node, "name") == name; });
        all.insert(found, field); // in the old one's place: later ones may read it
        if (found != all.end()) all.erase(found);
    }
    m_policy["derived"] = sequenceOf(all);
}

void Overlay::mergeBottlenecks(const YAML::Node &given)
{
    if (!given) return;
    expectSequence(given, "bottlenecks");
    Nodes bottlenecks = elements(m_policy["bottlenecks"]);
    const auto replaceKeys = [](YAML::Node into, const YAML::Node &from) {
        for (const auto &entry : from)
            into[entry.first.Scalar()] = entry.second;
    };
    for (const YAML::Node &one : given) {
        place(bottlenecks, one, [&](YAML::Node into, const YAML::Node &from) {
            for (const auto &entry : from) {
                const std::string key = entry.first.Scalar();
                if (key != "cases") into[key] = entry.second;
            }
            if (!from["cases"]) return;
            expectSequence(from["cases"], "cases");
            Nodes cases = into["cases"] ? elements(into["cases"]) : Nodes();
            for (const YAML::Node &one_case : from["cases"])
                place(cases, one_case, replaceKeys);
            into["cases"] = sequenceOf(cases);
        });
    }
    m_policy["bottlenecks"] = sequenceOf(bottlenecks);
}

void Overlay::remove(const YAML::Node &ids)
{
    if (!ids) return;
    expectSequence(ids, "remove");
    for (const YAML::Node &node : ids) {
        const std::string id = node.IsScalar() ? node.Scalar() : std::string();
        bool removed = false;
        Nodes kept;
        for (YAML::Node bottleneck : elements(m_policy["bottlenecks"])) {
            if (idOf(bottleneck) == id) {
                removed = true;
                continue;
            }
            Nodes cases;
            for (const YAML::Node &one : elements(bottleneck["cases"])) {
                if (idOf(bottleneck) + '.' + idOf(one) == id)
                    removed = true;
                else
                    cases.push_back(one);
            }
            bottleneck["cases"] = sequenceOf(cases);
            kept.push_back(bottleneck);
        }
        if (!removed) {
            m_refuse(node, QStringLiteral("'%1' is neither a case (bottleneck.case) nor a bottleneck; nothing to remove")
                               .arg(QString::fromStdString(id)));
        }
        m_policy["bottlenecks"] = sequenceOf(kept);
    }
}

void Overlay::apply(const YAML::Node &overlay)
{
    static const QStringList keys{
        QStringLiteral("overlay"), QStringLiteral("remove"),       QStringLiteral("fields"), QStringLiteral("derived"),
        QStringLiteral("tiers"),   QStringLiteral("methods"),      QStringLiteral("advice"), QStringLiteral("bottlenecks"),
        QStringLiteral("reuse_source")};
    if (!overlay.IsMap() || !overlay["overlay"] || overlay["overlay"].as<std::string>("") != "1")
        m_refuse(overlay, QStringLiteral("an overlay starts with 'overlay: 1'"));
    for (const auto &entry : overlay) {
        if (!keys.contains(QString::fromStdString(entry.first.Scalar()))) {
            m_refuse(entry.first, QStringLiteral("unknown key '%1'; known: %2")
                                      .arg(QString::fromStdString(entry.first.Scalar()), keys.join(QStringLiteral(", "))));
        }
    }
    if (!m_policy.IsMap() || !m_policy["bottlenecks"]) return; // the reader says what is wrong with it
    remove(overlay["remove"]);
    mergeFields(overlay["fields"]);
    mergeDerived(overlay["derived"]);
    mergeMap("tiers", overlay["tiers"]);
    mergeMap("methods", overlay["methods"]);
    if (overlay["reuse_source"]) m_policy["reuse_source"] = overlay["reuse_source"];
    if (overlay["advice"]) {
        expectSequence(overlay["advice"], "advice");
        Nodes all = m_policy["advice"] ? elements(m_policy["advice"]) : Nodes();
        for (const YAML::Node &one : overlay["advice"])
            all.push_back(one);
        m_policy["advice"] = sequenceOf(all);
    }
    mergeBottlenecks(overlay["bottlenecks"]);
}

} // namespace

void applyOverlay(YAML::Node policy, const YAML::Node &overlay, const RefusePolicy &refuse)
{
    Overlay(policy, refuse).apply(overlay);
}

} // namespace kernelskill
