// SPDX-License-Identifier: Apache-2.0
#include "agents/key_row.h"

#include "secrets/secrets.h"
#include "settings/theme.h"
#include "settings/tone_label.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int pauseBeforeLooking_ms = 300;
constexpr qsizetype leastForItsEnd = 16; // characters; of a shorter key nothing is shown

QString foundText(const secrets::Secret &secret)
{
    if (secret.value.size() < leastForItsEnd) return secret.from;
    return KeyRow::tr("%1, ends with %2").arg(secret.from, secret.value.right(4));
}

QString sentence(QString text)
{
    text = secrets::redacted(text);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

} // namespace

KeyRow::KeyRow(QWidget *parent)
    : QWidget(parent), m_pause(new QTimer(this)), m_title(new QLabel), m_state(new QLabel), m_note(new ToneLabel(u"text.secondary"_s)), m_edit(new QLineEdit),
      m_store(new QPushButton(tr("Store in keychain"))), m_session(new QPushButton(tr("This session only"))),
      m_forget(new QPushButton(tr("Forget")))
{
    m_title->setFont(theme().font(TextStyle::Caption));
    m_title->setForegroundRole(QPalette::PlaceholderText);
    m_title->setWordWrap(true);
    m_state->setWordWrap(true);
    m_note->hide();
    m_edit->setEchoMode(QLineEdit::Password);
    m_edit->setPlaceholderText(tr("A new key"));
    m_edit->setAccessibleName(tr("A new key"));
    m_edit->setInputMethodHints(Qt::ImhHiddenText | Qt::ImhSensitiveData | Qt::ImhNoPredictiveText);
    m_store->setToolTip(tr("Kept by the system, for the next time too"));
    m_session->setToolTip(tr("In this program's memory, until it ends"));
    m_forget->setToolTip(tr("Out of the keychain and out of this session; an environment variable stays as it is"));
    auto *buttons = new QGridLayout;
    buttons->setSpacing(theme().space(4));
    buttons->addWidget(m_store, 0, 0);
    buttons->addWidget(m_session, 0, 1);
    buttons->addWidget(m_forget, 1, 0);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme().space(4));
    layout->addWidget(m_title);
    layout->addWidget(m_state);
    layout->addWidget(m_edit);
    layout->addLayout(buttons);
    layout->addWidget(m_note);
    m_pause->setSingleShot(true);
    m_pause->setInterval(pauseBeforeLooking_ms);
    connect(m_pause, &QTimer::timeout, this, &KeyRow::lookAgain);
    connect(m_edit, &QLineEdit::textChanged, this, &KeyRow::enableButtons);
    connect(m_edit, &QLineEdit::returnPressed, m_store, &QPushButton::click);
    connect(m_store, &QPushButton::clicked, this, [this] { change(this, m_place.origin, Doing::Store, m_edit->text().trimmed()); });
    connect(m_forget, &QPushButton::clicked, this, [this] { change(this, m_place.origin, Doing::Forget, {}); });
    connect(m_session, &QPushButton::clicked, this, &KeyRow::keepForSession);
    m_title->setText(tr("Key"));
    say(tr("Choose a provider first."), {});
    enableButtons();
}

QString KeyRow::stateText() const
{
    return m_state->text();
}

void KeyRow::setPlace(const KeyPlace &place)
{
    if (place == m_place) return;
    m_place = place;
    m_edit->clear();
    m_found = false;
    ++m_turn; // what is under way is of another place
    enableButtons();
    m_pause->start();
}

void KeyRow::lookAgain()
{
    m_found = false;
    ++m_turn;
    m_title->setText(m_place.origin.isEmpty() ? tr("Key") : tr("Key for %1").arg(m_place.origin));
    if (m_place.origin.isEmpty()) {
        say(tr("Choose a provider first."), {});
    } else {
        say(tr("looking"), {});
        look(this, m_place, m_turn);
    }
    enableButtons();
}

QCoro::Task<void> KeyRow::look(QPointer<KeyRow> row, KeyPlace place, int turn)
{
    // It is kept apart from the row: what looks writes there whenever it is done.
    const auto note = std::make_shared<QString>();
    const auto found = co_await secrets::find(place.origin, place.variables, place.variablesOrigin, note.get());
    if (!row || row->m_turn != turn) co_return;
    row->m_found = found.has_value();
    const QString without = place.isLocal               ? tr("none, and none is needed on this machine")
                            : place.variables.isEmpty() ? tr("none")
                                                        : tr("none: set %1, or give one here").arg(place.variables.first());
    row->say(found ? foundText(*found) : without, found ? QString() : sentence(*note));
    row->enableButtons();
}

QCoro::Task<void> KeyRow::change(QPointer<KeyRow> row, QString origin, Doing what, QString key)
{
    row->m_busy = true;
    row->enableButtons();
    const Result<void> done = what == Doing::Store ? co_await secrets::store(origin, key) : co_await secrets::forget(origin);
    if (!row) co_return;
    row->m_busy = false;
    if (done) {
        row->m_edit->clear();
        row->lookAgain();
        Q_EMIT row->changed();
    } else {
        row->say(row->m_state->text(), sentence(done.error().message), true);
        row->enableButtons();
    }
}

void KeyRow::keepForSession()
{
    secrets::keepForSession(m_place.origin, m_edit->text().trimmed());
    m_edit->clear();
    lookAgain();
    Q_EMIT changed();
}

void KeyRow::say(const QString &state, const QString &note, bool trouble)
{
    m_state->setText(state);
    m_state->setAccessibleName(state);
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
    m_note->setTone(trouble ? u"severity.errorText"_s : u"text.secondary"_s);
}

void KeyRow::enableButtons()
{
    const bool some = !m_edit->text().trimmed().isEmpty() && !m_place.origin.isEmpty() && !m_busy;
    m_edit->setEnabled(!m_place.origin.isEmpty());
    m_store->setEnabled(some);
    m_session->setEnabled(some);
    m_forget->setEnabled(m_found && !m_busy);
}

} // namespace kernelskill
