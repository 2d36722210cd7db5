// SPDX-License-Identifier: Apache-2.0
// wmma: the fragments' layout is nobody's business but ours, so a 16×16 product is two m16n8 ones side by side and the
// fragments are those of mma.sync. Loads and stores become an address calculation and an ordinary access a register.
#include "engine/execution/decoder.h"

#include "engine/execution/rare/matrix.h"

#include <optional>

namespace kernelskill::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

struct Shape { int m = 0, n = 0, k = 0; };

std::optional<Shape> shapeOf(const Instruction &instruction) {
    static constexpr std::pair<std::string_view, Shape> shapes[] = {
        {"m16n16k16", {16, 16, 16}}, {"m32n8k16", {32, 8, 16}}, {"m8n32k16", {8, 32, 16}}, {"m16n16k8", {16, 16, 8}},
        {"m8n8k32", {8, 8, 32}}, {"m8n8k128", {8, 8, 128}}, {"m8n8k4", {8, 8, 4}}};
    for (const auto &[name, shape] : shapes)
        if (instruction.has(name)) return shape;
    return std::nullopt;
}

struct Cell { int row = 0, column = 0; };

// Which element of its matrix a lane's register holds: A is m × k, B is k × n, C and D are m × n. `e` elements lie in a register.
Cell cellOf(char matrix, const Shape &shape, int e, int r, int lane, int i) {
    const int g = lane / 4, t = lane % 4;
    const int perTileB = shape.k / (4 * e);
    if (matrix == 'a') {
        if (shape.m == 8) return {g, 4 * e * (r % perTileB) + t * e + i};
        const int perTile = 2 * perTileB, tiles = shape.m / 16, inTile = r % perTile, tile = r / perTile % tiles;
        return {g + 8 * (inTile & 1) + 16 * tile, 4 * e * (inTile >> 1) + t * e + i};
    }
    if (matrix == 'b') return {4 * e * (r % perTileB) + t * e + i, g + 8 * (r / perTileB % (shape.n / 8))};
    const int pair = e == 2 ? 0 : r & 1, upper = shape.m == 8 ? 0 : e == 2 ? r & 1 : r >> 1 & 1;
    const int tile = r / ((e == 2 ? 1 : 2) * (shape.m == 8 ? 1 : 2));
    return {g + 8 * upper + (shape.m == 32 ? 16 * tile : 0), 2 * t + pair + i + (shape.m == 32 ? 0 : 8 * tile)};
}

} // namespace

void Decoder::wmma(const Instruction &instruction) {
    if (instruction.has("mma")) return multiplyFragments(instruction);
    moveFragment(instruction);
}

