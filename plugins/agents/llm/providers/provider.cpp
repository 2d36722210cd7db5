// SPDX-License-Identifier: Apache-2.0
#include "providers/adapters.h"

#include <algorithm>

namespace kernelskill::llm {

StreamReader::~StreamReader() = default;
Provider::~Provider() = default;

namespace {

const QList<const Provider *> &all()
{
    static const QList<const Provider *> providers = {&openAiChat(), &openAiResponses(), &anthropic(), &gemini(), &ollama()};
    return providers;
}

} // namespace

const Provider *provider(const QString &id)
{
    const auto found = std::ranges::find_if(all(), [&id](const Provider *candidate) { return candidate->id() == id; });
    return found == all().end() ? nullptr : *found;
}

QStringList providerIds()
{
    QStringList ids;
    for (const Provider *provider : all())
        ids.append(provider->id());
    return ids;
}

} // namespace kernelskill::llm
