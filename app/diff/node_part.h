// SPDX-License-Identifier: Apache-2.0
// What of a node can be held against another's as text: its code, what the compiler made of it, its plan, its profile.
#pragma once

#include "diff/diff_rows.h"
#include "models/session_document.h"

#include <QTabBar>

#include <array>

namespace kernelskill {

enum class NodePart { Cuda, Ptx, Sass, Plan, Profile };
inline constexpr std::array nodeParts{NodePart::Cuda, NodePart::Ptx, NodePart::Sass, NodePart::Plan, NodePart::Profile};

[[nodiscard]] QString titleOf(NodePart part);
[[nodiscard]] CodeLanguage languageOf(NodePart part);
[[nodiscard]] DiffSide sideOf(const SessionDocument &document, int node, NodePart part); // code with its findings
[[nodiscard]] QString missingSentence(int node, NodePart part);

// A tab for each part.
class PartTabs : public QTabBar
{
    Q_OBJECT
public:
    explicit PartTabs(QWidget *parent = nullptr);
    [[nodiscard]] NodePart current() const;
    // A tab whose text none of these has (null: not evaluated) stays away rather than showing nothing.
    void showPartsOf(const QList<const Evaluation *> &evaluations);
};

} // namespace kernelskill
