// SPDX-License-Identifier: Apache-2.0
// QCustomPlot, whose header uses Qt's lower-case keywords, which this program is built without.
#pragma once

#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <qcustomplot.h>
#undef signals
#undef slots
