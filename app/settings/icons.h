// SPDX-License-Identifier: Apache-2.0
// The window's own icons: resources/icons/<name>.svg, drawn in currentColor, coloured by the theme at paint time.
#pragma once

#include <QIcon>
#include <QString>

namespace kernelskill {

// Follows theme changes and pixel ratio; a missing file warns and gives an empty icon. `role` is a colour role.
[[nodiscard]] QIcon themedIcon(const QString &name, const QString &role = QStringLiteral("text.primary"));

} // namespace kernelskill
