// SPDX-License-Identifier: Apache-2.0
// Loads, stores, and calls: the functions of CUDA that matter, and the candidate's own.
#include "features/kernel_walk.h"

#include <QSet>

#include <algorithm>

namespace kernelskill::expert {

namespace {

using Kind = Node::Kind;

} // namespace

bool isTranscendental(const QString &function)
{
    static const QSet<QString> bases =
        setOf({"exp",   "exp2",   "exp10",   "expm1",   "log",        "log2",     "log10", "log1p", "sin",
               "cos",   "tan",    "sincos",  "sinpi",   "cospi",      "sincospi", "asin",  "acos",  "atan",
               "atan2", "sinh",   "cosh",    "tanh",    "asinh",      "acosh",    "atanh", "pow",   "erf",
               "erfc",  "erfinv", "erfcinv", "normcdf", "normcdfinv", "lgamma",   "tgamma"});
    QString name = function;
    while (name.startsWith(u'_'))
        name.remove(0, 1);
    if (name.startsWith(u'h') &&
        (bases.contains(name.mid(1)) || (name.startsWith(QLatin1String("h2")) && bases.contains(name.mid(2)))))
        return true;
    if (bases.contains(name)) return true;
    return name.endsWith(u'f') && bases.contains(name.chopped(1));
}

bool isTranscendentalAssembly(const QString &text)
{
    for (const char *instruction : {"ex2.", "lg2.", "sin.", "cos.", "tanh."}) {
        if (text.contains(QLatin1String(instruction))) return true;
    }
    return false;
}

Access KernelWalk::accessTo(const Value &pointer) const
{
    Access access;
    access.array = pointer.array;
    access.index = pointer.form;
    access.loops = m_loopStack;
    access.isIndexData = m_inHeader;
    access.isVector = isVectorLike(m_program, pointer.element) || pointer.unit > 1;
    access.isAligned = pointer.unit <= 1 || pointer.form.isDivisibleBy(pointer.unit);
    for (int atom : pointer.form.atoms()) {
        if (m_facts.atoms.at(atom).dependence.isVarying()) access.varying.insert(atom);
    }
    return access;
}

Value KernelWalk::load(const Value &pointer)
{
    Access access = accessTo(pointer);
    const ArrayFact &array = m_facts.arrays[size_t(pointer.array)];
    Value value;
    Dependence dependence = dependenceOf(pointer.form);
    dependence.data = true;
    if (array.space == MemorySpace::Local) {
        dependence.data = false;
        dependence.add(array.content);
        for (int one : array.contentLoads) {
            for (int atom : m_facts.accesses[size_t(one)].varying) {
                const std::set<int> &loops = m_facts.atoms.at(atom).dependence.loops;
                const bool current = std::ranges::all_of(
                    loops, [&](int loop) { return std::ranges::find(m_loopStack, loop) != m_loopStack.end(); });
                if (current) access.varying.insert(atom);
            }
        }
        value.loads = array.contentLoads;
    }
    const int id = int(m_facts.accesses.size());
    m_facts.accesses.push_back(access);
    value.loads.insert(id);
    value.linear = {id};
    value.isFloating = isFloatingType(pointer.element) || m_program.structs.contains(pointer.element);
    value.type = pointer.element;
    value.form = opaque(QStringLiteral("load %1[%2]").arg(pointer.array).arg(pointer.form.text()), dependence);
    return value;
}

void KernelWalk::store(const Value &pointer, const Value &value, bool atomic, bool compound)
{
    Access access = accessTo(pointer);
    access.isWrite = true;
    access.isAtomic = atomic;
    access.loads = value.loads;
    access.value = dependenceOf(value.form);
    ArrayFact &array = m_facts.arrays[size_t(pointer.array)];
    bool own = false, other = false, staged = false;
    std::set<QString> places;
    for (int one : value.loads) {
        const Access &source = m_facts.accesses[size_t(one)];
        const MemorySpace space = m_facts.arrays[size_t(source.array)].space;
        staged = staged || ((space == MemorySpace::Global || space == MemorySpace::Constant) && !source.isIndexData);
        if (source.array != pointer.array) continue;
        own = own || source.index == pointer.form;
        other = other || !(source.index == pointer.form);
        places.insert(source.index.text());
    }
    if (array.space == MemorySpace::Shared && !atomic) {
        array.isStaged = array.isStaged || (staged && !access.varying.empty()); // one cell is a broadcast, no tile
        // cells[t] = sum = sum + cells[t + s] combines too, with what the loop carries; a plain exchange of cells does
        // not.
        const std::set<int> atoms = value.form.atoms();
        const bool copies =
            atoms.size() == 1 && m_facts.atoms.at(*atoms.begin()).text.startsWith(QLatin1String("load "));
        const bool carries = other && !copies && !access.value.carried.empty();
        array.combinesItself = array.combinesItself || (own && other) || places.size() > 1 || carries;
    }
    if (array.space == MemorySpace::Local) {
        array.contentLoads.insert(value.loads.begin(), value.loads.end());
        array.contentLinear.insert(value.linear.begin(), value.linear.end());
        array.content.add(access.value);
    }
    std::vector<int> over; // loops that come back to the same cell
    const Dependence place = dependenceOf(pointer.form);
    for (int loop : m_loopStack) {
        if (!place.loops.contains(loop)) over.push_back(loop);
    }
    const bool again = compound || own;
    if (!over.empty() && again && array.space != MemorySpace::Global)
        noteAccumulation(value, false, over, compound && value.isFloating);
    if (!over.empty() && again && array.space == MemorySpace::Global && own) noteAccumulation(value, true, over, false);
    m_facts.accesses.push_back(access);
}

void KernelWalk::noteAccumulation(const Value &value, bool scalar, std::vector<int> loops, bool additive)
{
    Accumulation one;
    one.isScalar = scalar;
    one.loops = std::move(loops);
    one.loads = value.loads;
    one.products = value.products;
    one.isFromLoop = additive;
    for (int load : value.loads) {
        for (int atom : m_facts.accesses[size_t(load)].varying) {
            for (int loop : m_facts.atoms.at(atom).dependence.loops)
                one.isFromLoop = one.isFromLoop || std::ranges::find(one.loops, loop) != one.loops.end();
        }
    }
    m_facts.accumulations.push_back(std::move(one));
}

Value KernelWalk::call(const Node &node)
{
    if (!node.child(0)) return {};
    const QString &name = node.text;
    for (const QString &argument : node.templateArguments)
        noteType(argument);
    if (auto value = callOwn(node)) return *value;
    if (isTranscendental(name)) m_facts.usesTranscendentals = true;
    if (auto value = callMemory(name, node)) return *value;
    if (auto value = callGroup(name, node)) return *value;
    if (auto value = callArithmetic(name, node)) return *value;
    std::vector<Value> arguments;
    if (node.child(0)->kind != Kind::Name) arguments.push_back(evaluate(*node.child(0)));
    for (size_t i = 1; i < node.children.size(); ++i) {
        const Node &argument = *node.children[i];
        arguments.push_back(evaluate(argument));
        if (argument.kind != Kind::Unary || argument.text != u"&" || !argument.child(0)) continue;
        Value out = opaqueValue(QStringLiteral("out of %1 %2").arg(name).arg(m_fresh++), {&arguments.front()});
        out.isFloating = arguments.front().isFloating;
        assignTo(*argument.child(0), out, false); // sincosf(x, &s, &c)
    }
    std::vector<const Value *> parts;
    for (const Value &argument : arguments)
        parts.push_back(&argument);
    Value result = opaqueValue(name, parts);
    result.array = -1;
    return result;
}

// Functions, member functions, functors and lambdas of the candidate.
std::optional<Value> KernelWalk::callOwn(const Node &node)
{
    const Node &callee = *node.child(0);
    if (callee.kind == Kind::Name) {
        if (const auto object = m_scope.constFind(callee.text); object != m_scope.cend()) {
            if (object->lambda) return walkLambda(*object->lambda, node);
            const Value self = *object;
            if (const CodeFunction *function = m_program.find(QStringLiteral("operator()"), self.type))
                return walkFunction(*function, node, &self);
        }
        const CodeFunction *function =
            m_program.find(m_types.value(node.text, node.text)); // a template's argument, too
        if (!function && m_object) function = m_program.find(node.text, m_object->type);
        if (function) return walkFunction(*function, node, function->owner.isEmpty() ? nullptr : m_object);
        for (const CodeFunction &member : m_program.functions) { // Owner::function(…)
            if (!member.owner.isEmpty() && member.name == node.text && member.body)
                return walkFunction(member, node, nullptr);
        }
    } else if (callee.kind == Kind::Member && callee.child(0)) {
        const Value self =
            callee.child(0)->kind == Kind::Name ? m_scope.value(callee.child(0)->text) : evaluate(*callee.child(0));
        if (const CodeFunction *function = m_program.find(node.text, self.type.isEmpty() ? self.element : self.type))
            return walkFunction(*function, node, &self);
    } else if (callee.kind == Kind::List || callee.kind == Kind::Cast) { // Op{}(x)
        if (const CodeFunction *function = m_program.find(QStringLiteral("operator()"), plain(callee.type)))
            return walkFunction(*function, node, nullptr);
    }
    return std::nullopt;
}

Value KernelWalk::walkFunction(const CodeFunction &function, const Node &node, const Value *object)
{
    if (m_callStack.size() > 8 || m_callStack.contains(function.owner + QStringLiteral("::") + function.name))
        return {};
    const Scope caller = m_scope;
    const QHash<QString, QString> types = m_types;
    Scope inside;
    for (const NodePtr &global : m_program.globals) {
        if (caller.contains(global->text)) inside.insert(global->text, caller.value(global->text));
    }
    for (qsizetype i = 0; i < function.templateParameters.size(); ++i) {
        const QString &name = function.templateParameters.at(i);
        const QString argument = node.templateArguments.value(i);
        if (argument.isEmpty()) continue;
        m_types.insert(name, types.value(argument, argument));
        bool isNumber = false;
        Value value = caller.value(argument);
        if (const double number = argument.toDouble(&isNumber); isNumber) value.form = Polynomial::constant(number);
        if (isNumber || caller.contains(argument)) inside.insert(name, value);
    }
    for (qsizetype i = 0; i < function.parameters.size(); ++i) {
        const CodeParameter &parameter = function.parameters.at(i);
        if (size_t(i) + 1 >= node.children.size()) break;
        noteType(parameter.type);
        const Node &argument = *node.children[size_t(i) + 1];
        Value value;
        if (const auto target = parameter.type.contains(u'&') ? place(argument) : std::nullopt) {
            value = *target; // a reference to an element, or to an array
            value.isReference = target->extents.empty();
        } else {
            value = evaluate(argument);
        }
        if (value.type.isEmpty()) value.type = plain(parameter.type);
        inside.insert(parameter.name, value);
    }
    const Value *outerObject = std::exchange(m_object, object);
    std::vector<Value> outerReturns = std::exchange(m_returns, {});
    const bool outerHeader = std::exchange(m_inHeader, false);
    m_scope = inside;
    m_callStack.append(function.owner + QStringLiteral("::") + function.name);
    execute(*function.body);
    m_callStack.removeLast();
    m_hasJumped = false;
    const Scope finished = std::exchange(m_scope, caller);
    m_inHeader = outerHeader;
    m_object = outerObject;
    m_types = types;
    Value result;
    const std::vector<Value> returns = std::exchange(m_returns, std::move(outerReturns));
    for (size_t i = 0; i < returns.size(); ++i)
        result = i == 0 ? returns[0] : merged(result, returns[i], QStringLiteral("return %1").arg(m_fresh++));
    for (qsizetype i = 0; i < function.parameters.size(); ++i) {
        const CodeParameter &parameter = function.parameters.at(i);
        const bool out = parameter.type.contains(u'&') && !parameter.type.contains(QLatin1String("const"));
        if (!out || size_t(i) + 1 >= node.children.size()) continue;
        const Value value = finished.value(parameter.name);
        if (value.array < 0) assignTo(*node.children[size_t(i) + 1], value, false);
    }
    return result;
}

Value KernelWalk::walkLambda(const Node &lambda, const Node &node)
{
    if (m_callStack.size() > 8 || m_callStack.count(QStringLiteral("lambda")) > 3 || lambda.children.empty()) return {};
    const Scope caller = m_scope;
    for (size_t i = 0; i + 1 < lambda.children.size(); ++i) {
        noteType(lambda.children[i]->type);
        if (i + 1 < node.children.size()) m_scope.insert(lambda.children[i]->text, evaluate(*node.children[i + 1]));
    }
    std::vector<Value> outerReturns = std::exchange(m_returns, {});
    m_callStack.append(QStringLiteral("lambda"));
    execute(*lambda.children.back());
    m_callStack.removeLast();
    m_hasJumped = false;
    Value result = m_returns.empty() ? Value() : m_returns.back();
    m_returns = std::move(outerReturns);
    for (size_t i = 0; i + 1 < lambda.children.size(); ++i) {
        const QString &name = lambda.children[i]->text;
        if (caller.contains(name))
            m_scope.insert(name, caller.value(name));
        else
            m_scope.remove(name);
    }
    return result;
}

void KernelWalk::copyElements(const Node &to, const Node &from, const Node *size)
{
    Value target = evaluate(to), source = evaluate(from);
    const double bytes = size ? evaluate(*size).form.asConstant().value_or(0) : 0;
    if (source.array < 0) return;
    const int width = bytesOfType(m_facts.arrays[size_t(source.array)].element);
    if (width > 0 && bytes > width && bytes <= 16) {
        source.unit = bytes / width;
        target.unit = source.unit;
    }
    const Value value = load(source);
    if (target.array >= 0) store(target, value, false, false);
}

std::optional<Value> KernelWalk::callMemory(const QString &name, const Node &node)
{
    static const QSet<QString> loads = setOf({"__ldg", "__ldcs", "__ldcg", "__ldca", "__ldlu", "__ldcv"});
    static const QSet<QString> stores = setOf({"__stcs", "__stcg", "__stwb", "__stwt"});
    const size_t count = node.children.size() - 1;
    if (loads.contains(name) && count >= 1) {
        const Value pointer = evaluate(*node.children[1]);
        return pointer.array >= 0 ? load(pointer) : pointer;
    }
    if (stores.contains(name) && count >= 2) {
        const Value pointer = evaluate(*node.children[1]), value = evaluate(*node.children[2]);
        if (pointer.array >= 0) store(pointer, value, false, false);
        return Value();
    }
    if (name.startsWith(QLatin1String("atomic")) && count >= 2) {
        const Value pointer = evaluate(*node.children[1]);
        const Value value = evaluate(*node.children[count]);
        if (pointer.array >= 0) store(pointer, value, true, false);
        Value old = opaqueValue(QStringLiteral("old %1").arg(m_fresh++), {});
        Dependence dependence;
        dependence.data = true;
        dependence.thread = true;
        old.form = opaque(QStringLiteral("old value %1").arg(m_fresh++), dependence);
        return old;
    }
    if (name == u"__pipeline_memcpy_async" && count >= 3) {
        copyElements(*node.children[1], *node.children[2], node.children[3].get());
        return Value();
    }
    if (name == u"memcpy_async" && count >= 4) {
        copyElements(*node.children[2], *node.children[3], nullptr);
        return Value();
    }
    if (name == u"load_matrix_sync" && count >= 2) {
        const Value pointer = evaluate(*node.children[2]);
        if (pointer.array >= 0) assignTo(*node.children[1], load(pointer), false);
        return Value();
    }
    if (name == u"store_matrix_sync" && count >= 2) {
        const Value pointer = evaluate(*node.children[1]);
        if (pointer.array >= 0) store(pointer, evaluate(*node.children[2]), false, false);
        return Value();
    }
    if (name == u"mma_sync" || name == u"bmma_sync") {
        m_facts.usesTensorCores = true;
        return Value();
    }
    return std::nullopt;
}

// Warps and groups of threads.
std::optional<Value> KernelWalk::callGroup(const QString &name, const Node &node)
{
    const bool member = node.child(0)->kind == Kind::Member;
    const bool exchange = name.startsWith(QLatin1String("__shfl_")) || name.startsWith(QLatin1String("__reduce_")) ||
                          name.startsWith(QLatin1String("__ballot")) ||
                          (member && (name.startsWith(QLatin1String("shfl_")) || name == u"ballot")) ||
                          name == u"reduce" || name == u"inclusive_scan" || name == u"exclusive_scan";
    if (exchange) {
        if (name != u"__shfl_sync") m_facts.exchangesInWarp = true;
        Value all;
        std::vector<Value> arguments;
        for (size_t i = 1; i < node.children.size(); ++i)
            arguments.push_back(evaluate(*node.children[i]));
        std::vector<const Value *> parts;
        for (const Value &argument : arguments)
            parts.push_back(&argument);
        all = opaqueValue(name, parts);
        if (name.contains(QLatin1String("ballot"))) {
            all.isFloating = false;
            return all;
        }
        all.loads.clear();
        return all;
    }
    if (!member) return std::nullopt;
    if (name == u"thread_rank" || name == u"meta_group_rank" || name == u"block_rank" || name == u"thread_index" ||
        name == u"group_index") {
        const QString object = node.child(0)->child(0) && node.child(0)->child(0)->kind == Kind::Name
                                   ? node.child(0)->child(0)->text
                                   : QStringLiteral("group");
        Dependence dependence;
        dependence.thread = name != u"group_index" && name != u"block_rank";
        dependence.block = !dependence.thread || object.contains(QLatin1String("grid"), Qt::CaseInsensitive);
        Value value;
        value.form = opaque(object + u'.' + name, dependence);
        return value;
    }
    if (name == u"size" || name == u"num_threads" || name == u"num_blocks" || name == u"meta_group_size") {
        Value value;
        value.form = Polynomial::atom(m_facts.atoms.intern(QStringLiteral("group ") + name, {}, 0, true));
        return value;
    }
    return std::nullopt;
}

std::optional<Value> KernelWalk::callArithmetic(const QString &name, const Node &node)
{
    static const QSet<QString> fused = setOf({"fmaf", "fma", "__fmaf_rn", "__hfma", "__hfma2", "__fma_rn", "mad24"});
    static const QSet<QString> extremes = setOf({"min", "max", "fmin", "fmax", "fminf", "fmaxf", "umin", "umax",
                                                 "__hmax", "__hmin", "__hmax2", "__hmin2", "clamp"});
    static const QHash<QString, QString> operators = {
        {QStringLiteral("__hmul"), QStringLiteral("*")},     {QStringLiteral("__hmul2"), QStringLiteral("*")},
        {QStringLiteral("__hadd"), QStringLiteral("+")},     {QStringLiteral("__hadd2"), QStringLiteral("+")},
        {QStringLiteral("__hsub"), QStringLiteral("-")},     {QStringLiteral("__hsub2"), QStringLiteral("-")},
        {QStringLiteral("__fmul_rn"), QStringLiteral("*")},  {QStringLiteral("__fadd_rn"), QStringLiteral("+")},
        {QStringLiteral("__fsub_rn"), QStringLiteral("-")},  {QStringLiteral("__mul24"), QStringLiteral("*")},
        {QStringLiteral("__fdividef"), QStringLiteral("/")}, {QStringLiteral("fdividef"), QStringLiteral("/")}};
    const size_t count = node.children.size() - 1;
    if ((fused.contains(name) || name == u"__dp4a") && count == 3) {
        const Value a = evaluate(*node.children[1]), b = evaluate(*node.children[2]), c = evaluate(*node.children[3]);
        m_facts.hasPackedProduct = m_facts.hasPackedProduct || name == u"__dp4a";
        return arithmetic(QStringLiteral("+"), c, arithmetic(QStringLiteral("*"), a, b));
    }
    if (operators.contains(name) && count == 2)
        return arithmetic(operators.value(name), evaluate(*node.children[1]), evaluate(*node.children[2]));
    if (extremes.contains(name) && count >= 2) {
        const Value a = evaluate(*node.children[1]), b = evaluate(*node.children[2]);
        Value result = arithmetic(QStringLiteral("+"), a, b); // for what it was made of
        result.form = opaqueValue(name, {&a, &b}).form;
        const bool aVaries = dependenceOf(a.form).isVarying(), bVaries = dependenceOf(b.form).isVarying();
        // A clamped index is still the index.
        if (!result.isFloating && aVaries != bVaries && result.loads.empty()) result.form = aVaries ? a.form : b.form;
        return result;
    }
    const bool converts = name.startsWith(QLatin1String("make_")) || name.contains(QLatin1String("2float")) ||
                          name.contains(QLatin1String("float2")) || name.contains(QLatin1String("2half")) ||
                          name.contains(QLatin1String("2bfloat")) || name.contains(QLatin1String("half2_r")) ||
                          name.startsWith(QLatin1String("__low")) || name.startsWith(QLatin1String("__high")) ||
                          name == u"__halves2half2" || name.startsWith(QLatin1String("__int_as_")) ||
                          name.startsWith(QLatin1String("__float_as_")) || name == u"move" || name == u"conj";
    if (!converts || count == 0) return std::nullopt;
    if (name.startsWith(QLatin1String("make_"))) noteType(name.mid(5));
    Value result = evaluate(*node.children[1]);
    for (size_t i = 2; i < node.children.size(); ++i)
        result = arithmetic(QStringLiteral("+"), result, evaluate(*node.children[i]));
    result.isFloating = true;
    result.form = opaqueValue(name, {&result}).form;
    return result;
}

Value KernelWalk::assembly(const Node &node)
{
    if (isTranscendentalAssembly(node.text)) m_facts.usesTranscendentals = true;
    if (node.text.contains(QLatin1String("mma"))) m_facts.usesTensorCores = true;
    std::vector<Value> operands;
    for (const NodePtr &child : node.children)
        operands.push_back(evaluate(*child));
    std::vector<const Value *> parts;
    for (const Value &operand : operands)
        parts.push_back(&operand);
    const Value result = opaqueValue(QStringLiteral("asm %1").arg(m_fresh++), parts);
    if (!node.children.empty()) assignTo(*node.children.front(), result, false);
    return {};
}

} // namespace kernelskill::expert
