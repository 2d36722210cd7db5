// SPDX-License-Identifier: Apache-2.0
// What a session's calls to models took: one line, under which a table by role unfolds. Not there where no model was asked.
#pragma once

#include "models/usage_model.h"

#include <QWidget>

class QTableView;
class QToolButton;

namespace kernelskill {

class ElidedLabel;

class UsageStrip : public QWidget
{
    Q_OBJECT
public:
    explicit UsageStrip(SessionDocument *document, QWidget *parent = nullptr);
    [[nodiscard]] UsageModel *model() const { return m_model; }
    void setUnfolded(bool unfolded);
    void copyCsv();

private:
    void refresh();

    UsageModel *m_model;
    ElidedLabel *m_line;
    QToolButton *m_fold;
    QTableView *m_table;
};

} // namespace kernelskill
