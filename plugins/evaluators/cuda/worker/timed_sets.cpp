// SPDX-License-Identifier: Apache-2.0
#include "timed_sets.h"

#include "kit/compare.h"
#include "kit/input_values.h"

#include <algorithm>
#include <cstdio>

namespace kernelskill::cuda {

namespace {

constexpr std::uint64_t guardBytes = 256;                   // before every tensor
constexpr std::uint64_t mostBytes = std::uint64_t(4) << 30; // of all sets, unless one alone needs more

kit::Seed guardSeed(std::size_t parameter)
{
    return kit::Seed::of(0x6775617264, "timed", parameter);
}
kit::Seed poisonSeed(std::size_t parameter, int set, std::uint64_t draw)
{
    return kit::Seed::of(0x706f69736f6e, "timed", parameter, set, draw);
}

} // namespace

TimedSets::~TimedSets()
{
    for (const Place &place : m_places) {
        for (const int slab : {place.argument.slab, place.pristine, place.another, place.held})
            if (slab >= 0) m_machine.removeSlab(slab, {m_candidate, m_baseline});
        for (const int slab : place.further)
            m_machine.removeSlab(slab, {});
    }
}

// Each tensor begins behind a guard, and the last of all ends where the addresses end.
std::uint64_t TimedSets::unit(const Argument &argument) const
{
    return roomOf(argument.bytes) + guardBytes;
}

std::uint64_t TimedSets::offset(const Place &place, int set) const
{
    return m_machine.slab(place.argument.slab).bytes() - std::uint64_t(m_sets - set) * unit(place.argument) +
           guardBytes;
}

DevicePointer TimedSets::address(const Place &place, int set) const
{
    return m_machine.slab(place.argument.slab).address() + offset(place, set);
}

DevicePointer TimedSets::heldAddress(const Place &place, int set) const
{
    return m_machine.slab(place.held).address() + std::uint64_t(set) * roomOf(place.argument.bytes);
}

// As many sets as fit into a quarter of the device's memory, within reason.
void TimedSets::chooseCount()
{
    std::uint64_t bytes = 0;
    for (const Place &place : m_places)
        if (place.argument.parameter->isTensor)
            bytes += unit(place.argument) * (place.argument.parameter->written ? 2 : 1);
    const std::uint64_t quarter = m_machine.device.memoryBytes / 4;
    const std::uint64_t most =
        std::max<std::uint64_t>(1, std::max(std::min(mostBytes, quarter), std::min(2 * bytes, quarter)));
    m_sets = int(std::clamp<std::uint64_t>(bytes > 0 ? most / bytes : 1, 1, std::uint64_t(m_most)));
}

bool TimedSets::makeSlabs(Place &place, Result &result)
{
    Argument &argument = place.argument;
    std::string error;
    argument.slab = m_machine.addSlab(std::uint64_t(m_sets) * unit(argument), error);
    if (argument.slab >= 0 && argument.parameter->read) place.pristine = m_machine.addSlab(argument.bytes, error);
    if (place.pristine >= 0 && redraws(argument)) place.another = m_machine.addSlab(argument.bytes, error);
    if (argument.slab >= 0 && argument.parameter->written)
        place.held = m_machine.addSlab(std::uint64_t(m_sets) * roomOf(argument.bytes), error);
    if (!error.empty()) {
        result.giveUp(trouble::memory, "The GPU has no room for the tensors of size " + m_case->name + ": " + error);
        return false;
    }
    // Inputs cannot be written by either program: the checks have told a candidate that does already.
    const bool writable = argument.parameter->written;
    return m_machine.share(argument.slab, writable, *m_candidate, result) &&
           (m_baseline == m_candidate || m_machine.share(argument.slab, writable, *m_baseline, result));
}

bool TimedSets::make(const Argument &argument, int slab, std::uint64_t seed, std::string &error)
{
    std::vector<std::byte> values(argument.bytes);
    if (!kit::fillInput(*argument.parameter, seed, values, argument.count, error)) return false;
    m_machine.tools.upload(m_machine.slab(slab).address(), values.data(), argument.bytes);
    return true;
}

bool TimedSets::upload(const Argument &argument, int slab, const std::string &name, std::string &error)
{
    kit::MappedFile file;
    if (!file.open(name, argument.bytes, error)) return false;
    m_machine.tools.upload(m_machine.slab(slab).address(), file.bytes().data(), argument.bytes);
    return true;
}

bool TimedSets::fill(const Place &place, std::size_t i, Result &result)
{
    const Argument &argument = place.argument;
    std::string error;
    bool filled = false;
    if (i < m_case->inputFiles.size() && !m_case->inputFiles[i].empty()) {
        filled = upload(argument, place.pristine, m_case->inputFiles[i], error);
    } else if (i < m_case->seeds.size() && !m_request.generated) {
        filled = make(argument, place.pristine, m_case->seeds[i], error);
    } else {
        error = "there are no inputs for " + argument.parameter->name;
    }
    const std::uint64_t root = i < m_case->seeds.size() ? m_case->seeds[i] : i;
    if (filled && place.another >= 0)
        filled = make(argument, place.another, kit::Seed::of(root, "another draw").value(), error);
    if (!filled) result.skip("timing " + m_case->name, error);
    return filled;
}

// One alone, as for a profile, needs no others.
bool TimedSets::fillFurther(Place &place, std::size_t i, Result &result)
{
    const Argument &argument = place.argument;
    for (const std::vector<std::string> &files : m_case->inputSets) {
        if (m_most == 1) break;
        std::string error;
        if (i >= files.size() || files[i].empty()) error = "a set of inputs has none for " + argument.parameter->name;
        const int slab = error.empty() ? m_machine.addSlab(argument.bytes, error) : -1;
        if (slab >= 0) place.further.push_back(slab);
        if (slab >= 0 && upload(argument, slab, files[i], error)) continue;
        result.skip("timing " + m_case->name, error);
        return false;
    }
    return true;
}

bool TimedSets::create(const kit::TimeCase &one, Side &candidate, Side &baseline, Result &result)
{
    m_case = &one;
    m_candidate = &candidate;
    m_baseline = &baseline;
    m_judged = !m_request.checks.empty() && !m_request.checks.front().outputFiles.empty();
    std::vector<Argument> arguments;
    std::string error;
    if (!bindArguments(m_request, one.binding, arguments, error)) {
        result.skip("timing " + one.name, error);
        return false;
    }
    for (Argument &argument : arguments)
        m_places.push_back({std::move(argument)});
    chooseCount();
    m_hasReference = true;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        Place &place = m_places[i];
        const kit::ParameterSpec &parameter = *place.argument.parameter;
        if (!parameter.isTensor) continue;
        if (!makeSlabs(place, result)) return false;
        if (parameter.read && (!fill(place, i, result) || !fillFurther(place, i, result))) return false;
        if (parameter.written && (i >= one.expectedFiles.size() || one.expectedFiles[i].empty()))
            m_hasReference = false;
        for (int set = 0; set < m_sets; ++set)
            m_machine.tools.guard(guardSeed(i), address(place, set) - guardBytes, guardBytes);
    }
    return true;
}

