// SPDX-License-Identifier: Apache-2.0
// Owns a QObject that may be in the middle of emitting a signal when its owner lets go: it goes once control is back in the
// event loop. A coroutine that awaits a signal resumes inside that signal, so what it awaits must be held like this.
#pragma once

#include <QObject>

#include <memory>

namespace kernelskill {

struct DeleteLater
{
    void operator()(QObject *object) const { object->deleteLater(); }
};

template <class Object> using LaterPointer = std::unique_ptr<Object, DeleteLater>;

} // namespace kernelskill
