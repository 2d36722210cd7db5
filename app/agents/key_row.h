// SPDX-License-Identifier: Apache-2.0
// Which key would be used for an agent's service and where it comes from; a new one into the keychain or for this session
// only, and out again. A key is never shown: four characters of a long one, to tell two apart. UI thread.
#pragma once

#include "agents/key_place.h"
#include "base/result.h"

#include <QCoroTask>
#include <QPointer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QTimer;

namespace kernelskill {

class ToneLabel;

class KeyRow : public QWidget
{
    Q_OBJECT
public:
    explicit KeyRow(QWidget *parent = nullptr);
    void setPlace(const KeyPlace &place); // and looks, when nobody goes on typing an address
    void lookAgain();
    [[nodiscard]] QString stateText() const;
    [[nodiscard]] QLineEdit *edit() const { return m_edit; }

Q_SIGNALS:
    void changed(); // a key came or went

private:
    enum class Doing { Store, Forget };
    static QCoro::Task<void> look(QPointer<KeyRow> row, KeyPlace place, int turn);
    static QCoro::Task<void> change(QPointer<KeyRow> row, QString origin, Doing what, QString key);
    void keepForSession();
    void say(const QString &state, const QString &note, bool trouble = false);
    void enableButtons();

    KeyPlace m_place;
    QTimer *m_pause;
    int m_turn = 0; // of looking: an answer to an earlier one is dropped
    bool m_found = false, m_busy = false;
    QLabel *m_title, *m_state;
    ToneLabel *m_note;
    QLineEdit *m_edit;
    QPushButton *m_store, *m_session, *m_forget;
};

} // namespace kernelskill
