// SPDX-License-Identifier: Apache-2.0
// Where a request differs from a recorded one, for a person who wonders why a cassette does not fit any more.
#pragma once

#include "wire/cassette_file.h"

namespace kernelskill::llm {

// "/messages/1/content at character 812: recorded …, asked for …"; empty when they are the same.
[[nodiscard]] QString firstDifference(const RecordedRequest &recorded, const RecordedRequest &asked);

// The recorded exchange most like it: same provider and address first, then the longest common beginning. Null: none.
[[nodiscard]] const RecordedExchange *closest(const QList<RecordedExchange> &recorded, const RecordedRequest &asked);

} // namespace kernelskill::llm
