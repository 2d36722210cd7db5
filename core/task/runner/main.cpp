// SPDX-License-Identifier: Apache-2.0
// kernelskill-reference-runner: confined, loads a task's compiled reference, makes the inputs, calls it and writes what
// came out. One job, one JSON object, on standard input:
//   {"mode": "reference" | "inputs" | "check", "library": path, "folder": path to write in, "variant": "random",
//    "hook_seed": "17" (calls generate() when present),
//    "parameters": [{"name", "kind": "tensor", "dtype", "elements", "read", "written", "distribution": kind, "first",
//                    "second", "seed": "…", "file": raw values for check mode} | {"name", "kind": "scalar", "dtype", "value"}]}
// The last line of its own output is {"done": true} or {"error": code, "message": text}.
#include "kit/dtypes.h"
#include "kit/json_lines.h"
#include "kit/poison.h"
#include "kit/refusal_reporter.h"
#include "kit/value_generator.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using nlohmann::json;
using namespace kernelskill::kit;

namespace {

struct Failure : std::runtime_error
{
    Failure(std::string errorCode, const std::string &message) : std::runtime_error(message), code(std::move(errorCode)) {}
    std::string code;
};

// One tensor or scalar as reference() gets it: small floats widened to float.
struct Argument
{
    std::string name;
    const Dtype *dtype = nullptr;     // the task's
    const Dtype *seen = nullptr;      // the reference's
    bool tensor = false, read = false, written = false;
    std::size_t elements = 1;
    std::vector<std::byte> data;      // in `seen`
    json description;
};

const Dtype &dtypeNamed(const std::string &name)
{
    const Dtype *dtype = findDtype(name);
    if (!dtype) throw Failure("reference.protocol", "unknown dtype " + name);
    return *dtype;
}

void writeFile(const std::string &path, const void *data, std::size_t bytes)
{
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) throw Failure("reference.cache", path + ": " + std::strerror(errno));
    std::size_t written = 0;
    while (written < bytes) {
        const ssize_t count = write(file, static_cast<const char *>(data) + written, bytes - written);
        if (count <= 0) throw Failure("reference.cache", path + ": " + std::strerror(errno));
        written += std::size_t(count);
    }
    close(file);
}

std::vector<std::byte> readFile(const std::string &path, std::size_t bytes)
{
    std::vector<std::byte> content(bytes);
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::size_t done = 0;
    ssize_t count = 1;
    while (file >= 0 && done < bytes && (count = read(file, content.data() + done, bytes - done)) > 0) done += std::size_t(count);
    if (file >= 0) close(file);
    if (done != bytes) throw Failure("reference.cache", path + ": expected " + std::to_string(bytes) + " bytes");
    return content;
}

// Between the task's dtype and the reference's, in pieces: a whole tensor of doubles would be needlessly large.
std::vector<std::byte> convert(const Dtype &from, const std::byte *source, const Dtype &to, std::size_t elements)
{
    std::vector<std::byte> target(elements * to.bytes);
    constexpr std::size_t chunk = 4096;
    double values[chunk];
    for (std::size_t begin = 0; begin < elements; begin += chunk) {
        const std::size_t count = std::min(chunk, elements - begin);
        from.toDouble(source + begin * from.bytes, values, count);
        to.fromDouble(values, target.data() + begin * to.bytes, count);
    }
    return target;
}

Seed poisonSeed(const Argument &argument) { return Seed::of(0, "reference output", argument.name); }

std::vector<std::byte> generated(const Argument &argument, Variant variant)
{
    const json &d = argument.description;
    std::vector<std::byte> raw(argument.elements * argument.dtype->bytes);
    const ValueDistribution distribution{DistributionKind(d.at("distribution").get<int>()), d.at("first"), d.at("second")};
    const Seed seed(std::stoull(d.at("seed").get<std::string>()));
    generateValues(*argument.dtype, distribution, variant, seed, raw.data(), 0, argument.elements, argument.elements);
    // The same type on both sides needs no way over double, which would cost int64 its low bits.
    return argument.dtype == argument.seen ? raw : convert(*argument.dtype, raw.data(), *argument.seen, argument.elements);
}

Argument makeArgument(const json &description)
{
    Argument argument;
    argument.description = description;
    argument.name = description.at("name");
    argument.dtype = &dtypeNamed(description.at("dtype"));
    const bool small = argument.dtype->isFloating && argument.dtype->bytes < 4;
    argument.seen = small ? &dtypeNamed("float32") : argument.dtype;
    argument.tensor = description.at("kind") == "tensor";
    if (!argument.tensor) {
        argument.data.resize(argument.seen->bytes);
        const double value = description.at("value").get<double>();
        argument.seen->fromDouble(&value, argument.data.data(), 1);
        return argument;
    }
    argument.elements = description.at("elements").get<std::size_t>();
    argument.read = description.at("read");
    argument.written = description.at("written");
    return argument;
}

