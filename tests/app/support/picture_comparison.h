// SPDX-License-Identifier: Apache-2.0
// Pictures of the window against small ones that are kept with the tests. Small, so that a glyph drawn half a pixel off
// by another version of a font library makes no difference, while a panel, a colour or a row of text does.
#pragma once

#include <QImage>

namespace kernelskill {

struct PictureDifference
{
    double mean = 0;  // of all channels, 0 … 255
    double share = 0; // of pixels in which a channel is clearly different
    QImage picture;   // brighter where they differ more
    [[nodiscard]] bool isTolerable() const;
    [[nodiscard]] QString text() const;
};

// As it is kept: narrow, in few colours.
[[nodiscard]] QImage reducedPicture(const QImage &grabbed);
[[nodiscard]] PictureDifference comparePictures(const QImage &reduced, const QImage &reference);

} // namespace kernelskill
