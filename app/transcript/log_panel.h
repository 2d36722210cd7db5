// SPDX-License-Identifier: Apache-2.0
// The session's events in words, newest last; and the program's own notes.
#pragma once

#include "models/session_document.h"

#include <QPlainTextEdit>

namespace kernelskill {

[[nodiscard]] QString eventSentence(const Event &event); // empty: nothing to say

class LogPanel : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit LogPanel(SessionDocument *document, QWidget *parent = nullptr);
    void note(const QString &text);

private:
    void append(const Event &event);
    SessionDocument *m_document;
};

} // namespace kernelskill
