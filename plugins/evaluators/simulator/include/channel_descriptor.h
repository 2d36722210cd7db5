// SPDX-License-Identifier: Apache-2.0
// The element format of an array, from the element's type.
#pragma once

#include "driver_types.h"

static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return {x, y, z, w, kind};
}

namespace kernelskill_format {
template <class T> struct Format;
#define KS_FORMAT(type, element, count, kind)                                                                          \
    template <> struct Format<type>                                                                                    \
    {                                                                                                                  \
        static constexpr int bits = 8 * sizeof(element), channels = count;                                             \
        static constexpr cudaChannelFormatKind format = cudaChannelFormatKind##kind;                                   \
    };
#define KS_FORMATS(name, element, kind)                                                                                \
    KS_FORMAT(name##1, element, 1, kind)                                                                               \
    KS_FORMAT(name##2, element, 2, kind) KS_FORMAT(name##3, element, 3, kind) KS_FORMAT(name##4, element, 4, kind)
KS_FORMAT(char, char, 1, Signed)
KS_FORMAT(signed char, char, 1, Signed)
KS_FORMAT(unsigned char, char, 1, Unsigned)
KS_FORMAT(short, short, 1, Signed)
KS_FORMAT(unsigned short, short, 1, Unsigned)
KS_FORMAT(int, int, 1, Signed)
KS_FORMAT(unsigned int, int, 1, Unsigned)
KS_FORMAT(float, float, 1, Float)
KS_FORMATS(char, char, Signed)
KS_FORMATS(uchar, char, Unsigned)
KS_FORMATS(short, short, Signed)
KS_FORMATS(ushort, short, Unsigned)
KS_FORMATS(int, int, Signed)
KS_FORMATS(uint, int, Unsigned)
KS_FORMATS(float, float, Float)
#undef KS_FORMAT
#undef KS_FORMATS
} // namespace kernelskill_format

template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    using Format = kernelskill_format::Format<T>;
    const int bits = Format::bits, n = Format::channels;
    return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, Format::format};
}