// Values of the task's dtype as the file keeps them, rounded even where a hook wrote more digits; then what the reference
// sees is read back from them.
void writeInput(Argument &argument, const std::string &folder)
{
    const std::vector<std::byte> raw = argument.dtype == argument.seen
        ? argument.data : convert(*argument.seen, argument.data.data(), *argument.dtype, argument.elements);
    writeFile(folder + "/in_" + argument.name + ".bin", raw.data(), raw.size());
    if (argument.dtype != argument.seen) argument.data = convert(*argument.dtype, raw.data(), *argument.seen, argument.elements);
}

void writeExpected(const Argument &argument, const std::string &folder)
{
    const Unwritten left = argument.seen->isFloating && !argument.read
        ? unwritten(*argument.seen, poisonSeed(argument), argument.data.data(), argument.elements) : Unwritten{};
    if (left.count > 0)
        throw Failure("reference.incomplete", "the reference leaves " + std::to_string(left.count) + " of " +
                                                  std::to_string(argument.elements) + " elements of " + argument.name +
                                                  " unwritten, the first at " + std::to_string(left.first));
    const std::vector<std::byte> doubles = convert(*argument.seen, argument.data.data(), dtypeNamed("float64"), argument.elements);
    writeFile(folder + "/out_" + argument.name + ".bin", doubles.data(), doubles.size());
}

class Runner
{
public:
    explicit Runner(json job) : m_job(std::move(job))
    {
        for (const json &description : m_job.at("parameters")) m_arguments.push_back(makeArgument(description));
        m_library = dlopen(m_job.at("library").get<std::string>().c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!m_library) throw Failure("reference.build", dlerror());
    }

    void run()
    {
        if (m_job.at("mode") == "check") return check();
        const auto variant = variantFromString(m_job.at("variant").get<std::string>());
        if (!variant) throw Failure("reference.protocol", "unknown variant");
        for (Argument &argument : m_arguments)
            if (argument.tensor && argument.read) argument.data = generated(argument, *variant);
            else if (argument.tensor) poisonOutput(argument);
        if (m_job.contains("hook_seed")) {
            const auto generate = function<void (*)(void **, unsigned long long)>("kernelskill_generate");
            std::vector<void *> values = pointers();
            generate(values.data(), std::stoull(m_job.at("hook_seed").get<std::string>()));
        }
        const std::string folder = m_job.at("folder");
        for (Argument &argument : m_arguments)
            if (argument.tensor && argument.read) writeInput(argument, folder);
            else if (argument.tensor) poisonOutput(argument); // whatever the hook did to it
        if (m_job.at("mode") == "inputs") return;
        std::vector<void *> values = pointers();
        function<void (*)(void **)>("kernelskill_reference")(values.data());
        for (const Argument &argument : m_arguments)
            if (argument.tensor && argument.written) writeExpected(argument, folder);
    }

private:
    void check()
    {
        for (Argument &argument : m_arguments) {
            if (!argument.tensor) continue;
            const std::vector<std::byte> raw = readFile(argument.description.at("file"), argument.elements * argument.dtype->bytes);
            argument.data = argument.dtype == argument.seen ? raw : convert(*argument.dtype, raw.data(), *argument.seen, argument.elements);
        }
        std::vector<void *> values = pointers();
        const char *message = function<const char *(*)(void **)>("kernelskill_check")(values.data());
        if (message) throw Failure("check.refused", *message ? message : "check.cpp refused the outputs without a reason");
    }

    static void poisonOutput(Argument &argument)
    {
        argument.data.assign(argument.elements * argument.seen->bytes, std::byte(0));
        if (argument.seen->isFloating) poison(*argument.seen, poisonSeed(argument), argument.data.data(), argument.elements);
    }

    std::vector<void *> pointers()
    {
        std::vector<void *> values;
        for (Argument &argument : m_arguments) values.push_back(argument.data.data());
        return values;
    }

    template <class Function> Function function(const char *name)
    {
        void *address = dlsym(m_library, name);
        if (!address) throw Failure("reference.build", std::string("the library has no ") + name);
        return reinterpret_cast<Function>(address);
    }

    json m_job;
    std::vector<Argument> m_arguments;
    void *m_library = nullptr;
};

} // namespace

int main()
{
    // The task's code may print: that goes to the log, and our own lines to what was standard output.
    const int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    installRefusalReporter();
    JsonLineChannel channel(STDIN_FILENO, answers);
    try {
        const auto job = channel.receive();
        if (!job) throw Failure("reference.protocol", "no job: " + channel.error());
        Runner(*job).run();
        channel.send({{"done", true}});
    } catch (const Failure &failure) {
        channel.send({{"error", failure.code}, {"message", failure.what()}});
    } catch (const std::exception &failure) {
        channel.send({{"error", "reference.protocol"}, {"message", failure.what()}});
    }
    // Not exit: destructors of the task's code have no say any more.
    _exit(0);
}
