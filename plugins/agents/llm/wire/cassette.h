// SPDX-License-Identifier: Apache-2.0
// Exchanges with a provider, kept in a file and played again: a run without network, key or cost that ends the same.
#pragma once

#include "wire/transport.h"

#include <memory>

namespace kernelskill::llm {

class Cassette;

// An exchange is known by its provider and its redacted request; equal ones are told apart by their order. Recording
// writes each exchange as it ends, with its chunks as they came and without its pauses, so what was recorded before a
// crash holds. Playing asks nobody: what is not on the cassette is the error "cassette.miss".
class CassetteTransport : public Transport
{
public:
    // `inner` outlives the transport. Errors: "cassette.exists" unless the file is empty or `replace` is set,
    // "cassette.write".
    [[nodiscard]] static Result<std::unique_ptr<CassetteTransport>> record(const QString &file, Transport *inner,
                                                                           bool replace = false);
    // Errors: "cassette.missing_file", "cassette.version", "cassette.syntax" and the like with file, line and JSON
    // pointer.
    [[nodiscard]] static Result<std::unique_ptr<CassetteTransport>> replay(const QString &file);
    ~CassetteTransport() override;

    // Recording: the inner transport's errors, which go on record too ("run.stopped" does not), and "cassette.write".
    QCoro::Task<Result<HttpAnswer>> exchange(HttpRequest request, ChunkSink sink, Timeouts timeouts,
                                             std::stop_token stop) override;
    // Playing: how many exchanges nobody asked for yet.
    [[nodiscard]] qsizetype unplayed() const;

private:
    CassetteTransport(std::shared_ptr<Cassette> cassette, Transport *inner);

    const std::shared_ptr<Cassette> m_cassette; // an exchange under way keeps it
    Transport *const m_inner;                   // null: playing
};

} // namespace kernelskill::llm
