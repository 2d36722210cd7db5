// SPDX-License-Identifier: Apache-2.0
// Finished builds by content, in the user's cache folder. Several processes may use it: entries appear by rename.
#pragma once

#include "frontend/build.h"

namespace kernelskill::simulator {

class BuildCache
{
public:
    BuildCache(); // paths::cacheFolder()/simulator
    [[nodiscard]] static QByteArray key(const BuildRequest &request);
    [[nodiscard]] bool find(const QByteArray &key, BuildProduct &product) const;
    // A new, empty folder to build in; empty string when it cannot be made.
    [[nodiscard]] QString newFolder() const;
    // Moves a finished folder to its place and points the product's paths there.
    void keep(const QByteArray &key, BuildProduct &product);

private:
    void prune() const; // oldest entries beyond the limit
    QString m_folder;
};

} // namespace kernelskill::simulator