void Decoder::moveFragment(const Instruction &instruction) {
    const auto shape = shapeOf(instruction);
    const bool store = instruction.has("store");
    const char matrix = instruction.has("a") ? 'a' : instruction.has("b") ? 'b' : 'c';
    Type type = Type::None;
    for (const auto &m : instruction.modifiers)
        if (const auto t = ptx::typeFromName(m)) type = *t;
    if (!shape || type == Type::None) throw Unsupported{"the shape"};
    const bool isDouble = type == Type::F64;
    const int e = matrix == 'c' && type != Type::F16 ? 1 : elementsPerRegister(type), bits = isDouble ? 64 : 32 / e;
    if (matrix != 'c' && shape->k % (4 * e) != 0) throw Unsupported{"the shape"};
    const Operand &registers = instruction.operands.at(store ? 1 : 0), &base = instruction.operands.at(store ? 0 : 1);
    const bool columnMajor = instruction.has("col");
    const bool adjacent = matrix == 'b' ? columnMajor : !columnMajor; // the elements of a register lie side by side in memory
    MemoryOperand from;
    addressOperand(instruction, base, spaceOf(instruction), from);
    const std::uint32_t stride = instruction.operands.size() > 2 ? source(instruction, instruction.operands[2], Type::B32)
                                                                 : constant(static_cast<std::uint64_t>(matrix == 'a' ? (columnMajor ? shape->m : shape->k) : matrix == 'b' ? (columnMajor ? shape->k : shape->n) : columnMajor ? shape->m : shape->n), false);
    const auto access = [&](int r, int i, std::uint32_t row, int width) {
        std::vector<std::uint32_t> cells;
        for (int lane = 0; lane < 32; ++lane) {
            const Cell cell = cellOf(matrix, *shape, e, r, lane, i);
            cells.push_back(static_cast<std::uint32_t>(columnMajor ? cell.row : cell.column) | static_cast<std::uint32_t>(columnMajor ? cell.column : cell.row) << 16);
        }
        MicroOp place = make(instruction, InstructionClass::Integer);
        place.full = place.masked = m_isa.tensor(from.address64 ? "wmma.address" : "wmma.address32", Type::B16);
        place.a = from.address;
        place.b = stride;
        place.readyA = readyOfRow(place.a);
        place.readyB = readyOfRow(place.b);
        place.d = temporary(true);
        place.readyD = readyOfRow(place.d);
        place.immediate = bits;
        place.extra = static_cast<std::uint32_t>(m_program->entries.size());
        m_program->entries.insert(m_program->entries.end(), cells.begin(), cells.end());
        if (r == 0 && i == 0) { place.control = Control::Join; place.target = constant(fullMask, false); }
        emit(place);
        MemoryOperand m = from;
        m.address64 = true;
        m.address = place.d;
        m.elementBytes = static_cast<std::uint8_t>(width);
        m.rows[0] = row;
        m.wide[0] = isDouble;
        const bool isShared = m.space == AddressSpaceKind::Shared;
        MicroOp op = make(instruction, store ? (isShared ? InstructionClass::StoreShared : InstructionClass::StoreGlobal) : isShared ? InstructionClass::LoadShared : InstructionClass::LoadGlobal);
        op.full = op.masked = m_isa.memory(store ? "st" : "ld", m.space, Type::B32);
        op.canStop = true;
        op.readyA = place.readyD;
        if (store) op.readyB = readyOfRow(row);
        else op.readyD = readyOfRow(row);
        // The machine brings a 16-bit factor from shared memory by one matrix load of four wavefronts, each element once
        // (PTX's eight registers hold halves twice).
        const bool once = r < 4 && i == 0;
        if (matrix != 'c' && isShared && e == 2 && !once) op.instructionClass = static_cast<std::uint8_t>(InstructionClass::Other);
        op.extra = static_cast<std::uint32_t>(m_program->memory.size());
        m_program->memory.push_back(m);
        emit(op);
    };
    const auto repack = [&](const char *name, std::uint32_t whole, const std::vector<std::uint32_t> &parts) {
        const Handlers h = m_isa.data(name, Type::B32);
        MicroOp op = make(instruction, InstructionClass::Move);
        op.full = h.full;
        op.masked = h.masked;
        op.immediate = bits;
        (store ? op.a : op.d) = whole;
        (store ? op.readyA : op.readyD) = readyOfRow(whole);
        if (!store) { op.readyA = readyOfRow(parts[0]); op.readyB = readyOfRow(parts[1]); }
        op.extra = static_cast<std::uint32_t>(m_program->entries.size());
        m_program->entries.push_back(static_cast<std::uint32_t>(parts.size()));
        m_program->entries.insert(m_program->entries.end(), parts.begin(), parts.end());
        emit(op);
    };
    for (std::size_t r = 0; r < registers.elements.size(); ++r) {
        const Operand &element = registers.elements[r];
        const std::uint32_t row = store ? source(instruction, element, type == Type::F32 || isDouble ? type : Type::B32) : destination(element, isDouble);
        const int number = static_cast<int>(r);
        if (e == 1 || adjacent) { access(number, 0, row, isDouble ? 8 : 4); continue; }
        if (bits < 8) throw Unsupported{"this layout of elements smaller than a byte"};
        std::vector<std::uint32_t> parts;
        for (int i = 0; i < e; ++i) parts.push_back(temporary(false));
        if (store) repack("unpack", row, parts);
        for (int i = 0; i < e; ++i) access(number, i, parts[static_cast<std::size_t>(i)], bits / 8);
        if (!store) repack("pack", row, parts);
    }
}