// Elements of a generated input mean something by their place: row pointers must stay sorted.
bool TimedSets::moves(const Argument &argument) const
{
    return !m_request.generated && argument.count > 1 && argument.parameter->distribution != "constant";
}

// Two permutations mixed are none.
bool TimedSets::redraws(const Argument &argument) const
{
    return moves(argument) && argument.parameter->distribution != "permutation";
}

void TimedSets::takeTurns(std::uint64_t firstDraw)
{
    m_turnsFrom = firstDraw;
}

// New ones lie evenly among the first draws, so that what changes with time says nothing about them.
bool TimedSets::isFirstSight(std::uint64_t draw) const
{
    if (!m_turnsFrom || draw < *m_turnsFrom || (draw - *m_turnsFrom) % 2 != 0) return false;
    return (draw - *m_turnsFrom) / 2 < m_case->inputSets.size();
}

std::size_t TimedSets::contentOf(int set, std::uint64_t draw) const
{
    if (!m_turnsFrom || draw < *m_turnsFrom) return 0;
    const std::uint64_t step = (draw - *m_turnsFrom) / 2;
    if (isFirstSight(draw)) return std::size_t(step) + 1;
    const std::uint64_t seen = 1 + std::min<std::uint64_t>(step + 1, m_case->inputSets.size());
    return std::size_t(kit::Seed::of(draw, "content", set).value() % seen);
}

void TimedSets::put(const Place &place, std::size_t i, int set, std::uint64_t draw)
{
    const Argument &argument = place.argument;
    const std::size_t content = place.further.empty() ? 0 : contentOf(set, draw);
    const int from = content == 0 ? place.pristine : place.further[content - 1];
    const DevicePointer source = m_machine.slab(from).address();
    if (draw == 0 || !moves(argument)) return m_machine.tools.copy(address(place, set), source, argument.bytes);
    const kit::Seed seed = kit::Seed::of(draw, "refresh", i, set);
    const DevicePointer other = place.another >= 0 ? m_machine.slab(place.another).address() : source;
    const std::uint64_t by = 1 + seed.value() % (argument.count - 1);
    m_machine.tools.blend(address(place, set), source, other, argument.count, argument.dtype->bytes, by, seed);
}

