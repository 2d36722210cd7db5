// SPDX-License-Identifier: Apache-2.0
#include "kit/foreign_names.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string_view>

namespace kernelskill::kit {

namespace {

// What timers, checkers and channels call.
constexpr std::string_view libraryFunctions[] = {
    "abs",     "calloc", "clock",   "clock_gettime", "dlopen",    "dlsym",  "exit",    "fabs",     "fabsf",
    "free",    "fwrite", "getenv",  "gettimeofday",  "isnan",     "malloc", "memchr",  "memcmp",   "memcpy",
    "memmove", "memset", "mmap",    "munmap",        "nanosleep", "open",   "poll",    "printf",   "pthread_create",
    "read",    "readv",  "realloc", "recv",          "recvmsg",   "send",   "sendmsg", "sqrt",     "strcmp",
    "syscall", "time",   "usleep",  "write",         "writev",    "fmax",   "fmaxf",   "nearbyint"};

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

// A table inside the file, or nothing where it would reach beyond its end.
template <class Entry> bool at(std::string_view file, std::size_t offset, Entry &entry)
{
    if (offset > file.size() || file.size() - offset < sizeof entry) return false;
    std::memcpy(&entry, file.data() + offset, sizeof entry);
    return true;
}

std::string nameAt(std::string_view file, const Elf64_Shdr &strings, std::size_t offset)
{
    if (strings.sh_offset > file.size() || strings.sh_size > file.size() - strings.sh_offset ||
        offset >= strings.sh_size)
        return {};
    const std::string_view table = file.substr(strings.sh_offset, strings.sh_size);
    return std::string(table.substr(offset, table.find('\0', offset) - offset));
}

void addSymbols(std::string_view file, const Elf64_Shdr &symbols, const Elf64_Shdr &strings,
                std::vector<std::string> &names)
{
    for (std::size_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
        Elf64_Sym symbol;
        if (!at(file, symbols.sh_offset + i * sizeof symbol, symbol)) return;
        if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
        std::string name = nameAt(file, strings, symbol.st_name);
        if (isForeignName(name)) names.push_back(std::move(name));
    }
}

} // namespace

bool isForeignName(const std::string &name)
{
    if (name.starts_with("cuda") && name.size() > 4 && isUpper(name[4])) return true;
    if (name.starts_with("cu") && name.size() > 2 && isUpper(name[2])) return true;
    return std::ranges::find(libraryFunctions, name) != std::end(libraryFunctions);
}

bool foreignNames(const std::string &path, std::vector<std::string> &names, std::string &error)
{
    std::ifstream stream(path, std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(stream), {}};
    Elf64_Ehdr header;
    if (!at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
        error = path + " is not a shared library";
        return false;
    }
    // An object file's symbols are global to what it is linked with, whether others will see them afterwards or not.
    const Elf64_Word table = header.e_type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM;
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr symbols, strings;
        if (!at(file, header.e_shoff + i * sizeof symbols, symbols) || symbols.sh_type != table) continue;
        if (at(file, header.e_shoff + symbols.sh_link * sizeof strings, strings))
            addSymbols(file, symbols, strings, names);
    }
    std::ranges::sort(names);
    return true;
}

} // namespace kernelskill::kit
