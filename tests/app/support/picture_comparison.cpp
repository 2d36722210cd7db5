// SPDX-License-Identifier: Apache-2.0
#include "picture_comparison.h"

#include <QHash>
#include <QString>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int width_px = 400, mostColours = 64;
constexpr int clearlyDifferent = 40; // of 255 in one channel; the reduced colours are nearer than that to the true ones
constexpr double mostMean = 0.5, mostShare = 0.0025; // a date that is another one is far less

} // namespace

bool PictureDifference::isTolerable() const
{
    return mean <= mostMean && share <= mostShare;
}

QString PictureDifference::text() const
{
    return u"%1 of 255 on average (at most %2), %3 % of the pixels clearly different (at most %4)"_s.arg(mean, 0, 'f', 2)
        .arg(mostMean)
        .arg(share * 100, 0, 'f', 2)
        .arg(mostShare * 100);
}

QImage reducedPicture(const QImage &grabbed)
{
    const QImage small = grabbed.convertToFormat(QImage::Format_RGB32).scaledToWidth(width_px, Qt::SmoothTransformation);
    // The colours that most pixels have, to 16 steps a channel.
    QHash<QRgb, int> counts;
    for (int y = 0; y < small.height(); ++y) {
        for (int x = 0; x < small.width(); ++x)
            ++counts[small.pixel(x, y) & 0xfff0f0f0u];
    }
    QList<std::pair<int, QRgb>> ranked;
    for (auto colour = counts.cbegin(); colour != counts.cend(); ++colour)
        ranked.append({-*colour, colour.key()});
    std::ranges::sort(ranked);
    QList<QRgb> table;
    for (qsizetype i = 0; i < std::min<qsizetype>(mostColours, ranked.size()); ++i)
        table.append(ranked[i].second | 0x00080808u); // the middle of the step
    return small.convertToFormat(QImage::Format_Indexed8, table, Qt::ThresholdDither | Qt::AvoidDither);
}

PictureDifference comparePictures(const QImage &reduced, const QImage &reference)
{
    PictureDifference difference;
    if (reduced.size() != reference.size()) return {255, 1, reduced};
    const QImage a = reduced.convertToFormat(QImage::Format_RGB32), b = reference.convertToFormat(QImage::Format_RGB32);
    difference.picture = QImage(a.size(), QImage::Format_RGB32);
    qint64 sum = 0, clear = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            const int red = std::abs(qRed(p) - qRed(q)), green = std::abs(qGreen(p) - qGreen(q)), blue = std::abs(qBlue(p) - qBlue(q));
            const int most = std::max({red, green, blue});
            sum += red + green + blue;
            clear += most > clearlyDifferent;
            const int shade = std::min(255, 3 * most);
            difference.picture.setPixel(x, y, most > clearlyDifferent ? qRgb(255, shade / 3, 0) : qRgb(shade, shade, shade));
        }
    }
    const double pixels = double(a.width()) * a.height();
    difference.mean = double(sum) / (3 * pixels);
    difference.share = double(clear) / pixels;
    return difference;
}

} // namespace kernelskill
