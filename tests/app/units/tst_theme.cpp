// SPDX-License-Identifier: Apache-2.0
#include "settings/glyphs.h"
#include "settings/icons.h"
#include "settings/theme.h"

#include <QPainter>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestTheme : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }
    void contrast_data()
    {
        QTest::addColumn<QString>("front");
        QTest::addColumn<QString>("ground");
        QTest::addColumn<double>("least");
        for (const QString &role : theme().roles()) {
            const QString group = role.section(u'.', 0, 0), name = role.section(u'.', 1);
            double least = 0;
            if (group == "syntax"_L1 || role == "text.primary"_L1 || role == "text.secondary"_L1 ||
                role == "text.link"_L1 || (group == "severity"_L1 && name.endsWith("Text"_L1)))
                least = 4.5;
            else if (group == "state"_L1 || group == "skill"_L1 || group == "series"_L1 ||
                     role == "surface.control"_L1 || role == "accent.focus"_L1 ||
                     (group == "kind"_L1 && name != "hatchGap"_L1))
                least = 3;
            if (least > 0) QTest::addRow("%s", qUtf8Printable(role)) << role << u"surface.panel"_s << least;
            if (group == "syntax"_L1) {
                QTest::addRow("%s on added", qUtf8Printable(role)) << role << u"diff.addedLine"_s << least;
                QTest::addRow("%s on removed", qUtf8Printable(role)) << role << u"diff.removedLine"_s << least;
            }
        }
        QTest::newRow("selected row") << u"text.primary"_s << u"accent.selection"_s << 4.5;
        QTest::newRow("accent button") << u"text.onAccent"_s << u"accent.accent"_s << 4.5;
        QTest::newRow("warning banner") << u"text.primary"_s << u"severity.warnFill"_s << 4.5;
    }
    void contrast()
    {
        QFETCH(QString, front);
        QFETCH(QString, ground);
        QFETCH(double, least);
        for (const bool dark : {false, true})
            QVERIFY2(contrastRatio(theme().color(front, dark), theme().color(ground, dark)) >= least,
                     dark ? "dark" : "light");
    }
    void bothThemesHaveTheSameRoles()
    {
        const QJsonObject themes = theme().tokens()["themes"_L1].toObject();
        for (const QString &group : themes["light"_L1].toObject().keys())
            QCOMPARE(themes["light"_L1][group].toObject().keys(), themes["dark"_L1][group].toObject().keys());
    }
    // Shapes tell states apart without colour: the pictures differ even in black.
    void everyStateHasAShape()
    {
        QList<QImage> pictures;
        for (const NodeState state : {NodeState::Verified, NodeState::Unproven, NodeState::Wrong, NodeState::Failed,
                                      NodeState::Suspect, NodeState::Running}) {
            QImage picture(24, 24, QImage::Format_ARGB32_Premultiplied);
            picture.fill(Qt::transparent);
            QPainter painter(&picture);
            glyphs::paintState(painter, QRectF(2, 2, 20, 20), state);
            painter.end();
            const QImage shape = picture.createAlphaMask();
            for (const QImage &other : std::as_const(pictures)) {
                int differing = 0;
                for (int y = 0; y < 24; ++y)
                    for (int x = 0; x < 24; ++x)
                        differing += shape.pixelIndex(x, y) != other.pixelIndex(x, y);
                // Verified and wrong are both filled; their outlines differ by the square's corners.
                QVERIFY2(differing > 20, qPrintable(toString(state)));
            }
            pictures.append(shape);
        }
    }
    void hatchIsStripedAndKept()
    {
        const QBrush first = glyphs::hatch(Qt::black, 1), second = glyphs::hatch(Qt::black, 1),
                     fine = glyphs::hatch(Qt::black, 2);
        QCOMPARE(first.texture().cacheKey(), second.texture().cacheKey());
        QCOMPARE(fine.texture().devicePixelRatio(), 2.0);
        QVERIFY(fine.texture().width() > first.texture().width());
    }
    void iconsFollowTheTheme()
    {
        theme().setMode(ThemeMode::Light);
        const QImage light = themedIcon(u"plus"_s).pixmap(16, 16).toImage();
        theme().setMode(ThemeMode::Dark);
        const QImage dark = themedIcon(u"plus"_s).pixmap(16, 16).toImage();
        QVERIFY(!light.isNull());
        QVERIFY(light != dark);
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
