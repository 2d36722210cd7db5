// SPDX-License-Identifier: Apache-2.0
// Shapes that carry meaning: node states, marks, skill states, predicate truth, and the hatch of modelled values.
// Every one has a shape of its own, so colour never stands alone. Boxes are squares in device-independent pixels.
#pragma once

#include "memory/longterm/skill.h"
#include "retrieval/retrieval.h"
#include "session/trajectory.h"

#include <QBrush>
#include <QColor>
#include <QIcon>
#include <QRectF>

class QPainter;

namespace kernelskill::glyphs {

enum class Mark { Best, Base, Human, Recorded, Folded };

[[nodiscard]] QString stateRole(NodeState state); // colour role: "state.verified"
[[nodiscard]] QColor stateColor(NodeState state);
void paintState(QPainter &painter, const QRectF &box, NodeState state);
void paintMark(QPainter &painter, const QRectF &box, Mark mark);
void paintSkill(QPainter &painter, const QRectF &box, SkillState state);
void paintTruth(QPainter &painter, const QRectF &box, Truth truth);
void paintTick(QPainter &painter, const QRectF &box, const QColor &color);
void paintCross(QPainter &painter, const QRectF &box, const QColor &color);
// A letter on the accent: which side of a comparison a node stands on.
void paintLetter(QPainter &painter, const QRectF &box, QChar letter);

// Diagonal stripes for modelled values; one pixmap per colour and pixel ratio, kept.
[[nodiscard]] QBrush hatch(const QColor &color, qreal devicePixelRatio);
// Solid or hatched with a 1 px outline: the one way to fill an area that shows a value.
void fillValue(QPainter &painter, const QRectF &area, const QColor &color, TimeKind kind);
// The stripe at the left of a node: its state's colour, hatched when modelled.
void paintBand(QPainter &painter, const QRectF &area, const QColor &color, TimeKind kind);

// Pictures of the same shapes for item views.
[[nodiscard]] QIcon stateIcon(NodeState state);
[[nodiscard]] QIcon truthIcon(Truth truth);

} // namespace kernelskill::glyphs
