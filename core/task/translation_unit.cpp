// SPDX-License-Identifier: Apache-2.0
#include "translation_unit.h"

namespace kernelskill {

QString translationUnit(const Task &task, const Candidate &candidate)
{
    QString text = QStringLiteral("// The task's entry point, and how a worker calls it.\n");
    QStringList arguments;
    bool half = false, bfloat = false;
    for (qsizetype i = 0; i < task.parameters.size(); ++i) {
        const Parameter &parameter = task.parameters[i];
        half = half || parameter.dtype == QLatin1String("float16");
        bfloat = bfloat || parameter.dtype == QLatin1String("bfloat16");
        arguments.append(QStringLiteral("a%1").arg(i));
    }
    text += QStringLiteral("#include <cuda_runtime.h>\n");
    if (half) text += QStringLiteral("#include <cuda_fp16.h>\n");
    if (bfloat) text += QStringLiteral("#include <cuda_bf16.h>\n");
    text += task.solveDeclaration() + QStringLiteral(";\n");
    const QString mainPath = candidate.files.isEmpty() ? QString() : candidate.files.first().path;
    text += QStringLiteral("#include \"src/%1\"\n").arg(mainPath);
    // The declaration's own parameter types take the values out of the call's slots: no type is spelt twice.
    QStringList slotReads;
    for (qsizetype i = 0; i < arguments.size(); ++i)
        slotReads.append(QStringLiteral("*static_cast<A%1 *>(slots[%1])").arg(i));
    slotReads.append(QStringLiteral("static_cast<cudaStream_t>(stream)"));
    QStringList typeNames;
    for (qsizetype i = 0; i < arguments.size(); ++i)
        typeNames.append(QStringLiteral("class A%1").arg(i));
    QStringList types;
    for (qsizetype i = 0; i < arguments.size(); ++i)
        types.append(QStringLiteral("A%1").arg(i));
    types.append(QStringLiteral("cudaStream_t"));
    text += QStringLiteral("template <%1> static void kernelskill_apply(void (*entry)(%2), void **slots, void "
                           "*stream)\n{\n    entry(%3);\n}\n")
                .arg(typeNames.join(QStringLiteral(", ")), types.join(QStringLiteral(", ")),
                     slotReads.join(QStringLiteral(", ")));
    text += QStringLiteral("extern \"C\" __attribute__((visibility(\"default\"))) void kernelskill_call(void **slots, "
                           "void *stream)\n{\n"
                           "    kernelskill_apply(&%1, slots, stream);\n}\n")
                .arg(candidate.entryPoint);
    return text;
}

} // namespace kernelskill
