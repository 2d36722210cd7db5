// SPDX-License-Identifier: Apache-2.0
// The search line of the tool bar: what is typed is looked for among all that can be reached, and carried out. The list
// hangs below the line as long as it has the focus.
#pragma once

#include "models/palette_model.h"

#include <QLineEdit>

class QListView;

namespace kernelskill {

class PaletteLine : public QLineEdit
{
    Q_OBJECT
public:
    explicit PaletteLine(QWidget *parent = nullptr);
    ~PaletteLine() override;

    // Asked each time the list opens.
    void setSource(std::function<QList<PaletteEntry>()> source) { m_source = std::move(source); }
    void open();
    [[nodiscard]] PaletteModel *model() const { return m_model; }
    [[nodiscard]] QListView *list() const { return m_list; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void showList();
    void accept(const QModelIndex &index);
    void moveBy(int rows);

    PaletteModel *m_model;
    QListView *m_list;
    std::function<QList<PaletteEntry>()> m_source;
};

} // namespace kernelskill
