// SPDX-License-Identifier: Apache-2.0
// Turns parsed functions into micro-ops. The parts live in decoder_arithmetic.cpp, decoder_memory.cpp, decoder_control.cpp.
#pragma once

#include "engine/execution/operation.h"
#include "engine/execution/program.h"
#include "engine/analysis/liveness.h"
#include "engine/ptx/module.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernelskill::simulator {

struct Unsupported { std::string why; }; // thrown by a decoding function; the instruction becomes a fatal finding if reached

struct MatrixShape;

class Decoder {
public:
    Decoder(const ptx::Module &module, const ExecutionModel &model, const SymbolAddress &addressOf, std::span<const lowering::FunctionFacts> lowered);
    std::shared_ptr<Program> decodeKernel(std::size_t kernel);

private:
    using Method = void (Decoder::*)(const ptx::Instruction &);
    static const std::map<std::string_view, Method> &methods();

    // layout (decoder.cpp)
    [[nodiscard]] std::vector<std::string> addressedFunctions() const;
    [[nodiscard]] std::vector<std::size_t> callOrder(std::size_t kernel) const;
    void layOutShared(const std::vector<std::size_t> &order);
    void layOutFunction(std::size_t index, DecodedFunction &decoded);
    void decodeFunction(std::size_t index, DecodedFunction &decoded);
    void decodeInstruction(const ptx::Instruction &instruction);
    void applyCost(const lowering::MachineCost &cost, std::size_t begin, bool whole);
    void estimateRegisters(std::size_t kernel, const std::vector<std::size_t> &order);
    void finish(std::size_t kernel, const std::vector<std::size_t> &order);
    void noteUnsupported(const ptx::Instruction &instruction, const std::string &why);
    [[nodiscard]] std::uint32_t placeIndex(std::int32_t place);

    // operands (decoder_operands.cpp)
    [[nodiscard]] MicroOp make(const ptx::Instruction &instruction, InstructionClass kind) const;
    MicroOp &emit(MicroOp op);
    [[nodiscard]] std::uint32_t constant(std::uint64_t bits, bool wide);
    [[nodiscard]] std::uint32_t source(const ptx::Instruction &, const ptx::Operand &, ptx::Type type);
    [[nodiscard]] std::uint32_t destination(const ptx::Operand &, bool wide);
    [[nodiscard]] std::uint32_t predicate(const ptx::Operand &) const;
    [[nodiscard]] std::uint32_t predicateDestination(const ptx::Operand &) const;
    [[nodiscard]] std::uint32_t readyOf(const ptx::Operand &) const;
    [[nodiscard]] std::uint32_t readyOfRegister(std::uint32_t index) const;
    [[nodiscard]] static std::uint32_t readyOfRow(std::uint32_t row);
    [[nodiscard]] static std::uint32_t readyOfPredicate(std::uint32_t number);
    [[nodiscard]] std::uint32_t temporary(bool wide);
    [[nodiscard]] bool isWide(const ptx::Operand &) const;
    [[nodiscard]] std::uint32_t latency(InstructionClass kind) const;
    [[nodiscard]] std::uint32_t predicateResult() const;       // latency and reason, as in MicroOp::result
    [[nodiscard]] std::uint32_t specialRegisterResult() const;
    void setLatency(MicroOp &op, std::uint32_t cycles, StallReason reason) const { op.result = cycles << reasonBits | static_cast<std::uint32_t>(reason); }
    void scoreboard(MicroOp &op, const ptx::Instruction &instruction) const; // all operands, however many
    [[nodiscard]] std::uint64_t immediateBits(const ptx::Operand &, ptx::Type type) const;
    struct SymbolPlace { AddressSpaceKind space; std::uint64_t address; };
    [[nodiscard]] SymbolPlace symbolPlace(const ptx::Operand &) const;
    [[nodiscard]] std::uint32_t frameRow(const ptx::Instruction &, std::uint64_t offset, bool wide);

    // arithmetic
    void arithmetic(const ptx::Instruction &, const ArithmeticKey &, std::size_t inputs, const std::vector<ptx::Type> &inputTypes = {}, bool wideResult = false);
    [[nodiscard]] ArithmeticKey keyOf(const ptx::Instruction &, Operation) const;
    [[nodiscard]] InstructionClass classOf(const ArithmeticKey &) const;
    void simpleArithmetic(const ptx::Instruction &);
    void multiply(const ptx::Instruction &);
    void multiplyWithCarry(const ptx::Instruction &);
    void addWithCarry(const ptx::Instruction &);
    void fieldOperation(const ptx::Instruction &);
    void unaryToWord(const ptx::Instruction &);
    void dotProduct(const ptx::Instruction &);
    void permute(const ptx::Instruction &);
    void logic3(const ptx::Instruction &);
    void funnelShift(const ptx::Instruction &);
    void logic(const ptx::Instruction &);
    void shift(const ptx::Instruction &);
    void convert(const ptx::Instruction &);
    void compare(const ptx::Instruction &);
    void testProperty(const ptx::Instruction &);
    void setValue(const ptx::Instruction &);
    void choose(const ptx::Instruction &);
    void chooseBySign(const ptx::Instruction &);
    void move(const ptx::Instruction &);
    void moveVector(const ptx::Instruction &, ptx::Type);
    void convertAddress(const ptx::Instruction &);
    void isSpace(const ptx::Instruction &);

