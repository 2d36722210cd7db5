// SPDX-License-Identifier: Apache-2.0
// The right answer: builds a task's reference.cpp once, runs it confined on generated inputs, keeps the results.
#pragma once

#include "base/result.h"
#include "task/task.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QCoroTask>
#include <QList>
#include <QString>
#include <QStringList>

#include <memory>
#include <stop_token>

class QFile;

namespace kernelskill {

// One tensor in a file that is mapped into memory; copies share the mapping, which outlives the file's name.
class TensorData
{
public:
    [[nodiscard]] static Result<TensorData> map(const QString &path, const QString &name, const QString &dtype,
                                                qint64 elements, qint64 bytesPerElement);

    [[nodiscard]] const QString &name() const { return m_name; }   // the parameter's
    [[nodiscard]] const QString &dtype() const { return m_dtype; } // of the elements in the file
    [[nodiscard]] const QString &path() const { return m_path; }   // may be evicted from the cache; the mapping stays
    [[nodiscard]] qint64 elements() const { return m_elements; }
    [[nodiscard]] QByteArrayView bytes() const { return m_bytes; }
    template <class T> [[nodiscard]] const T *as() const { return reinterpret_cast<const T *>(m_bytes.data()); }

private:
    QString m_name, m_dtype, m_path;
    qint64 m_elements = 0;
    QByteArrayView m_bytes;
    std::shared_ptr<QFile> m_file;
};

struct ReferenceOutputs
{
    QList<TensorData> inputs;   // tensors that are read, before the call, in the task's dtype
    QList<TensorData> expected; // tensors that are written, after the call, as float64

    [[nodiscard]] const TensorData *input(const QString &name) const;
    [[nodiscard]] const TensorData *output(const QString &name) const;
};

// "random", "zeros", "ones", "large", "tiny", "negative"
[[nodiscard]] QStringList inputVariants();
// Seed of one tensor's values, as kit/value_generator.h takes it: who generates inputs itself gets the same ones.
[[nodiscard]] quint64 inputSeed(quint64 seed, const QString &parameter);

// Inputs come from the seed (and generate.cpp, which sees them before the reference does); the reference gets them as they
// are after rounding to their dtype. Results are cached in memory and on disk, oldest evicted beyond 1 GiB.
// Errors: reference.build (with the compiler's log), reference.crashed, reference.timeout, reference.incomplete (left
// elements of an output unwritten), reference.stopped, reference.no_compiler, sandbox.*. All name the file.
//
// Hooks, with the parameters as reference() gets them:
//   generate.cpp: extern "C" void generate(<parameters>, unsigned long long seed) overwrites what it wants to of the
//                 tensors that are read, which hold generated values. Called for the random variant only.
QCoro::Task<Result<ReferenceOutputs>> runReference(Task task, Sizes sizes, quint64 seed, QString variant,
                                                   std::stop_token stop, bool unconfined = false);

// The inputs of runReference() alone, for sizes at which the reference would take too long. `expected` is empty.
QCoro::Task<Result<ReferenceOutputs>> generateInputs(Task task, Sizes sizes, quint64 seed, std::stop_token stop,
                                                     bool unconfined = false);

// Asks check.cpp: extern "C" const char *check(<parameters>), with a candidate's outputs in place, returns a null pointer
// when they are right, else why not. `outputs` are raw, in the task's dtypes, in order of the written tensors.
// The text is empty when they are right.
QCoro::Task<Result<QString>> runCheckHook(Task task, Sizes sizes, ReferenceOutputs inputs, QList<QByteArray> outputs,
                                          std::stop_token stop, bool unconfined = false);

} // namespace kernelskill
