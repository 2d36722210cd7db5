// SPDX-License-Identifier: Apache-2.0
// QCustomPlot, whose header uses Qt's lower-case keywords, which this program is built without.
#pragma once

#include <QList>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach(variable, container) for (variable : container)
#include <qcustomplot.h>
#undef foreach
#undef signals
#undef slots
