// SPDX-License-Identifier: Apache-2.0
// A limit of a run as a person writes it; empty is none. What cannot be read is marked while it is typed.
#pragma once

#include "models/limits.h"

#include <QLineEdit>

namespace kernelskill {

class LimitField : public QLineEdit
{
    Q_OBJECT
public:
    explicit LimitField(limits::Limit limit, QWidget *parent = nullptr);
    void setLimit(limits::Limit limit); // another kind
    void setLeast(double least);        // it has to be more; 0: whatever one likes
    [[nodiscard]] limits::Limit limit() const { return m_limit; }
    [[nodiscard]] double value() const; // 0: none, or not to be read
    [[nodiscard]] QString mistake() const;

private:
    void mark();
    limits::Limit m_limit;
    double m_least = 0;
};

} // namespace kernelskill
