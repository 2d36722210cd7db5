// SPDX-License-Identifier: Apache-2.0
// Several sets of tensors of one time size, used in turn. Before every pair of samples a set gets fresh inputs on the
// GPU, so that neither an address nor a content tells a candidate what it has seen. Both programs use the very same
// memory; what the first of a pair made is held aside and compared with what the second makes.
#pragma once

#include "call_tensors.h"

#include <optional>
#include <string>
#include <vector>

namespace kernelskill::cuda {

class TimedSets
{
public:
    TimedSets(Machine &machine, const Request &request, int most = 64)
        : m_machine(machine), m_request(request), m_most(most)
    {
    }
    ~TimedSets();
    TimedSets(const TimedSets &) = delete;
    TimedSets &operator=(const TimedSets &) = delete;

    // Makes and shares the memory and the values; one process may be both. False with the result saying why.
    [[nodiscard]] bool create(const kit::TimeCase &one, Side &candidate, Side &baseline, Result &result);
    [[nodiscard]] int count() const { return m_sets; }

    // Writes inputs, as the request gives them for draw 0, else fresh ones of the same distribution; poisons outputs.
    // Inputs of a task's own generator cannot be made here: until takeTurns() they are those of draw 0, then the
    // request's sets in turn, a new one every other draw as long as there are new ones.
    void refresh(int set, std::uint64_t draw);
    void takeTurns(std::uint64_t firstDraw);
    [[nodiscard]] int contents() const { return 1 + int(m_case->inputSets.size()); } // of a task's own generator
    [[nodiscard]] bool isFirstSight(std::uint64_t draw) const;
    [[nodiscard]] nlohmann::json slots(int set) const;
    void hold(int set); // what the outputs are now
    // The outputs against those held, both within tolerance of the truth; a sentence when they cannot both be.
    [[nodiscard]] std::optional<std::string> differs(int set, bool heldIsBaseline);
    // Elements of pure outputs that still hold this draw's poison.
    [[nodiscard]] std::optional<std::string> unwritten(int set, std::uint64_t draw);
    // Against the reference's doubles, where the request has them; only right after draw 0.
    [[nodiscard]] bool hasReference() const { return m_hasReference; }
    [[nodiscard]] std::optional<std::string> wrongOutput(int set, std::string &error);
    [[nodiscard]] bool isJudged() const { return m_judged; }
    [[nodiscard]] std::uint64_t outputBytes() const; // of one set
    // A guard between two sets that was written to; a sentence.
    [[nodiscard]] std::optional<std::string> brokenGuard();

private:
    struct Place
    {
        Argument argument;
        // The supervisor's own: inputs as made, and another draw of them; outputs of the other program.
        int pristine = -1, another = -1, held = -1;
        std::vector<int> further = {}; // the supervisor's own: inputs of the request's further sets
        double rootMeanSquare = -1;    // of the baseline's outputs, once known
    };
    [[nodiscard]] bool makeSlabs(Place &place, Result &result);
    [[nodiscard]] bool fill(const Place &place, std::size_t i, Result &result);
    [[nodiscard]] bool fillFurther(Place &place, std::size_t i, Result &result);
    [[nodiscard]] bool upload(const Argument &argument, int slab, const std::string &file, std::string &error);
    [[nodiscard]] std::size_t contentOf(int set, std::uint64_t draw) const;
    [[nodiscard]] bool make(const Argument &argument, int slab, std::uint64_t seed, std::string &error);
    void chooseCount();
    [[nodiscard]] std::uint64_t unit(const Argument &argument) const;
    [[nodiscard]] std::uint64_t offset(const Place &place, int set) const;
    [[nodiscard]] DevicePointer address(const Place &place, int set) const;
    [[nodiscard]] DevicePointer heldAddress(const Place &place, int set) const;
    void put(const Place &place, std::size_t i, int set, std::uint64_t draw);
    [[nodiscard]] bool moves(const Argument &argument) const;
    [[nodiscard]] bool redraws(const Argument &argument) const;

    Machine &m_machine;
    const Request &m_request;
    const kit::TimeCase *m_case = nullptr;
    Side *m_candidate = nullptr, *m_baseline = nullptr;
    std::vector<Place> m_places;
    int m_most, m_sets = 1;
    std::optional<std::uint64_t> m_turnsFrom; // the draw
    bool m_hasReference = false, m_judged = false;
};

} // namespace kernelskill::cuda
