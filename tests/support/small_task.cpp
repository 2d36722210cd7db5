// SPDX-License-Identifier: Apache-2.0
#include "small_task.h"

#include <QDir>
#include <QFile>

namespace kernelskill::test {

namespace {

const char description[] = R"({
  "schema": 1, "name": "twice", "title": "Twice", "description": "y = 2 x",
  "sizes": {"check": {"n": 4}, "edge": [{"n": 1}], "time": {"n": 8}},
  "parameters": [
    {"name": "x", "kind": "tensor", "dtype": "float32", "shape": ["n"], "role": "in",
     "values": {"distribution": "normal", "mean": 0, "std": 1}},
    {"name": "y", "kind": "tensor", "dtype": "float32", "shape": ["n"], "role": "out"},
    {"name": "n", "kind": "scalar", "dtype": "int32", "value": "n"}],
  "tolerance": {"absolute": 1e-6, "relative": 1e-6},
  "work": {"flops": "n", "bytes": "8*n"}
})";

const char reference[] = "extern \"C\" void reference(const float *x, float *y, int n)\n"
                         "{\n    for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n";

const char baseline[] = "#include <cuda_runtime.h>\n"
                        "__global__ void twice(const float *x, float *y, int n)\n"
                        "{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = 2 * x[i];\n}\n"
                        "extern \"C\" void solve(const float *x, float *y, int n, cudaStream_t stream)\n"
                        "{\n    twice<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);\n}\n";

const char check[] = "#include <cstring>\n"
                     "extern \"C\" const char *check(const float *, const float *y, int)\n"
                     "{\n    return std::memcmp(y, \"bad\", 3) == 0 ? \"it is bad\" : nullptr;\n}\n";

void write(const QString &path, const char *text)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0) qFatal("cannot write %s", qPrintable(path));
}

} // namespace

Task smallTask(const QString &folder, bool judged)
{
    QDir().mkpath(folder);
    write(folder + QStringLiteral("/task.json"), description);
    write(folder + QStringLiteral("/reference.cpp"), reference);
    write(folder + QStringLiteral("/baseline.cu"), baseline);
    if (judged) write(folder + QStringLiteral("/check.cpp"), check);
    const Result<Task> task = readTask(folder);
    if (!task) qFatal("%s", qPrintable(task.error().message));
    return *task;
}

} // namespace kernelskill::test
