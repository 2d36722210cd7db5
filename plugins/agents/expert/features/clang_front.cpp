// SPDX-License-Identifier: Apache-2.0
#include "features/clang_front.h"

#ifdef KERNELSKILL_HAS_LIBCLANG_HEADERS

#include "base/paths.h"
#include "features/clang_tree.h"
#include "features/preprocessor.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QMutex>
#include <QRegularExpression>
#include <QUuid>

#include <algorithm>
#include <vector>

namespace kernelskill::expert {

namespace {

const QString &candidateFolder()
{
    static const QString folder = QStringLiteral("/kernelskill-candidate/"); // exists in memory only
    return folder;
}

// What a candidate may include, parsed once. The simulator's headers have no graphs yet; for the tree their
// declarations are enough.
const char *prefixText = R"(#define KERNELSKILL_PRECOMPILING 1
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
#include <math_constants.h>
#include <mma.h>
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
)";
const char *graphText = R"(
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
enum cudaStreamCaptureMode
{
    cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed
};
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
)";

Error refusal(const QString &message)
{
    return Error{QStringLiteral("features.clang"), message, {}};
}

QString headersFolder()
{
    QStringList folders;
    if (const QString wanted = qEnvironmentVariable("KERNELSKILL_SIMULATOR"); !wanted.isEmpty()) folders.append(wanted);
    for (const QString &folder : paths::pluginFolders())
        folders.append(folder + QStringLiteral("/simulator"));
    for (const QString &folder : std::as_const(folders)) {
        const QString headers = QDir(folder).absolutePath() + QStringLiteral("/include");
        if (QFileInfo::exists(headers + QStringLiteral("/cuda_runtime.h"))) return headers;
    }
    return {};
}

// A translation unit with its index and the texts it was made of.
class Unit
{
public:
    Unit(const ClangLibrary &clang, const QString &path, const QHash<QString, QString> &files,
         const QStringList &arguments, unsigned options)
        : m_clang(clang), m_index(clang.createIndex(1, 0)) // 1: no declarations of the precompiled header
    {
        std::vector<QByteArray> keep;
        keep.reserve(size_t(files.size()) * 2 + size_t(arguments.size()));
        std::vector<CXUnsavedFile> unsaved;
        for (auto it = files.cbegin(); it != files.cend(); ++it) {
            const QByteArray &name = keep.emplace_back(it.key().toUtf8());
            const QByteArray &text = keep.emplace_back(it.value().toUtf8());
            unsaved.push_back({name.constData(), text.constData(), static_cast<unsigned long>(text.size())});
        }
        std::vector<const char *> words;
        for (const QString &argument : arguments)
            words.push_back(keep.emplace_back(argument.toUtf8()).constData());
        (void)clang.parseTranslationUnit2(m_index, path.toUtf8().constData(), words.data(), int(words.size()),
                                          unsaved.data(), unsigned(unsaved.size()), options, &m_unit);
    }
    ~Unit()
    {
        if (m_unit) m_clang.disposeTranslationUnit(m_unit);
        m_clang.disposeIndex(m_index);
    }
    Unit(const Unit &) = delete;
    Unit &operator=(const Unit &) = delete;

    [[nodiscard]] CXTranslationUnit get() const { return m_unit; }
    // The first error in a file below `folder`, or the first that ended the parse; empty when there is none. Errors in
    // headers are not the candidate's: clang 19 finds fault with precompiled functions that host and device overload.
    [[nodiscard]] QString firstError(const QString &folder) const
    {
        if (!m_unit) return QStringLiteral("clang could not read it");
        const unsigned count = m_clang.getNumDiagnostics(m_unit);
        for (unsigned i = 0; i < count; ++i) {
            CXDiagnostic diagnostic = m_clang.getDiagnostic(m_unit, i);
            const CXDiagnosticSeverity severity = m_clang.getDiagnosticSeverity(diagnostic);
            CXFile file = nullptr;
            m_clang.getFileLocation(m_clang.getDiagnosticLocation(diagnostic), &file, nullptr, nullptr, nullptr);
            const bool here = !file || m_clang.text(m_clang.getFileName(file)).startsWith(folder);
            const bool isError = severity == CXDiagnostic_Fatal || (severity == CXDiagnostic_Error && here);
            const QString text = isError ? m_clang.text(m_clang.formatDiagnostic(diagnostic, 0)) : QString();
            m_clang.disposeDiagnostic(diagnostic);
            if (isError && !isOurOwn(text)) return text;
        }
        return {};
    }

private:
    // Precompiled, the headers' min and max for host and for device are one to clang 19, and calls become ambiguous.
    // The tree is whole all the same.
    [[nodiscard]] static bool isOurOwn(const QString &error)
    {
        return error.contains(QLatin1String("call to 'min' is ambiguous")) ||
               error.contains(QLatin1String("call to 'max' is ambiguous"));
    }

    const ClangLibrary &m_clang;
    CXIndex m_index;
    CXTranslationUnit m_unit = nullptr;
};

QStringList flags(const QString &headers)
{
    return {QStringLiteral("-x"),
            QStringLiteral("cuda"),
            QStringLiteral("-std=c++20"),
            QStringLiteral("--cuda-gpu-arch=sm_80"),
            QStringLiteral("--cuda-device-only"),
            QStringLiteral("-nocudainc"),
            QStringLiteral("-nocudalib"),
            QStringLiteral("--cuda-path=/nonexistent"),
            QStringLiteral("-Xclang"),
            QStringLiteral("-target-sdk-version=12.3"),
            QStringLiteral("-w"),
            QStringLiteral("-isystem"),
            headers};
}

