// SPDX-License-Identifier: Apache-2.0
// Front matter values between yaml-cpp's nodes and text. Private to the reader and the writer.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace YAML {
class Node;
}

namespace kernelskill::yaml {

// A value on one line (flow style) that reads back as the same value with the same type. Missing when it is deeper or
// larger than any front matter needs to be (aliases can make a small text huge, or endless).
[[nodiscard]] std::optional<QString> flow(const YAML::Node &node);
// A text as a YAML scalar: plain where that is safe, else in double quotes.
[[nodiscard]] QString scalar(const QString &text);
[[nodiscard]] QString quoted(const QString &text);
// Items one a line as a block scalar under a key indented by `indent`; in double quotes when an item needs that.
[[nodiscard]] QString block(const QStringList &items, int indent);

} // namespace kernelskill::yaml
