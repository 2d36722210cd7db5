// SPDX-License-Identifier: Apache-2.0
#include "features/kernel_walk.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace kernelskill::expert {

namespace {

using Kind = Node::Kind;

bool isComparison(const QString &op)
{
    return op == u"<" || op == u">" || op == u"<=" || op == u">=";
}

void unite(Value &into, const Value &other)
{
    into.loads.insert(other.loads.begin(), other.loads.end());
    into.linear.insert(other.linear.begin(), other.linear.end());
    into.products.insert(into.products.end(), other.products.begin(), other.products.end());
    if (into.products.size() > 64) into.products.resize(64);
}

} // namespace

Dependence KernelWalk::dependenceOf(const Polynomial &form) const
{
    Dependence all;
    for (int atom : form.atoms())
        all.add(m_facts.atoms.at(atom).dependence);
    return all;
}

Polynomial KernelWalk::opaque(const QString &text, const Dependence &dependence, double extent)
{
    return Polynomial::atom(m_facts.atoms.intern(text, dependence, extent));
}

// A value of which only the ingredients are known.
Value KernelWalk::opaqueValue(const QString &text, const std::vector<const Value *> &parts)
{
    Value value;
    Dependence dependence;
    QString full = text;
    for (const Value *part : parts) {
        dependence.add(dependenceOf(part->form));
        value.loads.insert(part->loads.begin(), part->loads.end());
        value.isFloating = value.isFloating || part->isFloating;
        value.comparesFloating = value.comparesFloating || part->comparesFloating;
        full += u'(' + part->form.text() + u')';
    }
    value.form = opaque(full, dependence);
    return value;
}

