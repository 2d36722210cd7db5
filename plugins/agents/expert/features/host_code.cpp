// SPDX-License-Identifier: Apache-2.0
#include "features/host_code.h"

#include <QSet>

#include <algorithm>

namespace kernelskill::expert {

namespace {

using Kind = Node::Kind;

bool isLaunchCall(const Node &node)
{
    return node.kind == Kind::Call &&
           (node.text.startsWith(QLatin1String("cudaLaunchKernel")) || node.text == u"cudaLaunchCooperativeKernel");
}

// (void *)kernel, &kernel, kernel<256>
const Node *nameIn(const Node *node)
{
    while (node && node->kind != Kind::Name)
        node = node->kind == Kind::Cast || node->kind == Kind::Unary ? node->child(0) : nullptr;
    return node;
}

class HostWalk
{
public:
    HostWalk(const CodeProgram &program, const QString &entry) : m_program(program)
    {
        m_result.launches = ofFunction(entry).launches;
        if (m_result.kernels.empty() || m_unknownKernel) {
            for (const CodeFunction &function : program.functions) {
                const bool known = std::ranges::any_of(
                    m_result.kernels, [&](const LaunchedKernel &one) { return one.kernel == &function; });
                if (function.isKernel && function.body && !known) m_result.kernels.push_back({&function, {}});
            }
        }
    }
    HostFacts result() { return std::move(m_result); }

private:
    struct Path
    {
        int launches = 0;
        bool returns = false;
    };

    Path ofFunction(const QString &name)
    {
        if (const auto known = m_known.constFind(name); known != m_known.cend()) return {*known, false};
        m_known.insert(name, 0); // recursion ends here
        int most = 0;
        for (const CodeFunction &function : m_program.functions) {
            if (function.name != name || function.isKernel || !function.body) continue;
            if (function.isDevice) continue;
            const CodeFunction *outer = std::exchange(m_function, &function);
            notice(*function.body);
            most = std::max(most, ofNode(*function.body).launches);
            m_function = outer;
        }
        m_known.insert(name, most);
        return {most, false};
    }

    Path ofBlock(const std::vector<NodePtr> &statements, size_t from)
    {
        Path total;
        for (size_t i = from; i < statements.size(); ++i) {
            const Node &one = *statements[i];
            const Path path = ofNode(one);
            if (one.kind == Kind::If && !one.child(2) && path.returns) { // either this, or what follows
                const Path rest = ofBlock(statements, i + 1);
                return {total.launches + std::max(path.launches, rest.launches), rest.returns};
            }
            total.launches += path.launches;
            if (path.returns) return {total.launches, true};
        }
        return total;
    }

    Path ofSwitch(const Node &body)
    {
        int most = 0, now = 0;
        for (const NodePtr &child : body.children) {
            if (child->kind == Kind::Case) continue;
            now += ofNode(*child).launches;
            most = std::max(most, now);
            if (child->kind == Kind::Jump || child->kind == Kind::Return) now = 0;
        }
        return {most, false};
    }

    Path ofNode(const Node &node)
    {
        switch (node.kind) {
        case Kind::Block:
            return ofBlock(node.children, 0);
        case Kind::If: {
            const int condition = node.child(0) ? ofNode(*node.child(0)).launches : 0;
            const Path yes = node.child(1) ? ofNode(*node.child(1)) : Path();
            const Path no = node.child(2) ? ofNode(*node.child(2)) : Path();
            return {condition + std::max(yes.launches, no.launches), yes.returns && (no.returns || !node.child(2))};
        }
        case Kind::For:
        case Kind::While:
        case Kind::DoWhile: {
            int inside = 0;
            for (const NodePtr &child : node.children)
                inside += child ? ofNode(*child).launches : 0;
            return {inside > 0 ? std::max(2, inside) : 0, false};
        }
        case Kind::Switch:
            return node.child(1) ? ofSwitch(*node.child(1)) : Path();
        case Kind::Conditional:
            return {std::max(node.child(1) ? ofNode(*node.child(1)).launches : 0,
                             node.child(2) ? ofNode(*node.child(2)).launches : 0),
                    false};
        case Kind::Lambda:
            return {};
        case Kind::Launch:
            noticeLaunch(node);
            return {1, false};
        default:
            break;
        }
        Path path;
        for (const NodePtr &child : node.children)
            path.launches += child ? ofNode(*child).launches : 0;
        path.returns = node.kind == Kind::Return;
        if (isLaunchCall(node)) {
            noticeLaunchCall(node);
            ++path.launches;
        } else if (node.kind == Kind::Call) {
            if (const Node *lambda = m_lambdas.value(node.text); lambda && !lambda->children.empty())
                path.launches += ofNode(*lambda->children.back()).launches;
            else
                path.launches += ofFunction(node.text).launches;
        }
        return path;
    }