void TimedSets::refresh(int set, std::uint64_t draw)
{
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const Place &place = m_places[i];
        if (place.pristine >= 0)
            put(place, i, set, draw);
        else if (place.held >= 0)
            m_machine.tools.poison(*place.argument.dtype, poisonSeed(i, set, draw), address(place, set),
                                   place.argument.count);
    }
    m_machine.tools.settle();
}

nlohmann::json TimedSets::slots(int set) const
{
    nlohmann::json slots = nlohmann::json::array();
    for (const Place &place : m_places) {
        if (place.argument.parameter->isTensor)
            slots.push_back({place.argument.slab, offset(place, set)});
        else
            slots.push_back(place.argument.scalar);
    }
    return slots;
}

void TimedSets::hold(int set)
{
    for (const Place &place : m_places)
        if (place.held >= 0) m_machine.tools.copy(heldAddress(place, set), address(place, set), place.argument.bytes);
    m_machine.tools.settle();
}

std::optional<std::string> TimedSets::differs(int set, bool heldIsBaseline)
{
    if (m_judged) return std::nullopt; // several answers may be right
    for (Place &place : m_places) {
        const Argument &argument = place.argument;
        if (place.held < 0 || argument.count == 0) continue;
        const DevicePointer now = address(place, set), held = heldAddress(place, set);
        const DevicePointer expected = heldIsBaseline ? held : now, actual = heldIsBaseline ? now : held;
        if (place.rootMeanSquare < 0)
            place.rootMeanSquare = m_machine.tools.rootMeanSquare(*argument.dtype, expected, argument.count);
        // Each may be off by the tolerance, to either side.
        const double absolute = 2 * m_request.absoluteTolerance * std::max(1.0, place.rootMeanSquare);
        const DeviceComparison found = m_machine.tools.compare(*argument.dtype, actual, expected, argument.count,
                                                               absolute, 2 * m_request.relativeTolerance);
        if (found.mismatches == 0) continue;
        char text[200];
        std::snprintf(text, sizeof text,
                      ": %llu of %llu differ from the baseline's by more than both may be off, first at %llu",
                      static_cast<unsigned long long>(found.mismatches),
                      static_cast<unsigned long long>(argument.count), static_cast<unsigned long long>(found.first));
        return argument.parameter->name + text;
    }
    return std::nullopt;
}

std::optional<std::string> TimedSets::unwritten(int set, std::uint64_t draw)
{
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const Place &place = m_places[i];
        const Argument &argument = place.argument;
        if (place.held < 0 || place.pristine >= 0 || argument.dtype->bytes == 1) continue;
        m_machine.tools.poison(*argument.dtype, poisonSeed(i, set, draw), heldAddress(place, set), argument.count);
        const std::uint64_t same =
            m_machine.tools.sameElements(*argument.dtype, address(place, set), heldAddress(place, set), argument.count);
        if (same > 0)
            return argument.parameter->name + ": " + std::to_string(same) + " of " + std::to_string(argument.count) +
                   " were never written";
    }
    return std::nullopt;
}

std::optional<std::string> TimedSets::wrongOutput(int set, std::string &error)
{
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const Argument &argument = m_places[i].argument;
        if (m_places[i].held < 0 || argument.count == 0) continue;
        kit::MappedFile expected;
        if (!expected.open(m_case->expectedFiles[i], argument.count * sizeof(double), error)) return std::nullopt;
        std::vector<std::byte> actual(argument.bytes);
        m_machine.tools.download(actual.data(), address(m_places[i], set), actual.size());
        const kit::Comparison comparison = kit::compareOutput(
            *argument.dtype, actual.data(), reinterpret_cast<const double *>(expected.bytes().data()), argument.count,
            {m_request.absoluteTolerance, m_request.relativeTolerance, true});
        if (!comparison.passed()) return argument.parameter->name + ": " + comparison.describe();
    }
    return std::nullopt;
}

std::uint64_t TimedSets::outputBytes() const
{
    std::uint64_t sum = 0;
    for (const Place &place : m_places)
        sum += place.held >= 0 ? place.argument.bytes : 0;
    return sum;
}

std::optional<std::string> TimedSets::brokenGuard()
{
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const Place &place = m_places[i];
        if (!place.argument.parameter->isTensor) continue;
        for (int set = 0; set < m_sets; ++set)
            if (m_machine.tools.brokenGuard(guardSeed(i), address(place, set) - guardBytes, guardBytes))
                return "something was written before the beginning of " + place.argument.parameter->name;
    }
    return std::nullopt;
}

} // namespace kernelskill::cuda
