// SPDX-License-Identifier: Apache-2.0
#include "wire/network_transport.h"

#include "base/delete_later.h"
#include "wire/connections.h"
#include "wire/pending_answer.h"

#include <QCoroSignal>

namespace kernelskill::llm {

NetworkTransport::NetworkTransport(NetworkOptions options) : m_options(std::move(options)) {}

NetworkTransport::~NetworkTransport() = default;

QCoro::Task<Result<HttpAnswer>> NetworkTransport::exchange(HttpRequest request, ChunkSink sink, Timeouts timeouts,
                                                           std::stop_token stop)
{
    if (!m_connections) m_connections = std::make_unique<Connections>(m_options);
    const LaterPointer<PendingAnswer> answer(new PendingAnswer);
    m_connections->begin(std::move(request), std::move(sink), timeouts, std::move(stop), answer.get());
    // From here on nothing of `this`: it may go while the answer is awaited.
    co_await qCoro(answer.get(), &PendingAnswer::arrived);
    co_return answer->result();
}

} // namespace kernelskill::llm
