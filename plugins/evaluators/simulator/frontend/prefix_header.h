// SPDX-License-Identifier: Apache-2.0
// cuda_runtime.h, precompiled once for each compiler, so that a candidate's compilation does not parse it again: that
// is half of the time a small candidate takes.
#pragma once

#include "base/result.h"
#include "frontend/installation.h"
#include "task/candidate.h"

#include <QCoroTask>
#include <QStringList>

#include <stop_token>

namespace kernelskill::simulator {

class PrefixHeader
{
public:
    enum class Pass { Device, Host };
    PrefixHeader(const Installation &installation, const Compiler &compiler);

    [[nodiscard]] QString folder() const { return m_folder; }
    // Path of the precompiled header for a pass; made when it is missing. Empty when it cannot be made: the plain
    // header serves as well. `flags` are the flags of the pass without files; the precompiled header fits no others.
    [[nodiscard]] QCoro::Task<QString> ensure(Pass pass, QStringList flags, bool unconfined,
                                              std::stop_token stop) const;
    // After a compiler refused one (a header it depends on changed under it).
    void remove() const;
    // Whether a compiler's output complains about a precompiled header.
    [[nodiscard]] static bool isRefused(const QString &output);
    // Whether a candidate is simple enough for it: the compiler confuses host and device overloads of operator new,
    // which most of the standard library brings, across a precompiled header. Only headers known to do without may be
    // included.
    [[nodiscard]] static bool suits(const Candidate &candidate);

private:
    QString m_folder;
    QString m_headers, m_program;
};

} // namespace kernelskill::simulator
