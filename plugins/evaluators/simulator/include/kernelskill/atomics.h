// SPDX-License-Identifier: Apache-2.0
// Atomic functions under their public names, for global and shared memory.
#pragma once

#define KS_DEVICE static __device__ __forceinline__

// integers: add, sub, min, max, and, or, xor, exchange, compare and swap, each with block and system scope
#define KS_ATOMIC(name, builtin, type, as)                                                                             \
    KS_DEVICE type name(type *address, type value)                                                                     \
    {                                                                                                                  \
        return static_cast<type>(__nvvm_atom_##builtin(reinterpret_cast<as *>(address), static_cast<as>(value)));      \
    }
#define KS_ATOMIC_SCOPED(name, operation, letter, type, as)                                                            \
    KS_ATOMIC(name, operation##_gen_##letter, type, as)                                                                \
    KS_ATOMIC(name##_block, cta_##operation##_gen_##letter, type, as)                                                  \
    KS_ATOMIC(name##_system, sys_##operation##_gen_##letter, type, as)
KS_ATOMIC_SCOPED(atomicAdd, add, i, int, int)
KS_ATOMIC_SCOPED(atomicAdd, add, i, unsigned int, int)
KS_ATOMIC_SCOPED(atomicAdd, add, ll, unsigned long long, long long)
KS_ATOMIC_SCOPED(atomicAdd, add, f, float, float)
KS_ATOMIC_SCOPED(atomicAdd, add, d, double, double)
KS_ATOMIC_SCOPED(atomicMin, min, i, int, int)
KS_ATOMIC_SCOPED(atomicMin, min, ui, unsigned int, unsigned int)
KS_ATOMIC_SCOPED(atomicMin, min, ll, long long, long long)
KS_ATOMIC_SCOPED(atomicMin, min, ull, unsigned long long, unsigned long long)
KS_ATOMIC_SCOPED(atomicMax, max, i, int, int)
KS_ATOMIC_SCOPED(atomicMax, max, ui, unsigned int, unsigned int)
KS_ATOMIC_SCOPED(atomicMax, max, ll, long long, long long)
KS_ATOMIC_SCOPED(atomicMax, max, ull, unsigned long long, unsigned long long)
KS_ATOMIC_SCOPED(atomicAnd, and, i, int, int)
KS_ATOMIC_SCOPED(atomicAnd, and, i, unsigned int, int)
KS_ATOMIC_SCOPED(atomicAnd, and, ll, unsigned long long, long long)
KS_ATOMIC_SCOPED(atomicOr, or, i, int, int)
KS_ATOMIC_SCOPED(atomicOr, or, i, unsigned int, int)
KS_ATOMIC_SCOPED(atomicOr, or, ll, unsigned long long, long long)
KS_ATOMIC_SCOPED(atomicXor, xor, i, int, int)
KS_ATOMIC_SCOPED(atomicXor, xor, i, unsigned int, int)
KS_ATOMIC_SCOPED(atomicXor, xor, ll, unsigned long long, long long)
KS_ATOMIC_SCOPED(atomicExch, xchg, i, int, int)
KS_ATOMIC_SCOPED(atomicExch, xchg, i, unsigned int, int)
KS_ATOMIC_SCOPED(atomicExch, xchg, ll, unsigned long long, long long)
KS_ATOMIC_SCOPED(atomicInc, inc, ui, unsigned int, unsigned int)
KS_ATOMIC_SCOPED(atomicDec, dec, ui, unsigned int, unsigned int)
#undef KS_ATOMIC
#undef KS_ATOMIC_SCOPED

#define KS_SUBTRACT(scope)                                                                                             \
    KS_DEVICE int atomicSub##scope(int *address, int value)                                                            \
    {                                                                                                                  \
        return static_cast<int>(                                                                                       \
            atomicAdd##scope(reinterpret_cast<unsigned int *>(address), 0u - static_cast<unsigned>(value)));           \
    }                                                                                                                  \
    KS_DEVICE unsigned int atomicSub##scope(unsigned int *address, unsigned int value)                                 \
    {                                                                                                                  \
        return atomicAdd##scope(address, 0u - value);                                                                  \
    }
KS_SUBTRACT()
KS_SUBTRACT(_block)
KS_SUBTRACT(_system)
#undef KS_SUBTRACT
KS_DEVICE float atomicExch(float *address, float value)
{
    return __int_as_float(atomicExch(reinterpret_cast<int *>(address), __float_as_int(value)));
}

#define KS_CAS(name, builtin, type, as)                                                                                \
    KS_DEVICE type name(type *address, type compare, type value)                                                       \
    {                                                                                                                  \
        return static_cast<type>(                                                                                      \
            __nvvm_atom_##builtin(reinterpret_cast<as *>(address), static_cast<as>(compare), static_cast<as>(value))); \
    }
KS_CAS(atomicCAS, cas_gen_i, int, int)
KS_CAS(atomicCAS, cas_gen_i, unsigned int, int)
KS_CAS(atomicCAS, cas_gen_ll, unsigned long long, long long)
KS_CAS(atomicCAS_block, cta_cas_gen_i, int, int)
KS_CAS(atomicCAS_block, cta_cas_gen_i, unsigned int, int)
KS_CAS(atomicCAS_system, sys_cas_gen_i, int, int)
KS_CAS(atomicCAS_system, sys_cas_gen_i, unsigned int, int)
KS_CAS(atomicCAS_block, cta_cas_gen_ll, unsigned long long, long long)
KS_CAS(atomicCAS_system, sys_cas_gen_ll, unsigned long long, long long)
#undef KS_CAS
KS_DEVICE unsigned short atomicCAS(unsigned short *address, unsigned short compare, unsigned short value)
{
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(address), "h"(compare), "h"(value) : "memory");
    return old;
}
#undef KS_DEVICE