// The headers, precompiled once in the cache. What it was made of is in its name, so it is never stale.
struct Prefix
{
    QString path;    // of the precompiled header
    QString trouble; // why there is none
};

Prefix makePrefix(const ClangLibrary &clang, const QString &headers)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData((clang.text(clang.getClangVersion()) + headers + flags(headers).join(u' ')).toUtf8());
    hash.addData(QByteArray(prefixText) + graphText);
    QStringList names;
    QDirIterator it(headers, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext())
        names.append(it.next());
    names.sort();
    for (const QString &name : std::as_const(names)) {
        const QFileInfo info(name);
        hash.addData(name.toUtf8() + QByteArray::number(info.size()) +
                     QByteArray::number(info.lastModified().toMSecsSinceEpoch()));
    }
    const QString folder = paths::cacheFolder() + QStringLiteral("/feature-headers");
    const QString path = folder + u'/' + QString::fromLatin1(hash.result().toHex().left(32)) + QStringLiteral(".pch");
    if (QFileInfo::exists(path)) return {path, {}};
    if (!QDir().mkpath(folder)) return {{}, QStringLiteral("%1 cannot be made").arg(folder)};
    QString trouble;
    for (const QByteArray &text : {QByteArray(prefixText) + graphText, QByteArray(prefixText)}) {
        const QString source = candidateFolder() + QStringLiteral("prefix.h");
        const Unit unit(clang, source, {{source, QString::fromUtf8(text)}}, flags(headers),
                        CXTranslationUnit_Incomplete | CXTranslationUnit_ForSerialization);
        trouble = unit.firstError({});
        if (!trouble.isEmpty()) continue;
        const QString made = path + u'.' + QUuid::createUuid().toString(QUuid::Id128);
        if (clang.saveTranslationUnit(unit.get(), made.toUtf8().constData(), 0) != CXSaveError_None ||
            (!QFile::rename(made, path) && !QFileInfo::exists(path)))
            trouble = QStringLiteral("%1 cannot be written").arg(path);
        QFile::remove(made);
        if (trouble.isEmpty()) return {path, {}};
    }
    return {{}, trouble};
}

// Nothing outside the candidate and the headers is read: not by a path, nor by a name made of macros, nor embedded.
// Empty when all is well.
QString foreignInclude(const Candidate &candidate)
{
    static const QRegularExpression plain(QStringLiteral("^#\\s*include\\s*[<\"]([^>\"]+)[>\"]$"));
    static const QRegularExpression reads(QStringLiteral("^#\\s*(include|include_next|import|embed)\\b"));
    for (const CandidateFile &file : candidate.files) {
        if (file.content.contains(QStringLiteral("%:"))) return QStringLiteral("%:");
        const Tokens tokens = codeTokens(file.content);
        for (const CodeToken &token : tokens) {
            if (token.kind != CodeToken::Kind::Directive || !reads.match(token.text).hasMatch()) continue;
            const QString name = plain.match(token.text).captured(1);
            if (name.isEmpty() || name.startsWith(u'/') || name.split(u'/').contains(QStringLiteral("..")))
                return name.isEmpty() ? token.text : name;
        }
    }
    return {};
}

} // namespace

Result<CodeProgram> parseWithClang(const Candidate &candidate)
{
    const auto library = ClangLibrary::get();
    if (!library) return std::unexpected(library.error());
    const ClangLibrary &clang = **library;
    static const QString headers = headersFolder();
    if (headers.isEmpty())
        return std::unexpected(refusal(QStringLiteral("the simulator's CUDA headers were not found")));
    static const Prefix prefix = makePrefix(clang, headers);
    if (prefix.path.isEmpty()) return std::unexpected(refusal(prefix.trouble));
    if (const QString foreign = foreignInclude(candidate); !foreign.isEmpty())
        return std::unexpected(refusal(QStringLiteral("\"%1\" is included from outside").arg(foreign)));

    const QString unitPath = candidateFolder() + QStringLiteral("unit of candidate.cu");
    QHash<QString, QString> files;
    QString unitText;
    for (const CandidateFile &file : candidate.files) {
        files.insert(candidateFolder() + file.path, file.content);
        const QString suffix = QFileInfo(file.path).suffix();
        if (suffix == u"cu" || suffix == u"cpp" || suffix == u"cc" || &file == &candidate.files.first())
            unitText += QStringLiteral("#include \"%1\"\n").arg(file.path);
    }
    files.insert(unitPath, unitText);
    const QStringList arguments =
        flags(headers) + QStringList{QStringLiteral("-Xclang"), QStringLiteral("-include-pch"),
                                     QStringLiteral("-Xclang"), prefix.path, QStringLiteral("-Xclang"),
                                     QStringLiteral("-fno-validate-pch"),
                                     // What must not be precompiled: see cuda_runtime.h.
                                     QStringLiteral("-include"), QStringLiteral("kernelskill/not_precompiled.h"),
                                     QStringLiteral("-I") + candidateFolder()};
    // Incomplete: no instantiations and no checks at the end of the unit, which take four fifths of the time.
    const Unit unit(clang, unitPath, files, arguments, CXTranslationUnit_Incomplete);
    if (const QString error = unit.firstError(candidateFolder()); !error.isEmpty())
        return std::unexpected(refusal(error));
    return ClangTree(clang, unit.get(), candidateFolder(), files).program();
}

} // namespace kernelskill::expert

#else

namespace kernelskill::expert {

Result<CodeProgram> parseWithClang(const Candidate &)
{
    return failure(QStringLiteral("features.clang"), QStringLiteral("this build was made without libclang's headers"));
}

} // namespace kernelskill::expert

#endif
