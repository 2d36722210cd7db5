// SPDX-License-Identifier: Apache-2.0
// Statements, declarations, branches and scopes. Loops: kernel_walk_loops.cpp.
#include "features/kernel_walk.h"

#include <algorithm>

namespace kernelskill::expert {

namespace {

using Kind = Node::Kind;
constexpr int mostSteps = 60'000;

} // namespace

KernelFacts factsOf(const CodeProgram &program, const CodeFunction &kernel, const KernelBinding &binding)
{
    return KernelWalk(program, kernel, binding).run();
}

bool isVectorLike(const CodeProgram &program, const QString &plain)
{
    if (lanesOfType(plain) > 1) return true;
    const auto found = program.structs.constFind(plain);
    return found != program.structs.cend() && found->alignment >= 4 && (found->hasArray || found->fields.size() > 1);
}

KernelWalk::KernelWalk(const CodeProgram &program, const CodeFunction &kernel, const KernelBinding &binding)
    : m_program(program), m_kernel(kernel)
{
    m_facts.name = kernel.name;
    bindGlobals();
    bindParameters(binding);
}

KernelFacts KernelWalk::run()
{
    m_callStack.append(m_kernel.name);
    if (m_kernel.body) execute(*m_kernel.body);
    m_facts.wasCutShort = m_steps >= mostSteps;
    return std::move(m_facts);
}

void KernelWalk::bindGlobals()
{
    for (const NodePtr &global : m_program.globals) {
        const bool onDevice = global->type.contains(QLatin1String("__constant__")) ||
                              global->type.contains(QLatin1String("__device__")) || global->isShared;
        if (onDevice || !global->extra.empty()) {
            Value value;
            value.array = int(m_facts.arrays.size());
            value.element = plain(global->type);
            for (const NodePtr &extent : global->extra)
                value.extents.push_back(evaluate(*extent).form);
            value.isReference = global->extra.empty();
            const MemorySpace space = global->isShared                                     ? MemorySpace::Shared
                                      : global->type.contains(QLatin1String("__device__")) ? MemorySpace::Global
                                                                                           : MemorySpace::Constant;
            m_facts.arrays.push_back({global->text, space, value.element, false, false, {}, {}, {}});
            m_scope.insert(global->text, value);
        } else if (global->child(0)) {
            m_scope.insert(global->text, evaluate(*global->child(0)));
        }
    }
}

void KernelWalk::bindParameters(const KernelBinding &binding)
{
    for (qsizetype i = 0; i < m_kernel.templateParameters.size(); ++i) {
        const QString &name = m_kernel.templateParameters.at(i);
        const QString argument = binding.templateArguments.value(i);
        if (!argument.isEmpty()) m_types.insert(name, argument);
        Value value;
        bool isNumber = false;
        const double number = argument.toDouble(&isNumber);
        if (isNumber)
            value.form = Polynomial::constant(number);
        else if (const auto known = m_scope.constFind(argument); known != m_scope.cend())
            value = *known;
        else
            value.form = opaque(QStringLiteral("template ") + name, {});
        m_scope.insert(name, value);
    }
    for (const CodeParameter &parameter : m_kernel.parameters) {
        noteType(parameter.type);
        Value value = objectAt(parameter.name, parameter.type);
        value.lambda = binding.argumentLambdas.value(parameter.name);
        if (m_program.structs.contains(binding.argumentTypes.value(parameter.name)) &&
            !m_program.structs.contains(value.type))
            value.type = binding.argumentTypes.value(parameter.name);
        m_scope.insert(parameter.name, value);
    }
}

// Notes the use of vector types, also inside template arguments.
void KernelWalk::noteType(const QString &type)
{
    if (isVectorLike(m_program, plain(type))) m_facts.usesVectorTypes = true;
}

// A parameter, or a field of one.
Value KernelWalk::objectAt(const QString &path, const QString &type)
{
    if (const auto known = m_fields.constFind(path); known != m_fields.cend()) return *known;
    Value value;
    const QString resolved = m_types.value(type.simplified(), type);
    const QString alias = m_program.aliases.value(m_program.plainType(type), QString());
    value.type = plain(type);
    const bool isField = path.contains(u'.'), isArray = type.contains(u'[');
    value.isTable = isField && isArray && type.contains(u'*');
    if (isField && isArray && !value.isTable) { // sizes that came with the arguments
        Dependence dependence;
        dependence.parameter = true;
        value.form = opaque(path, dependence);
        value.isFloating = isFloatingType(value.type);
    } else if (isPointerType(type) || isPointerType(resolved) || isPointerType(alias)) {
        value.array = int(m_facts.arrays.size());
        value.element = value.type;
        m_facts.arrays.push_back({path, MemorySpace::Global, value.element, false, false, {}, {}, {}});
    } else {
        Dependence dependence;
        dependence.parameter = true;
        value.form = opaque(path, dependence);
        value.isFloating = isFloatingType(value.type);
        if (m_program.structs.contains(value.type)) value.path = path;
    }
    m_fields.insert(path, value);
    return value;
}

void KernelWalk::execute(const Node &node)
{
    if (++m_steps > mostSteps) return;
    switch (node.kind) {
    case Kind::Block:
        executeBlock(node);
        break;
    case Kind::Declaration:
        declare(node);
        break;
    case Kind::If:
        branch(node);
        break;
    case Kind::For:
        loop(node.child(0), node.child(1), node.child(2), node.child(3));
        break;
    case Kind::While:
        loop(nullptr, node.child(0), nullptr, node.child(1));
        break;
    case Kind::DoWhile:
        loop(nullptr, node.child(1), nullptr, node.child(0));
        break;
    case Kind::Switch:
        if (node.child(0)) (void)evaluate(*node.child(0));
        if (node.child(1)) execute(*node.child(1));
        m_hasJumped = false;
        break;
    case Kind::Return:
        if (node.child(0)) m_returns.push_back(evaluate(*node.child(0)));
        m_hasJumped = true;
        break;
    case Kind::Jump:
        m_hasJumped = true;
        break;
    case Kind::Case:
        m_hasJumped = false;
        break;
    case Kind::Empty:
        break;
    default:
        (void)evaluate(node);
    }
}

void KernelWalk::executeBlock(const Node &node)
{
    Scope shadowed;
    std::set<QString> declared;
    for (const NodePtr &child : node.children) {
        if (!child) continue;
        if (child->kind == Kind::Declaration && declared.insert(child->text).second && m_scope.contains(child->text))
            shadowed.insert(child->text, m_scope.value(child->text));
    }
    noticeRemainder(node);
    for (const NodePtr &child : node.children) {
        if (child) execute(*child);
    }
    for (const QString &name : declared) {
        if (shadowed.contains(name))
            m_scope.insert(name, shadowed.value(name));
        else
            m_scope.remove(name);
    }
}

void KernelWalk::declare(const Node &node)
{
    noteType(node.type);
    const QString type = plain(node.type);
    const bool isPointer = node.type.contains(u'*');
    if (node.isShared || !node.extra.empty()) {
        declareArray(node, type, {});
        return;
    }
    Value value;
    if (node.child(0)) {
        const bool reference = node.type.contains(u'&');
        if (reference) {
            if (const auto target = place(*node.child(0)); target && target->array >= 0) {
                value = *target;
                value.isReference = true;
                m_scope.insert(node.text, value);
                return;
            }
        }
        value = evaluate(*node.child(0));
        if (value.array < 0 && !isPointer && type != u"auto" && !type.isEmpty()) {
            const bool wasFloating = value.isFloating;
            if (bytesOfType(type) > 0) value.isFloating = isFloatingType(type);
            if (wasFloating && !value.isFloating)
                value.form = opaque(QStringLiteral("int(%1)").arg(value.form.text()), dependenceOf(value.form));
        }
        if (value.type.isEmpty() || m_program.structs.contains(type)) value.type = type;
        if (isPointer && value.array < 0) value = unknownPointer(node, type);
        if (isPointer && value.array >= 0 && type != u"auto" && bytesOfType(type) > 0) value.element = type;
    } else {
        value.type = type;
        value.isFloating = isFloatingType(type);
    }
    m_scope.insert(node.text, value);
}

// T *cells = SharedMemory<T>(); is how templates get at dynamic shared memory; other pointers out of nowhere are
// global.
Value KernelWalk::unknownPointer(const Node &node, const QString &type)
{
    Value value;
    value.element = value.type = type;
    bool shared = false;
    forEachNode(*node.child(0), [&](const Node &part) {
        const QString &name = part.text.isEmpty() ? part.type : part.text;
        shared = shared || name.contains(QLatin1String("shared"), Qt::CaseInsensitive);
    });
    const bool isNull = node.child(0)->kind == Kind::Name && node.child(0)->text == u"nullptr";
    if (isNull) return value;
    value.array = int(m_facts.arrays.size());
    m_facts.arrays.push_back(
        {node.text, shared ? MemorySpace::Shared : MemorySpace::Global, type, false, false, {}, {}, {}});
    return value;
}

void KernelWalk::declareArray(const Node &node, const QString &type, Value value)
{
    value.array = int(m_facts.arrays.size());
    value.element = type;
    value.isReference = node.extra.empty(); // __shared__ float total;
    for (size_t i = 0; i < node.extra.size(); ++i) {
        value.extents.push_back(node.extra[i]->kind == Kind::Empty
                                    ? opaque(QStringLiteral("extent of ") + node.text, {})
                                    : evaluate(*node.extra[i]).form);
    }
    m_facts.arrays.push_back(
        {node.text, node.isShared ? MemorySpace::Shared : MemorySpace::Local, type, false, false, {}, {}, {}});
    if (node.child(0) && !node.isShared) {
        const Value initial = evaluate(*node.child(0));
        m_facts.arrays.back().contentLoads = initial.loads;
        m_facts.arrays.back().contentLinear = initial.linear;
    }
    m_scope.insert(node.text, value);
}

Value KernelWalk::merged(const Value &a, const Value &b, const QString &where)
{
    Value both = a;
    if (a.array >= 0 || b.array >= 0) return a.array >= 0 ? a : b;
    both.isFloating = a.isFloating || b.isFloating;
    both.loads.insert(b.loads.begin(), b.loads.end());
    both.linear.insert(b.linear.begin(), b.linear.end());
    both.products.insert(both.products.end(), b.products.begin(), b.products.end());
    if (a.form == b.form) return both;
    Dependence dependence = dependenceOf(a.form);
    dependence.add(dependenceOf(b.form));
    both.form = opaque(QStringLiteral("merge %1 %2 %3").arg(where, a.form.text(), b.form.text()), dependence);
    return both;
}

void KernelWalk::mergeScopes(const Scope &other, const Dependence &condition)
{
    for (auto it = other.cbegin(); it != other.cend(); ++it) {
        const auto mine = m_scope.find(it.key());
        if (mine == m_scope.end())
            m_scope.insert(it.key(), it.value());
        else if (!(mine->form == it->form) || mine->loads != it->loads || mine->array != it->array) {
            const QString name = it.key() + u' ' + QString::number(m_fresh++);
            *mine = merged(*mine, it.value(), name);
            if (!condition.data || mine->isFloating || mine->array >= 0) continue;
            Dependence dependence = dependenceOf(mine->form); // which of the two it is, data decided
            dependence.data = true;
            mine->form = opaque(QStringLiteral("decided ") + name, dependence);
        }
    }
}

void KernelWalk::branch(const Node &node)
{
    if (!node.child(0)) return;
    const Value condition = evaluate(*node.child(0));
    m_conditions.push_back(dependenceOf(condition.form));
    const Scope before = m_scope;
    const size_t start = m_facts.accesses.size();
    m_hasJumped = false;
    if (node.child(1)) execute(*node.child(1));
    const bool thenJumps = std::exchange(m_hasJumped, false);
    const size_t middle = m_facts.accesses.size();
    const Scope afterThen = m_scope;
    m_scope = before;
    if (node.child(2)) execute(*node.child(2));
    const bool elseJumps = std::exchange(m_hasJumped, false);
    m_conditions.pop_back();
    if (elseJumps)
        m_scope = afterThen;
    else if (!thenJumps)
        mergeScopes(afterThen, dependenceOf(condition.form));
    m_hasJumped = thenJumps && elseJumps;

    // What all threads decide alike, a flag in shared memory for instance, splits no warp.
    const bool varies =
        std::ranges::any_of(condition.loads, [&](int id) { return !m_facts.accesses[size_t(id)].varying.empty(); });
    if (!varies) return;
    // A branch on data is irregular when its sides touch different memory. The same places on both sides: a choice.
    const auto touched = [&](size_t from, size_t to) {
        std::set<std::pair<int, QString>> places;
        for (size_t i = from; i < to; ++i) {
            const Access &access = m_facts.accesses[i];
            const bool known = std::ranges::any_of(condition.loads, [&](int id) { // read for the condition already
                const Access &read = m_facts.accesses[size_t(id)];
                return !access.isWrite && read.array == access.array && read.index == access.index;
            });
            if (!known && m_facts.arrays[size_t(access.array)].space != MemorySpace::Local)
                places.insert({access.isWrite ? access.array + 1000 : access.array, access.index.text()});
        }
        return places;
    };
    if (touched(start, middle) != touched(middle, m_facts.accesses.size())) m_facts.branchesOnData = true;
    // if (mask[i] == 0) return;
    if (thenJumps && m_loopStack.empty() && m_callStack.size() == 1) m_facts.branchesOnData = true;
}

} // namespace kernelskill::expert
