// SPDX-License-Identifier: Apache-2.0
#include "wire/pending_answer.h"

// What makes its signal is made for a source, not for a header.
#include "moc_pending_answer.cpp"