    // What the whole function says, wherever it stands.
    void notice(const Node &body)
    {
        static const QSet<QString> blocking =
            setOf({"cudaMalloc", "cudaFree", "cudaMemcpy", "cudaMemset", "cudaMemcpy2D", "cudaMemcpyToSymbol",
                   "cudaMemcpyFromSymbol", "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
                   "cudaThreadSynchronize", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaFreeHost",
                   "cudaStreamQuery", "cudaEventQuery", "cudaMallocPitch", "cudaDeviceReset"});
        forEachNode(body, [&](const Node &node) {
            if (node.kind == Kind::Declaration && node.child(0) && node.child(0)->kind == Kind::Lambda)
                m_lambdas.insert(node.text, node.child(0));
            if (node.kind == Kind::Declaration) m_locals.insert(node.text, &node);
            if (node.kind == Kind::Call && blocking.contains(node.text)) m_result.isCapturable = false;
            const size_t arguments = node.children.empty() ? 0 : node.children.size() - 1;
            if (node.kind == Kind::Call && ((node.text == u"cudaMemsetAsync" && arguments < 4) ||
                                            (node.text == u"cudaMemcpyAsync" && arguments < 5)))
                m_result.isCapturable = false;
            if (node.kind == Kind::Binary && node.child(1) && node.child(1)->kind == Kind::Number) {
                const QString &width = node.child(1)->text;
                if (node.text == u"%" && (width == u"2" || width == u"4" || width == u"8" || width == u"16"))
                    m_result.guardsAlignment = true;
                if (node.text == u"&" && (width == u"1" || width == u"3" || width == u"7" || width == u"15"))
                    m_result.guardsAlignment = true;
            }
        });
    }

    [[nodiscard]] static bool isOwnStream(const Node *stream)
    {
        if (!stream) return false;
        if (stream->kind == Kind::Number) return false;
        const Node *name = nameIn(stream);
        return !name || (name->text != u"nullptr" && name->text != u"NULL" && name->text != u"cudaStreamLegacy" &&
                         name->text != u"cudaStreamDefault");
    }

    void noticeLaunch(const Node &node)
    {
        const Node *stream = node.extra.size() >= 4 ? node.extra[3].get() : nullptr;
        if (!isOwnStream(stream)) m_result.isCapturable = false;
        const CodeFunction *kernel = kernelNamed(node.text);
        if (!kernel) {
            m_unknownKernel = true;
            return;
        }
        LaunchedKernel made{kernel, {}};
        made.binding.templateArguments = node.templateArguments;
        for (size_t i = 0; i < node.children.size() && qsizetype(i) < kernel->parameters.size(); ++i)
            bindArgument(made, kernel->parameters.at(qsizetype(i)), *node.children[i]);
        add(std::move(made));
    }

    void noticeLaunchCall(const Node &node)
    {
        const bool extended = node.text == u"cudaLaunchKernelEx" || node.text == u"cudaLaunchKernelExC";
        const Node *function = nameIn(node.child(extended ? 2 : 1));
        if (!extended && !isOwnStream(node.child(6))) m_result.isCapturable = false;
        const CodeFunction *kernel = function ? kernelNamed(function->text) : nullptr;
        if (!kernel) {
            m_unknownKernel = true;
            return;
        }
        LaunchedKernel made{kernel, {}};
        made.binding.templateArguments = function->templateArguments;
        add(std::move(made));
    }

    [[nodiscard]] const CodeFunction *kernelNamed(const QString &name) const
    {
        const CodeFunction *found = m_program.find(name);
        return found && found->isKernel ? found : nullptr;
    }

    [[nodiscard]] QString typeOf(const Node &argument) const
    {
        if (argument.kind == Kind::Cast || argument.kind == Kind::List) return argument.type;
        if (argument.kind == Kind::Call && m_program.structs.contains(argument.text)) return argument.text;
        if (argument.kind != Kind::Name) return {};
        if (const Node *local = m_locals.value(argument.text)) {
            if (local->type != u"auto" || !local->child(0)) return local->type;
            return typeOf(*local->child(0));
        }
        if (m_function) {
            for (const CodeParameter &parameter : m_function->parameters) {
                if (parameter.name == argument.text) return parameter.type;
            }
        }
        return {};
    }

    void bindArgument(LaunchedKernel &made, const CodeParameter &parameter, const Node &argument)
    {
        const QString type = typeOf(argument);
        if (!type.isEmpty()) made.binding.argumentTypes.insert(parameter.name, m_program.plainType(type));
        const Node *lambda = argument.kind == Kind::Lambda ? &argument
                             : argument.kind == Kind::Name ? m_lambdas.value(argument.text)
                                                           : nullptr;
        if (lambda) made.binding.argumentLambdas.insert(parameter.name, lambda);
        // T from "const T *x" and what is passed for x.
        const qsizetype index = made.kernel->templateParameters.indexOf(m_program.plainType(parameter.type));
        if (index < 0 || type.isEmpty()) return;
        while (made.binding.templateArguments.size() <= index)
            made.binding.templateArguments.append(QString());
        if (made.binding.templateArguments.at(index).isEmpty())
            made.binding.templateArguments[index] = m_program.plainType(type);
    }

    void add(LaunchedKernel made)
    {
        int same = 0;
        for (const LaunchedKernel &one : m_result.kernels) {
            if (one.kernel != made.kernel) continue;
            if (one.binding.templateArguments == made.binding.templateArguments &&
                one.binding.argumentLambdas == made.binding.argumentLambdas)
                return;
            ++same;
        }
        if (same < 4) m_result.kernels.push_back(std::move(made));
    }

    const CodeProgram &m_program;
    HostFacts m_result;
    QHash<QString, int> m_known;
    QHash<QString, const Node *> m_lambdas, m_locals;
    const CodeFunction *m_function = nullptr;
    bool m_unknownKernel = false;
};

} // namespace

HostFacts hostFactsOf(const CodeProgram &program, const QString &entry)
{
    return HostWalk(program, entry).result();
}

} // namespace kernelskill::expert