    // lane by lane (decoder_rare.cpp)
    void emitLanes(const ptx::Instruction &, Handler, InstructionClass, ptx::Type result, const std::vector<ptx::Type> &sources, std::uint64_t mode = 0);
    [[nodiscard]] static std::vector<ptx::Type> typesNamed(const ptx::Instruction &); // in order; none: Unsupported
    void video(const ptx::Instruction &);
    void videoVector(const ptx::Instruction &);
    [[nodiscard]] bool packedInteger(const ptx::Instruction &);
    [[nodiscard]] bool floatVariant(const ptx::Instruction &, const ArithmeticKey &, std::size_t inputs);
    [[nodiscard]] bool rareConversion(const ptx::Instruction &, ConvertKey);
    void findNthSet(const ptx::Instruction &);
    void multiply24High(const ptx::Instruction &);
    void packSaturated(const ptx::Instruction &);
    std::array<std::uint32_t, 2> comparePair(const ptx::Instruction &, ptx::Type, Comparison, bool ftz, std::uint32_t first, std::uint32_t second);
    void setHalves(const ptx::Instruction &, ptx::Type result, ptx::Type type, Comparison);
    void logic3WithPredicate(const ptx::Instruction &);
    void texture(const ptx::Instruction &);

    // memory
    void load(const ptx::Instruction &);
    void store(const ptx::Instruction &);
    void atomic(const ptx::Instruction &);
    void accessDouble(const ptx::Instruction &, MemoryOperand, bool store);
    void atomicOfEight(const ptx::Instruction &);
    [[nodiscard]] std::uint32_t sourceUnlessIgnored(const ptx::Instruction &, const ptx::Operand &ignore, std::uint64_t bytes);
    void copyAsync(const ptx::Instruction &);
    void prefetch(const ptx::Instruction &);
    void addressOperand(const ptx::Instruction &, const ptx::Operand &, AddressSpaceKind space, MemoryOperand &);
    void memoryFlags(const ptx::Instruction &, MemoryOperand &) const;
    [[nodiscard]] AddressSpaceKind spaceOf(const ptx::Instruction &) const;

    // asynchronous (decoder_async.cpp)
    struct WideRow { std::uint32_t row = 0; bool wide = false; };
    [[nodiscard]] WideRow wideRow(const ptx::Instruction &, const ptx::Operand &, ptx::Type);
    void barrierObject(const ptx::Instruction &);
    void copyArrive(const ptx::Instruction &);
    void copyBulk(const ptx::Instruction &);
    void storeAsync(const ptx::Instruction &);
    void warpgroup(const ptx::Instruction &);
    void clusterAddress(const ptx::Instruction &);
    void stackMemory(const ptx::Instruction &);
    void createPolicy(const ptx::Instruction &);
    void specialToPredicate(const ptx::Instruction &);
    [[nodiscard]] std::array<std::uint32_t, 2> halvesOf(const ptx::Operand &) const;
    void moveDouble(const ptx::Instruction &);

    // control and the whole warp
    void branch(const ptx::Instruction &);
    void branchIndexed(const ptx::Instruction &);
    void call(const ptx::Instruction &);
    void leave(const ptx::Instruction &);
    void barrier(const ptx::Instruction &);
    void fence(const ptx::Instruction &);
    void trap(const ptx::Instruction &);
    void nothing(const ptx::Instruction &);
    void shuffle(const ptx::Instruction &);
    void vote(const ptx::Instruction &);
    void match(const ptx::Instruction &);
    void reduce(const ptx::Instruction &);
    void activeMask(const ptx::Instruction &);
    void elect(const ptx::Instruction &);
    void sleep(const ptx::Instruction &);
    void matrix(const ptx::Instruction &);
    void multiplyGeneral(const ptx::Instruction &, const MatrixShape &);
    void emitGeneral(const ptx::Instruction &, const MatrixShape &, const std::vector<std::uint32_t> &rows);
    void transpose(const ptx::Instruction &);
    void moveMatrices(const ptx::Instruction &);
    void wmma(const ptx::Instruction &);
    void moveFragment(const ptx::Instruction &);
    void multiplyFragments(const ptx::Instruction &);
    void multiplyRareFragments(const ptx::Instruction &);
    [[nodiscard]] std::vector<ParameterSlot> parameterSlots(const ptx::Operand &list) const;

    const ptx::Module &m_module;
    const ExecutionModel &m_model;
    const SymbolAddress &m_addressOf;
    std::span<const lowering::FunctionFacts> m_lowered;
    const IsaTable &m_isa;
    std::shared_ptr<Program> m_program;
    std::map<std::pair<std::uint64_t, bool>, std::uint32_t> m_constants;
    std::map<std::string, std::uint32_t> m_sharedOffsets;                      // module-level shared variables
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> m_localShared; // (function, variable)
    std::map<std::size_t, std::uint32_t> m_decodedIndex;                       // module function → Program::functions
    std::map<std::string, std::size_t> m_functionByName;
    // the function being decoded
    const ptx::Function *m_function = nullptr;
    std::size_t m_functionIndex = 0;
    std::uint32_t m_decoded = 0;
    LivenessResult m_liveness;
    std::vector<std::uint32_t> m_predicateNumber;
    std::vector<std::uint32_t> m_variableOffset; // of locals in the frame, of parameters in their memory
    std::uint32_t m_firstRow = 0, m_nextTemporary = 0;
    std::uint32_t m_place = 0;
    std::array<std::uint32_t, 3> m_replaced{};                                 // rows that stand for operands of the current instruction
};

} // namespace kernelskill::simulator