Value KernelWalk::evaluate(const Node &node)
{
    if (++m_steps > 60'000) return {};
    switch (node.kind) {
    case Kind::Name:
        return evaluateName(node);
    case Kind::Number:
        return evaluateNumber(node.text);
    case Kind::Member:
        return evaluateMember(node);
    case Kind::Subscript:
        return evaluateSubscript(node);
    case Kind::Unary:
        return evaluateUnary(node);
    case Kind::Binary:
        return evaluateBinary(node);
    case Kind::Conditional:
        return evaluateConditional(node);
    case Kind::Call:
        return call(node);
    case Kind::Cast:
        return evaluateCast(node);
    case Kind::List:
        return evaluateList(node);
    case Kind::Assembly:
        return assembly(node);
    case Kind::Lambda: {
        Value value;
        value.lambda = &node;
        return value;
    }
    case Kind::Text:
    case Kind::Launch:
    case Kind::Empty:
        return {};
    default:
        execute(node);
        return {};
    }
}

Value KernelWalk::evaluateName(const Node &node)
{
    if (const auto found = m_scope.constFind(node.text); found != m_scope.cend()) {
        const Value value = *found;
        return value.isReference && value.array >= 0 ? load(value) : value;
    }
    if (m_object) { // a field, in a member function
        if (const auto owner = m_program.structs.constFind(m_object->type); owner != m_program.structs.cend()) {
            for (const CodeParameter &field : owner->fields) {
                if (field.name == node.text && !m_object->path.isEmpty())
                    return objectAt(m_object->path + u'.' + field.name, field.type);
                if (field.name == node.text) return *m_object;
            }
        }
    }
    Value value;
    if (node.text == u"warpSize")
        value.form = Polynomial::constant(32);
    else if (node.text == u"true")
        value.form = Polynomial::constant(1);
    else if (node.text != u"false" && node.text != u"nullptr")
        value.form = opaque(node.text, {});
    return value;
}

Value KernelWalk::evaluateNumber(const QString &text) const
{
    Value value;
    QString digits = text.toLower();
    const bool hex = digits.startsWith(QLatin1String("0x"));
    value.isFloating = !hex && (digits.contains(u'.') || digits.contains(u'e') || digits.endsWith(u'f'));
    while (!digits.isEmpty() && QStringLiteral("ul").contains(digits.back()))
        digits.chop(1);
    if (value.isFloating && digits.endsWith(u'f')) digits.chop(1);
    value.form = Polynomial::constant(value.isFloating ? digits.toDouble() : double(digits.toULongLong(nullptr, 0)));
    return value;
}

Value KernelWalk::evaluateMember(const Node &node)
{
    const Node &object = *node.child(0);
    if (object.kind == Kind::Name && !m_scope.contains(object.text)) {
        const QString full = object.text + u'.' + node.text;
        Value value;
        Dependence dependence;
        if (object.text == u"threadIdx") {
            dependence.thread = true;
            value.form = opaque(full, dependence);
            return value;
        }
        if (object.text == u"blockIdx") {
            dependence.block = true;
            value.form = opaque(full, dependence);
            return value;
        }
        if (object.text == u"blockDim" || object.text == u"gridDim") {
            value.form = Polynomial::atom(m_facts.atoms.intern(full, {}, 0, true));
            return value;
        }
        if (object.text == u"this" && m_object) return evaluateName(Node(Kind::Name, node.text));
    }
    if (const auto target = place(node); target && target->array >= 0)
        return target->extents.empty() ? load(*target) : *target;
    Value value = evaluate(object);
    if (!value.path.isEmpty()) {
        for (const CodeParameter &field : m_program.structs.value(value.type).fields) {
            if (field.name == node.text) return objectAt(value.path + u'.' + field.name, field.type);
        }
    }
    if (value.array >= 0) return value;
    value.form = opaque(QStringLiteral("member %1 of %2").arg(node.text, value.form.text()), dependenceOf(value.form));
    value.type.clear();
    value.lambda = nullptr;
    return value;
}

std::optional<Value> KernelWalk::place(const Node &node)
{
    switch (node.kind) {
    case Kind::Name: {
        const auto found = m_scope.constFind(node.text);
        if (found != m_scope.cend() && found->array >= 0 && (found->isReference || !found->extents.empty())) {
            Value value = *found;
            value.isReference = false;
            return value;
        }
        return std::nullopt;
    }
    case Kind::Subscript: {
        Value base = evaluate(*node.child(0));
        const Value index = node.child(1) ? evaluate(*node.child(1)) : Value();
        if (base.array < 0) return std::nullopt;
        Polynomial stride = Polynomial::constant(base.unit);
        if (!base.extents.empty()) {
            base.extents.erase(base.extents.begin());
            for (const Polynomial &extent : base.extents)
                stride = stride.times(extent).value_or(stride);
        }
        const auto offset = index.form.times(stride);
        base.form = base.form.plus(
            offset.value_or(opaque(QStringLiteral("offset ") + index.form.text(), dependenceOf(index.form))));
        return base;
    }
    case Kind::Unary:
        if (node.text == u"*") {
            Value pointer = evaluate(*node.child(0));
            if (pointer.array < 0) return std::nullopt;
            return pointer;
        }
        return std::nullopt;
    case Kind::Member:
        return placeOfMember(node);
    case Kind::Cast:
        return node.child(0) ? place(*node.child(0)) : std::nullopt;
    default:
        return std::nullopt;
    }
}

std::optional<Value> KernelWalk::placeOfMember(const Node &node)
{
    const Node &object = *node.child(0);
    if (object.kind == Kind::Name && !m_scope.value(object.text).path.isEmpty()) return std::nullopt;
    auto target = place(object);
    if (!target && object.kind == Kind::Name) { // pointer->field
        const Value pointer = m_scope.value(object.text);
        if (pointer.array >= 0) target = pointer;
    }
    if (!target || !target->extents.empty()) return std::nullopt;
    if (isVectorLike(m_program, target->element)) return target;
    for (const CodeParameter &field : m_program.structs.value(target->element).fields) {
        if (field.name != node.text) continue;
        target->element = plain(field.type);
        static const QRegularExpression extent(QStringLiteral("\\[(\\w*)\\]"));
        for (auto it = extent.globalMatch(field.type); it.hasNext();) {
            const QString size = it.next().captured(1);
            bool isNumber = false;
            const double number = size.toDouble(&isNumber);
            target->extents.push_back(isNumber ? Polynomial::constant(number)
                                               : evaluateName(Node(Kind::Name, size)).form);
        }
    }
    return target;
}

Value KernelWalk::evaluateSubscript(const Node &node)
{
    if (node.child(0)->kind == Kind::Member) {
        Value table = evaluateMember(*node.child(0));
        if (table.isTable || (table.array < 0 && !table.form.atoms().empty() && table.loads.empty() &&
                              !dependenceOf(table.form).isVarying() && dependenceOf(table.form).parameter)) {
            if (node.child(1)) (void)evaluate(*node.child(1));
            table.isTable = false;
            return table;
        }
    }
    const auto target = place(node);
    if (target) return target->extents.empty() ? load(*target) : *target;
    Value value = evaluate(*node.child(0)); // an array inside an object
    value.form = opaque(QStringLiteral("cell %1").arg(value.form.text()), dependenceOf(value.form));
    return value;
}

Value KernelWalk::evaluateUnary(const Node &node)
{
    if (node.text == u"sizeof") {
        Value value;
        const QString type = plain(node.type);
        const int bytes = bytesOfType(type);
        value.form = bytes > 0 ? Polynomial::constant(bytes) : opaque(QStringLiteral("sizeof ") + type, {});
        return value;
    }
    if (!node.child(0)) return {};
    if (node.text == u"*") {
        if (const auto target = place(node)) return load(*target);
        return opaqueValue(QStringLiteral("*"), {});
    }
    if (node.text == u"&") {
        if (const auto target = place(*node.child(0))) return *target;
        return {};
    }
    if (node.text.endsWith(QLatin1String("++")) || node.text.endsWith(QLatin1String("--"))) {
        Value one;
        one.form = Polynomial::constant(node.text.endsWith(QLatin1String("++")) ? 1 : -1);
        const Value old = evaluate(*node.child(0));
        const Value sum = arithmetic(QStringLiteral("+"), old, one);
        assignTo(*node.child(0), sum, true);
        return node.text.startsWith(u'p') ? old : sum;
    }
    Value value = evaluate(*node.child(0));
    if (node.text == u"+") return value;
    if (node.text == u"-") {
        value.form = value.form.scaled(-1);
        return value;
    }
    Value result = opaqueValue(node.text, {&value});
    result.isFloating = false;
    return result;
}

Value KernelWalk::evaluateBinary(const Node &node)
{
    const QString &op = node.text;
    if (op == u",") {
        (void)evaluate(*node.child(0));
        return evaluate(*node.child(1));
    }
    if (op.endsWith(u'=') && op != u"==" && op != u"!=" && op != u"<=" && op != u">=") return assign(node);
    const Value a = evaluate(*node.child(0));
    if (op == u"&&" || op == u"||") m_conditions.push_back(dependenceOf(a.form));
    const Value b = evaluate(*node.child(1));
    if (op == u"&&" || op == u"||") m_conditions.pop_back();
    if (isComparison(op)) compare(a, b);
    const bool aligns = (op == u"==" || op == u"!=") && !m_inHeader;
    if (aligns) {
        forEachNode(node, [&](const Node &part) {
            if (part.kind != Kind::Binary || !part.child(1) || part.child(1)->kind != Kind::Number) return;
            const QString &width = part.child(1)->text;
            const bool remainder =
                part.text == u"%" && (width == u"2" || width == u"4" || width == u"8" || width == u"16");
            const bool mask = part.text == u"&" && (width == u"3" || width == u"7" || width == u"15");
            if (remainder || mask) {
                bool fromIndex = false;
                forEachNode(*part.child(0), [&](const Node &name) {
                    fromIndex = fromIndex || (name.kind == Kind::Name && name.text == u"threadIdx");
                });
                const Dependence dependence = dependenceOf(evaluate(*part.child(0)).form);
                m_facts.guardsAlignment = m_facts.guardsAlignment || (!fromIndex && !dependence.thread);
            }
        });
    }
    return arithmetic(op, a, b);
}

// An index against a size: what lies outside is left alone.
void KernelWalk::compare(const Value &a, const Value &b)
{
    if (m_inHeader || a.isFloating || b.isFloating) return;
    const auto isCheck = [&](const Value &index, const Value &size) {
        const Dependence moving = dependenceOf(index.form), fixed = dependenceOf(size.form);
        if (moving.data || fixed.data || !moving.isVarying() || fixed.isVarying() || !size.loads.empty()) return false;
        if (fixed.parameter) return moving.thread || moving.block || !moving.loops.empty();
        const auto number = size.form.asConstant();
        for (int atom : size.form.atoms()) {
            if (m_facts.atoms.at(atom).isLaunchSize) return false;
        }
        return moving.block && (!number || *number > 1);
    };
    if (isCheck(a, b) || isCheck(b, a)) m_facts.hasBoundsCheck = true;
}

Value KernelWalk::arithmetic(const QString &op, const Value &a, const Value &b)
{
    if (a.array >= 0 || b.array >= 0) {
        const Value &pointer = a.array >= 0 ? a : b;
        const Value &offset = a.array >= 0 ? b : a;
        if ((op != u"+" && op != u"-") || offset.array >= 0) return opaqueValue(op, {&a, &b});
        Value moved = pointer;
        double unit = pointer.unit;
        Polynomial stride = Polynomial::constant(unit);
        for (size_t i = 1; i < pointer.extents.size(); ++i)
            stride = stride.times(pointer.extents[i]).value_or(stride);
        moved.isReference = false;
        if (!moved.extents.empty()) moved.extents.erase(moved.extents.begin());
        const auto step = offset.form.times(stride);
        moved.form = moved.form.plus(
            step.value_or(opaque(QStringLiteral("offset ") + offset.form.text(), dependenceOf(offset.form))),
            op == u"+" ? 1 : -1);
        return moved;
    }
    Value result = opaqueValue(op, {&a, &b});
    const bool comparison = isComparison(op) || op == u"==" || op == u"!=" || op == u"&&" || op == u"||";
    if (comparison) {
        result.comparesFloating =
            a.comparesFloating || b.comparesFloating || ((a.isFloating || b.isFloating) && op != u"&&" && op != u"||");
        result.isFloating = false;
        return result;
    }
    if (!result.isFloating) result.form = integerForm(op, a.form, b.form);
    if (op == u"+" || op == u"-") {
        unite(result, a);
        unite(result, b);
    } else if (op == u"*") {
        result.linear = a.linear;
        result.linear.insert(b.linear.begin(), b.linear.end());
        result.products = a.products;
        result.products.insert(result.products.end(), b.products.begin(), b.products.end());
        if (!a.linear.empty() && !b.linear.empty()) result.products.push_back({a.linear, b.linear});
    } else if (op == u"/" && b.loads.empty()) {
        result.linear = a.linear;
        result.products = a.products;
    }
    return result;
}

// (x + w - 1) % w, (x + 1) % w: a place moved over the edge comes in again on the other side. For neighbours the move
// counts, so the remainder is left out.
Polynomial KernelWalk::unwrapped(const Polynomial &a, const Polynomial &modulus) const
{
    Polynomial moved = a;
    for (const auto &[monomial, coefficient] : modulus.terms()) {
        const auto found = a.terms().find(monomial);
        if (found != a.terms().end() && found->second == coefficient) moved = moved.plus(modulus, -1);
        break;
    }
    return moved;
}

Polynomial KernelWalk::integerForm(const QString &op, const Polynomial &a, const Polynomial &b)
{
    if (op == u"+") return a.plus(b);
    if (op == u"-") return a.plus(b, -1);
    Dependence dependence = dependenceOf(a);
    dependence.add(dependenceOf(b));
    const auto left = a.asConstant(), right = b.asConstant();
    const QString text = QStringLiteral("(%1)%2(%3)").arg(a.text(), op, b.text());
    if (op == u"*") {
        if (const auto product = a.times(b)) return *product;
    } else if (right && (op == u"<<" || op == u">>")) {
        const double factor = std::exp2(*right);
        if (op == u"<<") return a.scaled(factor);
        return integerForm(QStringLiteral("/"), a, Polynomial::constant(factor));
    } else if (op == u"/" && right && *right != 0) {
        if (left) return Polynomial::constant(std::trunc(*left / *right));
        if (a.isDivisibleBy(*right)) return a.scaled(1 / *right);
    } else if (op == u"%" && left && right && *right != 0) {
        return Polynomial::constant(std::fmod(*left, *right));
    } else if (op == u"%") {
        if (a.constantTerm() != 0 && dependence.isVarying()) return unwrapped(a, b);
        return opaque(text, dependence, right.value_or(0));
    } else if (op == u"&" && right) {
        return opaque(text, dependence, *right > 0 ? *right + 1 : 0);
    }
    return opaque(text, dependence);
}

Value KernelWalk::evaluateConditional(const Node &node)
{
    const Value condition = evaluate(*node.child(0));
    m_conditions.push_back(dependenceOf(condition.form));
    const Value a = evaluate(*node.child(1)), b = evaluate(*node.child(2));
    m_conditions.pop_back();
    if (a.array >= 0 || b.array >= 0) return a.array >= 0 ? a : b;
    Value result = opaqueValue(QStringLiteral("?"), {&a, &b});
    result.loads.insert(condition.loads.begin(), condition.loads.end());
    unite(result, a);
    unite(result, b);
    const bool aVaries = dependenceOf(a.form).isVarying(), bVaries = dependenceOf(b.form).isVarying();
    if (!result.isFloating && aVaries != bVaries) result.form = aVaries ? a.form : b.form;
    if (condition.loads.empty() || result.isFloating) return result;
    Dependence dependence = dependenceOf(result.form);
    dependence.add(dependenceOf(condition.form));
    result.form = opaque(QStringLiteral("chosen %1").arg(result.form.text()), dependence);
    return result;
}

Value KernelWalk::evaluateCast(const Node &node)
{
    noteType(node.type);
    if (!node.child(0)) return {};
    Value value = evaluate(*node.child(0));
    const QString type = plain(node.type);
    if (value.array >= 0) {
        if (!isPointerType(node.type)) return value.type.isEmpty() ? value : opaqueValue(QStringLiteral("address"), {});
        const int bytes = std::max(bytesOfType(type), m_program.structs.value(type).alignment);
        const int root = bytesOfType(m_facts.arrays[size_t(value.array)].element);
        if (bytes > 0 && root > 0) value.unit = double(bytes) / root;
        value.element = type;
        value.extents.clear();
        return value;
    }
    if (isPointerType(node.type)) return value;
    if (bytesOfType(type) > 0 && isFloatingType(type) != value.isFloating) {
        const auto number = value.form.asConstant();
        if (!number) value.form = opaque(QStringLiteral("cast %1").arg(value.form.text()), dependenceOf(value.form));
        value.isFloating = isFloatingType(type);
    }
    return value;
}

Value KernelWalk::evaluateList(const Node &node)
{
    noteType(node.type);
    Value result;
    std::vector<Value> parts;
    for (const NodePtr &child : node.children)
        parts.push_back(evaluate(*child));
    if (parts.size() == 1) return parts.front();
    std::vector<const Value *> pointers;
    for (const Value &part : parts)
        pointers.push_back(&part);
    result = opaqueValue(QStringLiteral("list "), pointers);
    for (const Value &part : parts)
        unite(result, part);
    result.type = plain(node.type);
    return result;
}

Value KernelWalk::assign(const Node &node)
{
    const QString op = node.text.left(node.text.size() - 1);
    Value value = evaluate(*node.child(1));
    bool additive = !op.isEmpty();
    if (!op.isEmpty()) {
        const Value old = evaluate(*node.child(0));
        value = arithmetic(op, old, value);
    } else if (node.child(0)->kind == Kind::Name) {
        // v = v + …, v = fmaxf(v, …), v = fmaf(a, b, v)
        const Node &right = *node.child(1);
        const bool combines = (right.kind == Kind::Binary && (right.text == u"+" || right.text == u"*")) ||
                              (right.kind == Kind::Call && (right.text.startsWith(QLatin1String("fm")) ||
                                                            right.text == u"max" || right.text == u"min"));
        for (const NodePtr &part : right.children)
            additive = additive || (combines && part->kind == Kind::Name && part->text == node.child(0)->text);
    }
    assignTo(*node.child(0), value, additive);
    return value;
}

void KernelWalk::assignTo(const Node &target, const Value &value, bool additive)
{
    const auto pointer = place(target);
    if (pointer && pointer->array >= 0) {
        store(*pointer, value, false, additive);
        return;
    }
    const Node *root = &target;
    while (root && root->kind != Kind::Name)
        root = (root->kind == Kind::Member || root->kind == Kind::Subscript || root->kind == Kind::Cast)
                   ? root->child(0)
                   : nullptr;
    if (!root) return;
    if (root == &target) {
        assignName(root->text, value, additive);
        return;
    }
    // A lane or a field: the object holds both what it held and this.
    const Value old = m_scope.value(root->text);
    Value both = opaqueValue(QStringLiteral("%1 with").arg(root->text), {&old, &value});
    unite(both, old);
    unite(both, value);
    both.type = old.type;
    both.path.clear();
    assignName(root->text, both, additive);
}

void KernelWalk::assignName(const QString &name, Value value, bool additive)
{
    const Dependence dependence = dependenceOf(value.form);
    std::vector<int> loops;
    for (int one : dependence.carried) {
        const Carried &carried = m_carried[size_t(one)];
        if (carried.name == name && std::ranges::find(m_loopStack, carried.loop) != m_loopStack.end())
            loops.push_back(carried.loop);
    }
    // if (v > best) best = v;
    if (loops.empty() && !value.loads.empty()) {
        for (const Dependence &condition : m_conditions) {
            for (int one : condition.carried) {
                const Carried &carried = m_carried[size_t(one)];
                if (carried.name == name && std::ranges::find(m_loopStack, carried.loop) != m_loopStack.end())
                    loops.push_back(carried.loop);
            }
        }
    }
    if (!loops.empty()) noteAccumulation(value, true, loops, additive && value.isFloating);
    const auto found = m_scope.find(name);
    if (found != m_scope.end()) {
        if (value.type.isEmpty()) value.type = found->type;
        if (found->isFloating && value.array < 0) value.isFloating = true;
        if (!found->isFloating && value.isFloating && bytesOfType(found->type) > 0) {
            value.isFloating = false;
            value.form = opaque(QStringLiteral("cast %1").arg(value.form.text()), dependence);
        }
    }
    m_scope.insert(name, value);
}

} // namespace kernelskill::expert
