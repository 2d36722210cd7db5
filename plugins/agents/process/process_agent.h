// SPDX-License-Identifier: Apache-2.0
// Roles played by a program of the person's own, over JSON lines; README.md is its contract. The program is started at the
// first call and kept for the next ones, which come one at a time. A stop, a late answer and the agent's end end it with all
// it has started.
#pragma once

#include "base/delete_later.h"
#include "program.h"
#include "settings.h"

namespace kernelskill::process {

inline constexpr int protocolVersion = 1;

class ProcessAgent final : public Agent,
                           Generator,
                           FeatureExtractor,
                           Planner,
                           Optimizer,
                           Diagnoser,
                           Repairer,
                           Distiller
{
public:
    explicit ProcessAgent(QJsonObject settings); // see metadata.json
    ~ProcessAgent() override;

    // Errors: settings.value, agent.program.
    [[nodiscard]] Result<QJsonObject> prepare(const Task &task) override;
    Generator *generator() override { return mayPlay(Role::Generator) ? this : nullptr; }
    FeatureExtractor *featureExtractor() override { return mayPlay(Role::FeatureExtractor) ? this : nullptr; }
    Planner *planner() override { return mayPlay(Role::Planner) ? this : nullptr; }
    Optimizer *optimizer() override { return mayPlay(Role::Optimizer) ? this : nullptr; }
    Diagnoser *diagnoser() override { return mayPlay(Role::Diagnoser) ? this : nullptr; }
    Repairer *repairer() override { return mayPlay(Role::Repairer) ? this : nullptr; }
    Distiller *distiller() override { return mayPlay(Role::Distiller) ? this : nullptr; }

private:
    // What a call leaves for the transcript.
    struct Record
    {
        QByteArray log;
        QJsonArray messages;
        qsizetype messageBytes = 0;
    };

    QCoro::Task<Result<QList<CodeChange>>> generate(GenerateRequest request, RoleContext context) override;
    QCoro::Task<Result<Features>> extract(FeatureRequest request, RoleContext context) override;
    QCoro::Task<Result<Plan>> plan(PlanRequest request, RoleContext context) override;
    QCoro::Task<Result<CodeChange>> optimise(OptimizeRequest request, RoleContext context) override;
    QCoro::Task<Result<Diagnosis>> diagnose(DiagnoseRequest request, RoleContext context) override;
    QCoro::Task<Result<CodeChange>> repair(RepairRequest request, RoleContext context) override;
    QCoro::Task<Result<QString>> distil(DistillRequest request, RoleContext context) override;

    // The "result" of the program's answer. Errors: those of the program itself; agent.role, agent.died, agent.timeout,
    // agent.broken, agent.start; <role>.reply; run.stopped; process.hello where it never got as far as a hello, which ends the run.
    QCoro::Task<Result<QJsonObject>> call(Role role, QJsonObject request, RoleContext context);
    QCoro::Task<Result<void>> makeReady(std::stop_token stop, Record *record);
    QCoro::Task<Result<QJsonObject>> exchange(Role role, QJsonObject request, RoleContext context, Record *record);
    QCoro::Task<Result<Line>> nextLine(std::stop_token stop);
    QCoro::Task<void> passOn(QJsonValue question, Role role, RoleContext context);
    [[nodiscard]] Result<void> takeNotes(const QJsonObject &message, Role role, const RoleContext &context, Record &record) const;
    [[nodiscard]] Result<void> takeHello(const QJsonObject &hello);
    [[nodiscard]] std::unexpected<Error> fault(const QString &code, const QString &how) const;
    void endProgram(Record &record);
    void report(const Record &record, const RoleContext &context) const;
    [[nodiscard]] bool mayPlay(Role role) const;
    [[nodiscard]] QString title() const; // the command, for messages

    QJsonObject m_given;
    std::optional<Settings> m_settings; // once prepared
    LaterPointer<Program> m_program;
    QString m_name;             // of the hello
    QList<Role> m_roles;        // of the hello
    bool m_everGreeted = false; // a start that fails later is an accident, at first it is a wrong command
    qint64 m_id = 0;            // of the last request
};

} // namespace kernelskill::process
