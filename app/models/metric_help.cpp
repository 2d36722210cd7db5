// SPDX-License-Identifier: Apache-2.0
#include "models/metric_help.h"

#include "profile/metric_catalogue.h"

#include <QCoreApplication>

namespace kernelskill {

QString metricHelp(const QString &metric)
{
    const MetricInfo *info = metricInfo(metric);
    if (!info) return metric;
    const auto tr = [](const char *text) { return QCoreApplication::translate("MetricHelp", text); };
    QStringList facts;
    if (!info->unit.isEmpty()) facts.append(tr("In %1.").arg(info->unit));
    facts.append(info->better > 0   ? tr("Higher is better.")
                 : info->better < 0 ? tr("Lower is better.")
                                    : tr("Neither high nor low is good by itself."));
    QStringList lines{info->title};
    if (!info->meaning.isEmpty()) lines.append(info->meaning);
    lines.append(facts.join(QChar(u' ')));
    if (!info->profilerName.isEmpty()) lines.append(info->profilerName);
    return lines.join(QChar(u'\n'));
}

} // namespace kernelskill
