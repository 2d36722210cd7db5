// SPDX-License-Identifier: Apache-2.0
// Walks a kernel once, statement by statement, with symbolic values: what is known of a variable is its polynomial, the
// loads it was made of, and the loop-carried variables it depends on. Device functions are walked where they are
// called. Loops are walked once: what changes in them becomes a term of the loop's counter where it grows by a fixed
// step, and an unknown that remembers its variable otherwise.
#pragma once

#include "features/kernel_facts.h"

namespace kernelskill::expert {

struct Value
{
    Polynomial form;
    bool isFloating = false;
    bool comparesFloating = false;
    std::set<int> loads;
    std::set<int> linear; // the loads that enter as they are, scaled or added
    std::vector<Product> products;
    // Pointers, arrays and references to elements
    int array = -1;
    QString element;
    double unit = 1; // elements of the array in one step of the pointer
    std::vector<Polynomial> extents;
    bool isReference = false; // a name for the element itself
    bool isTable = false;     // an array of pointers: which of them does not matter
    // Objects
    QString type;
    QString path; // of a parameter: "A", "A.inner"
    const Node *lambda = nullptr;
};

class KernelWalk
{
public:
    KernelWalk(const CodeProgram &program, const CodeFunction &kernel, const KernelBinding &binding);
    KernelFacts run();

private:
    using Scope = QHash<QString, Value>;

    // Statements: kernel_walk.cpp and kernel_walk_loops.cpp
    void bindParameters(const KernelBinding &binding);
    void bindGlobals();
    void execute(const Node &node);
    void executeBlock(const Node &node);
    void declare(const Node &node);
    Value unknownPointer(const Node &node, const QString &type);
    void declareArray(const Node &node, const QString &plain, Value value);
    void branch(const Node &node);
    void loop(const Node *init, const Node *condition, const Node *step, const Node *body);
    void enterLoop(int loop, const std::set<QString> &names, const Node *step, const Node *body);
    void readTrips(int loop, const Node *init, const Node *condition);
    void noticeRemainder(const Node &block);
    [[nodiscard]] std::set<QString> assignedIn(const Node *node) const;
    [[nodiscard]] std::optional<Value> stepOf(const QString &name, const std::set<QString> &changing, const Node *step,
                                              const Node *body);
    void mergeScopes(const Scope &other, const Dependence &condition);
    [[nodiscard]] Value merged(const Value &a, const Value &b, const QString &where);

    // Expressions: kernel_walk_expressions.cpp
    Value evaluate(const Node &node);
    Value evaluateName(const Node &node);
    Value evaluateNumber(const QString &text) const;
    Value evaluateMember(const Node &node);
    Value evaluateSubscript(const Node &node);
    Value evaluateUnary(const Node &node);
    Value evaluateBinary(const Node &node);
    Value evaluateConditional(const Node &node);
    Value evaluateCast(const Node &node);
    Value evaluateList(const Node &node);
    Value assign(const Node &node);
    void assignTo(const Node &target, const Value &value, bool additive);
    void assignName(const QString &name, Value value, bool additive);
    Value arithmetic(const QString &op, const Value &a, const Value &b);
    Polynomial integerForm(const QString &op, const Polynomial &a, const Polynomial &b);
    [[nodiscard]] Polynomial unwrapped(const Polynomial &a, const Polynomial &modulus) const;
    void compare(const Value &a, const Value &b);
    std::optional<Value> place(const Node &node); // pointer to the element an lvalue names
    std::optional<Value> placeOfMember(const Node &node);
    [[nodiscard]] Value objectAt(const QString &path, const QString &type);

    // Memory and calls: kernel_walk_memory.cpp
    Value load(const Value &pointer);
    void store(const Value &pointer, const Value &value, bool atomic, bool compound);
    Access accessTo(const Value &pointer) const;
    void noteAccumulation(const Value &value, bool scalar, std::vector<int> loops, bool additive);
    Value call(const Node &node);
    std::optional<Value> callOwn(const Node &node);
    std::optional<Value> callMemory(const QString &name, const Node &node);
    std::optional<Value> callArithmetic(const QString &name, const Node &node);
    std::optional<Value> callGroup(const QString &name, const Node &node);
    Value walkFunction(const CodeFunction &function, const Node &node, const Value *object);
    Value walkLambda(const Node &lambda, const Node &node);
    Value assembly(const Node &node);
    void copyElements(const Node &to, const Node &from, const Node *size);

    [[nodiscard]] Dependence dependenceOf(const Polynomial &form) const;
    [[nodiscard]] Polynomial opaque(const QString &text, const Dependence &dependence, double extent = 0);
    [[nodiscard]] Value opaqueValue(const QString &text, const std::vector<const Value *> &parts);
    [[nodiscard]] QString plain(const QString &type) const { return m_program.plainType(type, m_types); }
    void noteType(const QString &type);

    const CodeProgram &m_program;
    const CodeFunction &m_kernel;
    KernelFacts m_facts;
    Scope m_scope;
    QHash<QString, Value> m_fields;  // of parameter structs, by path
    QHash<QString, QString> m_types; // template parameters
    std::vector<int> m_loopStack;
    std::vector<Dependence> m_conditions;
    struct Carried
    {
        QString name;
        int loop;
    };
    std::vector<Carried> m_carried;
    std::vector<Value> m_returns;
    const Value *m_object = nullptr; // of the member function being walked
    QStringList m_callStack;
    bool m_inHeader = false;
    bool m_hasJumped = false;
    int m_steps = 0;
    int m_fresh = 0;
};

} // namespace kernelskill::expert
