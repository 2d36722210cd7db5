// SPDX-License-Identifier: Apache-2.0
// One role's talk with a model: a prompt made to fit, its reply, one correction or two. All of it goes into the
// transcript, with what was left out and what was made of it.
#pragma once

#include "client/client.h"
#include "roles/fit.h"
#include "roles/prompt.h"

namespace kernelskill::llm {

struct Material
{
    Fillings plain;     // short and our own words: declaration, number, …
    QString task;       // data, the same over a run
    QList<Part> parts;  // data, differs from call to call
    QJsonObject schema; // of the reply; empty: free text
};

class Exchange
{
public:
    // The client and prompts outlive it.
    Exchange(Client &client, const Prompt &common, const Prompt &prompt, Role role, RoleContext context);
    ~Exchange(); // reports what was said
    Exchange(const Exchange &) = delete;
    Exchange &operator=(const Exchange &) = delete;

    // The reply's text, whole: one that stopped at its limit was asked to go on. Errors: those of Client::ask, and
    // "agent.context" where even the least does not fit.
    QCoro::Task<Result<QString>> open(Material material);
    // The same talk goes on: what is wrong with the last reply, in words it can be mended by.
    QCoro::Task<Result<QString>> correct(QString what);
    // What was made of the last reply; for the transcript.
    void note(const QString &text);
    void note(const QStringList &texts);
    [[nodiscard]] const RoleContext &context() const { return m_call.context; }
    [[nodiscard]] Allowance left() const { return m_call.left(); }

private:
    [[nodiscard]] Result<QString> build(const Material &material);
    QCoro::Task<Result<QString>> turn();
    void say(const char *from, const QString &text);
    [[nodiscard]] qint64 room() const; // tokens for prompts

    Client &m_client;
    const Prompt &m_common, &m_prompt;
    Call m_call;
    Request m_request;
    double m_windowShare = 1; // of the window that is set: less once the model says it has less
    QJsonArray m_messages;
};

} // namespace kernelskill::llm
