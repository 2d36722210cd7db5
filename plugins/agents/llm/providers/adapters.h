// SPDX-License-Identifier: Apache-2.0
// The adapters there are, for provider.cpp alone.
#pragma once

#include "providers/provider.h"

namespace kernelskill::llm {

[[nodiscard]] const Provider &openAiChat();
[[nodiscard]] const Provider &openAiResponses();
[[nodiscard]] const Provider &anthropic();
[[nodiscard]] const Provider &gemini();
[[nodiscard]] const Provider &ollama();

} // namespace kernelskill::llm
