// SPDX-License-Identifier: Apache-2.0
// Loops: what changes in them, by how much, and how often they run.
#include "features/kernel_walk.h"

#include <algorithm>

namespace kernelskill::expert {

namespace {

using Kind = Node::Kind;

bool isAssignment(const Node &node)
{
    return node.kind == Kind::Binary && node.text.endsWith(u'=') && node.text != u"==" && node.text != u"!=" &&
           node.text != u"<=" && node.text != u">=";
}

bool isIncrement(const Node &node)
{
    return node.kind == Kind::Unary &&
           (node.text.endsWith(QLatin1String("++")) || node.text.endsWith(QLatin1String("--")));
}

const Node *rootOf(const Node &node)
{
    switch (node.kind) {
    case Kind::Name:
        return &node;
    case Kind::Member:
    case Kind::Subscript:
    case Kind::Cast:
        return node.child(0) ? rootOf(*node.child(0)) : nullptr;
    default:
        return nullptr;
    }
}

bool throughMemory(const Node &node)
{
    if (node.kind == Kind::Subscript) return true;
    return (node.kind == Kind::Member || node.kind == Kind::Cast) && node.child(0) && throughMemory(*node.child(0));
}

} // namespace

// for (; i + 3 * step < n; …) and then for (; i < n; …) with the same variable: what the first one leaves over.
void KernelWalk::noticeRemainder(const Node &block)
{
    const auto variableOf = [](const Node &loop) -> QString {
        if (loop.kind == Kind::While && loop.child(0) && loop.child(0)->kind == Kind::Binary &&
            loop.child(0)->child(0)) {
            const Node *root = rootOf(*loop.child(0)->child(0));
            return root ? root->text : QString();
        }
        const Node *step = loop.kind == Kind::For ? loop.child(2) : nullptr;
        if (!step || !step->child(0) || (!isAssignment(*step) && !isIncrement(*step))) return {};
        const Node *root = rootOf(*step->child(0));
        return root ? root->text : QString();
    };
    const auto startsAnew = [&](const Node &loop) {
        const Node *init = loop.kind == Kind::For ? loop.child(0) : nullptr;
        return init && !init->children.empty() && init->children.front()->kind != Kind::Empty;
    };
    std::set<QString> seen;
    for (const NodePtr &child : block.children) {
        if (!child || (child->kind != Kind::For && child->kind != Kind::While)) continue;
        const QString name = variableOf(*child);
        if (name.isEmpty()) continue;
        if (!startsAnew(*child) && seen.contains(name)) m_facts.hasRemainderLoop = true;
        if (!startsAnew(*child)) seen.insert(name);
    }
}

std::set<QString> KernelWalk::assignedIn(const Node *node) const
{
    std::set<QString> names, declared;
    if (!node) return names;
    const auto add = [&](const Node &target) {
        const Node *root = rootOf(target);
        if (!root) return;
        if (throughMemory(target) && m_scope.value(root->text).array >= 0) return;
        names.insert(root->text);
    };
    forEachNode(*node, [&](const Node &one) {
        if (one.kind == Kind::Declaration) declared.insert(one.text);
        if ((isAssignment(one) || isIncrement(one)) && one.child(0)) add(*one.child(0));
        if (one.kind != Kind::Call) return;
        const CodeFunction *function = m_program.find(one.text);
        for (size_t i = 1; i < one.children.size(); ++i) {
            const Node &argument = *one.children[i];
            const bool address = argument.kind == Kind::Unary && argument.text == u"&";
            const QString type = function ? function->parameters.value(qsizetype(i) - 1).type : QString();
            const bool reference = type.contains(u'&') && !type.contains(QLatin1String("const"));
            if (address && argument.child(0)) add(*argument.child(0));
            if (reference || (i == 1 && one.text == u"mma_sync")) add(argument);
        }
    });
    for (const QString &name : declared)
        names.erase(name);
    return names;
}

// The step of a variable that the loop changes in one place only, by the same amount in every trip.
std::optional<Value> KernelWalk::stepOf(const QString &name, const std::set<QString> &changing, const Node *step,
                                        const Node *body)
{
    const Node *change = nullptr;
    int changes = 0;
    const auto look = [&](auto &&self, const Node &node, bool plainPath) -> void {
        const bool changesIt = (isAssignment(node) || isIncrement(node)) && node.child(0) &&
                               node.child(0)->kind == Kind::Name && node.child(0)->text == name;
        if (changesIt) {
            ++changes;
            change = plainPath ? &node : nullptr;
        }
        const bool nested = node.kind == Kind::If || node.kind == Kind::For || node.kind == Kind::While ||
                            node.kind == Kind::DoWhile || node.kind == Kind::Conditional;
        for (const NodePtr &child : node.children)
            if (child) self(self, *child, plainPath && !nested);
    };
    if (body) look(look, *body, true);
    if (step) look(look, *step, true);
    if (changes != 1 || !change) return std::nullopt;
    if (isIncrement(*change)) {
        Value one;
        one.form = Polynomial::constant(change->text.contains(u'+') ? 1 : -1);
        return one;
    }
    const Node *amount = nullptr;
    double sign = 1;
    const Node &right = *change->child(1);
    if (change->text == u"+=" || change->text == u"-=") {
        amount = &right;
        sign = change->text == u"+=" ? 1 : -1;
    } else if (change->text == u"=" && right.kind == Kind::Binary && (right.text == u"+" || right.text == u"-") &&
               right.child(0)->kind == Kind::Name && right.child(0)->text == name) {
        amount = right.child(1);
        sign = right.text == u"+" ? 1 : -1;
    }
    if (!amount) return std::nullopt;
    bool constant = true;
    forEachNode(*amount, [&](const Node &node) {
        constant = constant && !(node.kind == Kind::Name && changing.contains(node.text)) &&
                   node.kind != Kind::Subscript && node.kind != Kind::Call && !isAssignment(node) && !isIncrement(node);
    });
    forEachNode(*amount, [&](const Node &node) {
        if (node.kind == Kind::Call && node.text != u"size" && node.text != u"num_threads" && node.text != u"size_t")
            return;
        if (node.kind == Kind::Call) constant = true;
    });
    if (!constant) return std::nullopt;
    Value value = evaluate(*amount);
    if (value.isFloating || !value.loads.empty() || value.array >= 0) return std::nullopt;
    value.form = value.form.scaled(sign);
    return value;
}

void KernelWalk::enterLoop(int loop, const std::set<QString> &names, const Node *step, const Node *body)
{
    const Polynomial counter = Polynomial::atom(m_facts.loops[size_t(loop)].atom);
    for (const QString &name : names) {
        const auto found = m_scope.find(name);
        if (found == m_scope.end()) continue;
        if (!found->isFloating && (found->array < 0 || !found->isReference)) {
            if (const auto amount = stepOf(name, names, step, body)) {
                const auto growth = counter.times(amount->form);
                Value &value = m_scope[name];
                value.form = value.form.plus(growth.value_or(counter), value.array >= 0 ? value.unit : 1);
                continue;
            }
        }
        Value &value = m_scope[name];
        if (value.array >= 0 && value.isReference) continue;
        Dependence dependence = dependenceOf(value.form);
        dependence.loops.insert(loop);
        dependence.carried.insert(int(m_carried.size()));
        m_carried.push_back({name, loop});
        value.form = opaque(QStringLiteral("carried %1 %2").arg(name).arg(loop), dependence);
        value.loads.clear();
        value.linear.clear();
        value.products.clear();
    }
}

// How often a loop runs, when its start, end and step are numbers.
void KernelWalk::readTrips(int loop, const Node *init, const Node *condition)
{
    if (!condition || condition->kind != Kind::Binary || !condition->child(1)) return;
    const Node *variable = condition->child(0);
    if (variable->kind != Kind::Name || !init) return;
    const Value now = m_scope.value(variable->text);
    const Polynomial step = now.form.coefficientOf(m_facts.loops[size_t(loop)].atom);
    const auto distance =
        evaluate(*condition->child(1))
            .form
            .plus(now.form.plus(Polynomial::atom(m_facts.loops[size_t(loop)].atom).times(step).value_or(Polynomial()),
                                -1),
                  -1)
            .asConstant();
    const auto amount = step.asConstant();
    if (!distance || !amount || *amount == 0) return;
    double trips = *distance / *amount;
    if (condition->text == u"<=" || condition->text == u">=") trips += 1;
    m_facts.loops[size_t(loop)].trips = trips;
}

void KernelWalk::loop(const Node *init, const Node *condition, const Node *step, const Node *body)
{
    Scope outer = m_scope;
    std::set<QString> own; // declared in the header
    if (init) {
        for (const NodePtr &child : init->children) {
            if (child && child->kind == Kind::Declaration) own.insert(child->text);
            if (child) execute(*child);
        }
    }
    const int id = int(m_facts.loops.size());
    Dependence dependence;
    dependence.loops.insert(id);
    m_facts.loops.push_back({m_facts.atoms.intern(QStringLiteral("trip %1").arg(id), dependence), {}, false});
    std::set<QString> names = assignedIn(body);
    names.merge(assignedIn(step));
    names.merge(assignedIn(condition));
    enterLoop(id, names, step, body);
    const size_t headerStart = m_facts.accesses.size();
    m_inHeader = true;
    if (condition) {
        const Value end = evaluate(*condition);
        readTrips(id, init, condition);
        const Dependence known = dependenceOf(end.form);
        const bool iterates = end.comparesFloating && !known.carried.empty();
        m_facts.loops[size_t(id)].isIrregular = !end.loads.empty() || iterates;
    }
    for (size_t i = headerStart; i < m_facts.accesses.size(); ++i)
        m_facts.accesses[i].isIndexData = true;
    m_inHeader = false;
    m_loopStack.push_back(id);
    if (body) execute(*body);
    m_hasJumped = false;
    m_inHeader = true;
    if (step && step->kind != Kind::Empty) (void)evaluate(*step);
    m_inHeader = false;
    m_loopStack.pop_back();
    for (const QString &name : names) {
        const auto found = m_scope.find(name);
        if (found == m_scope.end() || found->array >= 0) continue;
        Dependence after = dependenceOf(found->form);
        const bool accumulates =
            std::ranges::any_of(after.carried, [&](int one) { return m_carried[size_t(one)].name == name; });
        after.loops.erase(id);
        std::erase_if(after.carried, [&](int one) { return m_carried[size_t(one)].loop == id; });
        found->form = opaque(QStringLiteral("after %1 %2").arg(name).arg(id), after);
        if (accumulates) {
            found->loads.clear();
            found->linear.clear();
            found->products.clear();
        }
    }
    for (const QString &name : own) {
        if (outer.contains(name))
            m_scope.insert(name, outer.value(name));
        else
            m_scope.remove(name);
    }
}

} // namespace kernelskill::expert
