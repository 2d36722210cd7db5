// SPDX-License-Identifier: Apache-2.0
#include "tasks/limit_field.h"

using namespace Qt::StringLiterals;

namespace kernelskill {

LimitField::LimitField(limits::Limit limit, QWidget *parent) : QLineEdit(parent), m_limit(limit)
{
    setLimit(limit);
    connect(this, &QLineEdit::textChanged, this, &LimitField::mark);
}

void LimitField::setLimit(limits::Limit limit)
{
    m_limit = limit;
    setAccessibleName(tr("Limit of %1").arg(limits::title(limit).toLower()));
    setPlaceholderText(tr("none"));
    mark();
}

void LimitField::setLeast(double least)
{
    m_least = least;
    mark();
}

double LimitField::value() const
{
    return limits::parse(m_limit, text()).value_or(0);
}

QString LimitField::mistake() const
{
    const auto value = limits::parse(m_limit, text());
    if (!value) return value.error().message;
    if (m_least > 0 && *value > 0 && *value <= m_least) return tr("More than %1 is needed").arg(limits::amount(m_limit, m_least));
    return {};
}

void LimitField::mark()
{
    const QString wrong = mistake();
    setProperty("mistake", !wrong.isEmpty());
    update();
    setToolTip(wrong.isEmpty() ? tr("%1, for example %2; empty is no limit").arg(limits::title(m_limit), limits::example(m_limit)) : wrong);
    setAccessibleDescription(toolTip());
}

} // namespace kernelskill
