// SPDX-License-Identifier: Apache-2.0
#include "settings/icons.h"

#include "base/paths.h"
#include "settings/theme.h"

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QByteArray svgText(const QString &name)
{
    static QHash<QString, QByteArray> cache;
    const auto found = cache.constFind(name);
    if (found != cache.constEnd()) return *found;
    QFile file(paths::resources() + u"/icons/"_s + name + u".svg"_s);
    if (!file.open(QIODevice::ReadOnly)) qWarning("No icon %s", qUtf8Printable(file.fileName()));
    const QByteArray text = file.readAll();
    cache.insert(name, text);
    return text;
}

class ThemedIconEngine : public QIconEngine
{
public:
    ThemedIconEngine(QString name, QString role) : m_name(std::move(name)), m_role(std::move(role)) {}

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State state) override
    {
        const qreal ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1;
        QPixmap pixmap = scaledPixmap(rect.size() * ratio, mode, state, ratio);
        pixmap.setDevicePixelRatio(ratio);
        painter->drawPixmap(rect, pixmap);
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1);
    }
    QPixmap scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State, qreal) override
    {
        const QColor color = theme().color(mode == QIcon::Disabled ? u"text.disabled"_s : m_role);
        const QString key = u"icon %1 %2 %3x%4"_s.arg(m_name, color.name()).arg(size.width()).arg(size.height());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap)) return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QByteArray svg = svgText(m_name);
        svg.replace("currentColor", color.name().toLatin1());
        QSvgRenderer renderer(svg);
        if (renderer.isValid()) {
            QPainter painter(&pixmap);
            painter.setRenderHint(QPainter::Antialiasing);
            renderer.render(&painter, QRectF(QPointF(), QSizeF(size)));
        }
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }
    QIconEngine *clone() const override { return new ThemedIconEngine(m_name, m_role); }

private:
    QString m_name, m_role;
};

} // namespace

QIcon themedIcon(const QString &name, const QString &role)
{
    return QIcon(new ThemedIconEngine(name, role));
}

} // namespace kernelskill
