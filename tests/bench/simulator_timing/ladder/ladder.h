// SPDX-License-Identifier: Apache-2.0
// The rungs of kernels.cu with the launches to time. Plain C++, for the measuring and the modelling side.
#pragma once

struct Rung
{
    const char *family, *kernel;
    unsigned gridX, gridY, blockX, blockY;
    int rows, cols, inner;
    double flops;
};

inline constexpr int side = 4096, elements = side * side;
inline constexpr double product = 2.0 * 1024 * 1024 * 1024;

inline constexpr Rung ladder[] = {
    {"launch", "empty", 1, 1, 256, 1, 0, 0, 0, 0},
    {"copy", "copy_strided", elements / 16 / 256, 1, 256, 1, side, side, 0, 0},
    {"copy", "copy_scalar", elements / 256, 1, 256, 1, side, side, 0, 0},
    {"copy", "copy_vector", elements / 4 / 256, 1, 256, 1, side, side, 0, 0},
    {"gelu", "gelu_scalar", elements / 256, 1, 256, 1, side, side, 0, 0},
    {"gelu", "gelu_vector", elements / 4 / 256, 1, 256, 1, side, side, 0, 0},
    {"softmax", "softmax_thread", side / 256, 1, 256, 1, side, side, 0, 0},
    {"softmax", "softmax_warp", side / 8, 1, 256, 1, side, side, 0, 0},
    {"softmax", "softmax_block", side, 1, 256, 1, side, side, 0, 0},
    {"softmax", "softmax_registers", side, 1, 256, 1, side, side, 0, 0},
    {"layernorm", "layernorm_thread", side / 256, 1, 256, 1, side, side, 0, 0},
    {"layernorm", "layernorm_block", side, 1, 256, 1, side, side, 0, 0},
    {"layernorm", "layernorm_registers", side, 1, 256, 1, side, side, 0, 0},
    {"matmul 1024", "matmul_scattered", 32, 32, 32, 32, 1024, 1024, 1024, product},
    {"matmul 1024", "matmul_coalesced", 32, 32, 32, 32, 1024, 1024, 1024, product},
    {"matmul 1024", "matmul_tiled16", 64, 64, 16, 16, 1024, 1024, 1024, product},
    {"matmul 1024", "matmul_tiled32", 32, 32, 32, 32, 1024, 1024, 1024, product},
    {"matmul 1024", "matmul_blocked64", 16, 16, 256, 1, 1024, 1024, 1024, product},
    {"matmul 1024", "matmul_blocked128", 8, 8, 256, 1, 1024, 1024, 1024, product},
    {"matmul 4096", "matmul_coalesced", 128, 128, 32, 32, side, side, side, product * 64},
    {"matmul 4096", "matmul_tiled32", 128, 128, 32, 32, side, side, side, product * 64},
    {"matmul 4096", "matmul_blocked64", 64, 64, 256, 1, side, side, side, product * 64},
    {"matmul 4096", "matmul_blocked128", 32, 32, 256, 1, side, side, side, product * 64},
    {"transpose", "transpose_naive", 128, 128, 32, 8, side, side, 0, 0},
    {"transpose", "transpose_tiled", 128, 128, 32, 8, side, side, 0, 0},
    {"transpose", "transpose_padded", 128, 128, 32, 8, side, side, 0, 0},
    {"sum", "sum_atomic", elements / 256, 1, 256, 1, side, side, 0, 0},
    {"sum", "sum_shared", elements / 256, 1, 256, 1, side, side, 0, 0},
    {"sum", "sum_shuffle", elements / 256, 1, 256, 1, side, side, 0, 0},
    {"sum", "sum_grid", 132 * 8, 1, 256, 1, side, side, 0, 0},
};