void Decoder::multiplyFragments(const Instruction &instruction) {
    const auto shape = shapeOf(instruction);
    std::vector<Type> types;
    for (const auto &m : instruction.modifiers)
        if (const auto t = ptx::typeFromName(m)) types.push_back(*t);
    if (!shape || types.size() < 2) throw Unsupported{"the shape"};
    const Type input = types.size() == 4 ? types[1] : Type::F16, result = types.front();
    const bool usual = result == types.back() && (result == Type::F32 || result == Type::F16) && elementsPerRegister(input) <= 2;
    if (!usual) return multiplyRareFragments(instruction);
    const int e = elementsPerRegister(input);
    if (shape->k % (4 * e) != 0 || shape->n * shape->m < 256) throw Unsupported{"the shape"};
    const Handler handler = m_isa.tensor(result == Type::F32 ? "mma.f32" : "mma.f16", input);
    if (handler == nullptr) throw Unsupported{};
    const std::size_t perTileB = static_cast<std::size_t>(shape->k / (4 * e)), perTileA = 2 * perTileB;
    const std::size_t accumulators = result == Type::F32 ? 4 : 2, tiles = static_cast<std::size_t>(shape->m == 32 ? 2 : shape->n / 8);
    const auto &d = instruction.operands.at(0).elements, &a = instruction.operands.at(1).elements, &b = instruction.operands.at(2).elements, &c = instruction.operands.at(3).elements;
    const std::uint32_t zero = constant(0, false);
    const auto from = [&](const Operand &operand) { return source(instruction, operand, Type::B32); };
    for (std::size_t tile = 0; tile < tiles; ++tile) {
        std::vector<std::uint32_t> rows{static_cast<std::uint32_t>(shape->k)};
        const bool half = shape->m == 8; // the lower eight rows only: the others of the product are zero and dropped
        const std::size_t kept = half ? accumulators / 2 : accumulators;
        for (std::size_t j = 0; j < accumulators; ++j) rows.push_back(j < kept ? destination(d.at(tile * kept + j), false) : temporary(false));
        for (std::size_t r = 0; r < perTileA; ++r) {
            if (half) rows.push_back(r & 1 ? zero : from(a.at(r >> 1)));
            else rows.push_back(from(a.at((shape->m == 32 ? tile * perTileA : 0) + r)));
        }
        for (std::size_t r = 0; r < perTileB; ++r) rows.push_back(from(b.at((shape->m == 32 ? 0 : tile * perTileB) + r)));
        for (std::size_t j = 0; j < accumulators; ++j) rows.push_back(j < kept ? from(c.at(tile * kept + j)) : zero);
        MicroOp op = make(instruction, InstructionClass::Tensor);
        op.full = op.masked = handler;
        scoreboard(op, instruction);
        op.extra = static_cast<std::uint32_t>(m_program->entries.size());
        m_program->entries.insert(m_program->entries.end(), rows.begin(), rows.end());
        op.immediate = static_cast<std::int64_t>(2 * (half ? 8 : 16) * 8 * shape->k) << 32;
        op.control = Control::Join;
        op.target = constant(fullMask, false);
        emit(op);
    }
}

// Bytes, smaller elements, doubles, and halves whose accumulators come in another type than they go: tile after tile.
void Decoder::multiplyRareFragments(const Instruction &instruction) {
    const auto whole = shapeOf(instruction);
    const std::vector<Type> types = typesNamed(instruction);
    const bool named = types.size() == 4;
    MatrixShape tile;
    tile.m = whole->m == 8 ? 8 : 16;
    tile.n = 8;
    tile.k = whole->k;
    tile.d = types.front();
    tile.c = types.back();
    tile.a = named ? types[1] : Type::F16;
    tile.b = named ? types[2] : Type::F16;
    tile.saturate = instruction.has("satfinite");
    tile.conjunction = instruction.has("and");
    const bool integers = tile.d == Type::S32 && tile.c == Type::S32 && elementsPerRegister(tile.a) >= 4 && elementsPerRegister(tile.a) == elementsPerRegister(tile.b);
    const bool doubles = tile.a == Type::F64 && tile.b == Type::F64 && tile.c == Type::F64 && tile.d == Type::F64;
    const auto isAccumulator = [](Type t) { return t == Type::F16 || t == Type::F32; };
    const bool halves = tile.a == Type::F16 && tile.b == Type::F16 && isAccumulator(tile.c) && isAccumulator(tile.d);
    if (!(integers || doubles || halves) || tile.k != 4 * elementsPerRegister(tile.a) * (halves ? 2 : 1)) throw Unsupported{"the shape"};
    const std::size_t tiles = static_cast<std::size_t>(whole->m == 32 ? 2 : whole->n / 8);
    const std::size_t counts[] = {tile.registersOf(tile.d), tile.registersA(), tile.registersB(), tile.registersOf(tile.c)};
    for (std::size_t t = 0; t < tiles; ++t) {
        std::vector<std::uint32_t> rows;
        for (std::size_t i = 0; i < 4; ++i) {
            const bool shared = (i == 1 && whole->m != 32) || (i == 2 && whole->m == 32); // the factor all tiles use
            for (std::size_t r = 0; r < counts[i]; ++r) {
                const Operand &operand = instruction.operands.at(i).elements.at((shared ? 0 : t * counts[i]) + r);
                rows.push_back(i == 0 ? destination(operand, doubles) : source(instruction, operand, doubles ? Type::F64 : Type::B32));
            }
        }
        emitGeneral(instruction, tile, rows);
    }
}

} // namespace kernelskill::simulator
