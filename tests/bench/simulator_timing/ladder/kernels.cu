// SPDX-License-Identifier: Apache-2.0
// Families of kernels from naive to tuned, one signature for all, for calibrating the time model against a device.
// Compiles with nvcc and with the simulator's front end; needs no header of the toolkit beyond the built-in ones.
#define KERNEL extern "C" __global__ void
#define ARGUMENTS const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int rows, int cols, int inner

// ---- pointwise: c = f(a) over rows × cols -------------------------------------------------------------------------

__device__ inline float gelu(float x)
{
    return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

KERNEL empty(ARGUMENTS) {}

KERNEL copy_strided(ARGUMENTS) // a thread owns 16 neighbours: lanes 64 bytes apart
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    for (int i = 0; i < 16; ++i)
        if (first + i < rows * cols)
            c[first + i] = a[first + i];
}

KERNEL copy_scalar(ARGUMENTS)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols)
        c[i] = a[i];
}

KERNEL copy_vector(ARGUMENTS)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols / 4)
        reinterpret_cast<float4 *>(c)[i] = reinterpret_cast<const float4 *>(a)[i];
}

KERNEL gelu_scalar(ARGUMENTS)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols)
        c[i] = gelu(a[i]);
}

KERNEL gelu_vector(ARGUMENTS)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols / 4) {
        float4 v = reinterpret_cast<const float4 *>(a)[i];
        v.x = gelu(v.x);
        v.y = gelu(v.y);
        v.z = gelu(v.z);
        v.w = gelu(v.w);
        reinterpret_cast<float4 *>(c)[i] = v;
    }
}

// ---- softmax and layer norm over rows -----------------------------------------------------------------------------

template<typename Join>
__device__ inline float blockJoin(float value, float neutral, Join join)
{
    __shared__ float partial[32];
    for (int offset = 16; offset > 0; offset /= 2)
        value = join(value, __shfl_xor_sync(0xffffffffu, value, offset));
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : neutral;
    for (int offset = 16; offset > 0; offset /= 2)
        value = join(value, __shfl_xor_sync(0xffffffffu, value, offset));
    __syncthreads();
    return value;
}

struct Sum { __device__ float operator()(float x, float y) const { return x + y; } };
struct Largest { __device__ float operator()(float x, float y) const { return fmaxf(x, y); } };

template<typename Join>
__device__ inline float warpJoin(float value, Join join)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value = join(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}

KERNEL softmax_thread(ARGUMENTS)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *x = a + row * cols;
    float largest = -3.4e38f, sum = 0;
    for (int i = 0; i < cols; ++i)
        largest = fmaxf(largest, x[i]);
    for (int i = 0; i < cols; ++i)
        sum += expf(x[i] - largest);
    for (int i = 0; i < cols; ++i)
        c[row * cols + i] = expf(x[i] - largest) / sum;
}

KERNEL softmax_warp(ARGUMENTS)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = a + row * cols;
    float largest = -3.4e38f, sum = 0;
    for (int i = lane; i < cols; i += 32)
        largest = fmaxf(largest, x[i]);
    largest = warpJoin(largest, Largest{});
    for (int i = lane; i < cols; i += 32)
        sum += expf(x[i] - largest);
    sum = 1 / warpJoin(sum, Sum{});
    for (int i = lane; i < cols; i += 32)
        c[row * cols + i] = expf(x[i] - largest) * sum;
}

KERNEL softmax_block(ARGUMENTS)
{
    const float *x = a + blockIdx.x * cols;
    float largest = -3.4e38f, sum = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        largest = fmaxf(largest, x[i]);
    largest = blockJoin(largest, -3.4e38f, Largest{});
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += expf(x[i] - largest);
    sum = 1 / blockJoin(sum, 0, Sum{});
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        c[blockIdx.x * cols + i] = expf(x[i] - largest) * sum;
}

KERNEL softmax_registers(ARGUMENTS) // 256 threads × 4 float4: rows of 4096
{
    const float4 *x = reinterpret_cast<const float4 *>(a + blockIdx.x * cols);
    float4 v[4];
    float largest = -3.4e38f, sum = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = x[threadIdx.x + i * 256];
        largest = fmaxf(fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)), largest);
    }
    largest = blockJoin(largest, -3.4e38f, Largest{});
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = make_float4(__expf(v[i].x - largest), __expf(v[i].y - largest), __expf(v[i].z - largest),
                           __expf(v[i].w - largest));
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    sum = 1 / blockJoin(sum, 0, Sum{});
#pragma unroll
    for (int i = 0; i < 4; ++i)
        reinterpret_cast<float4 *>(c + blockIdx.x * cols)[threadIdx.x + i * 256] =
            make_float4(v[i].x * sum, v[i].y * sum, v[i].z * sum, v[i].w * sum);
}

KERNEL layernorm_thread(ARGUMENTS)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *x = a + row * cols;
    float sum = 0, squares = 0;
    for (int i = 0; i < cols; ++i)
        sum += x[i];
    const float mean = sum / cols;
    for (int i = 0; i < cols; ++i)
        squares += (x[i] - mean) * (x[i] - mean);
    const float scale = rsqrtf(squares / cols + 1e-5f);
    for (int i = 0; i < cols; ++i)
        c[row * cols + i] = (x[i] - mean) * scale * b[i];
}

KERNEL layernorm_block(ARGUMENTS)
{
    const float *x = a + blockIdx.x * cols;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += x[i];
    const float mean = blockJoin(sum, 0, Sum{}) / cols;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        squares += (x[i] - mean) * (x[i] - mean);
    const float scale = rsqrtf(blockJoin(squares, 0, Sum{}) / cols + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        c[blockIdx.x * cols + i] = (x[i] - mean) * scale * b[i];
}

KERNEL layernorm_registers(ARGUMENTS) // 256 threads × 4 float4
{
    const float4 *x = reinterpret_cast<const float4 *>(a + blockIdx.x * cols);
    float4 v[4];
    float sum = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = x[threadIdx.x + i * 256];
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
        squares += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
    }
    const float mean = blockJoin(sum, 0, Sum{}) / cols;
    const float scale = rsqrtf(blockJoin(squares, 0, Sum{}) / cols - mean * mean + 1e-5f);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float4 w = reinterpret_cast<const float4 *>(b)[threadIdx.x + i * 256];
        reinterpret_cast<float4 *>(c + blockIdx.x * cols)[threadIdx.x + i * 256] =
            make_float4((v[i].x - mean) * scale * w.x, (v[i].y - mean) * scale * w.y, (v[i].z - mean) * scale * w.z,
                        (v[i].w - mean) * scale * w.w);
    }
}

// ---- matrix product: c[rows × cols] = a[rows × inner] · b[inner × cols] -------------------------------------------

KERNEL matmul_scattered(ARGUMENTS) // neighbouring lanes in neighbouring rows
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= cols)
        return;
    float sum = 0;
    for (int k = 0; k < inner; ++k)
        sum += a[row * inner + k] * b[k * cols + column];
    c[row * cols + column] = sum;
}

KERNEL matmul_coalesced(ARGUMENTS)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || column >= cols)
        return;
    float sum = 0;
    for (int k = 0; k < inner; ++k)
        sum += a[row * inner + k] * b[k * cols + column];
    c[row * cols + column] = sum;
}

template<int tile>
__device__ inline void matmulTiled(ARGUMENTS)
{
    __shared__ float left[tile][tile], right[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < inner; k += tile) {
        left[threadIdx.y][threadIdx.x] = a[row * inner + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * cols + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < tile; ++i)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    c[row * cols + column] = sum;
}

KERNEL matmul_tiled16(ARGUMENTS) { matmulTiled<16>(a, b, c, rows, cols, inner); }
KERNEL matmul_tiled32(ARGUMENTS) { matmulTiled<32>(a, b, c, rows, cols, inner); }

// A tile × tile block of results, each thread part × part of them, as two-dimensional register blocking.
template<int tile, int depth, int part>
__device__ inline void matmulBlocked(ARGUMENTS)
{
    constexpr int threads = (tile / part) * (tile / part);
    __shared__ float left[depth][tile + 4], right[depth][tile];
    const int x = threadIdx.x % (tile / part), y = threadIdx.x / (tile / part);
    float sum[part][part] = {};
    a += blockIdx.y * tile * inner;
    b += blockIdx.x * tile;
    for (int k = 0; k < inner; k += depth) {
#pragma unroll
        for (int step = 0; step < tile * depth / (threads * 4); ++step) {
            const int i = (step * threads + threadIdx.x) * 4;
            const float4 v = *reinterpret_cast<const float4 *>(a + i / depth * inner + k + i % depth);
            left[i % depth][i / depth] = v.x;
            left[i % depth + 1][i / depth] = v.y;
            left[i % depth + 2][i / depth] = v.z;
            left[i % depth + 3][i / depth] = v.w;
            *reinterpret_cast<float4 *>(&right[i / tile][i % tile]) =
                *reinterpret_cast<const float4 *>(b + (k + i / tile) * cols + i % tile);
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < depth; ++d) {
            float l[part], r[part];
#pragma unroll
            for (int i = 0; i < part; i += 4) {
                *reinterpret_cast<float4 *>(l + i) = *reinterpret_cast<const float4 *>(&left[d][y * part + i]);
                *reinterpret_cast<float4 *>(r + i) = *reinterpret_cast<const float4 *>(&right[d][x * 4 + i * (tile / part)]);
            }
#pragma unroll
            for (int i = 0; i < part; ++i)
#pragma unroll
                for (int j = 0; j < part; ++j)
                    sum[i][j] += l[i] * r[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < part; ++i)
#pragma unroll
        for (int j = 0; j < part; j += 4)
            *reinterpret_cast<float4 *>(c + (blockIdx.y * tile + y * part + i) * cols + blockIdx.x * tile + x * 4
                                        + j * (tile / part)) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}

KERNEL matmul_blocked64(ARGUMENTS) { matmulBlocked<64, 16, 4>(a, b, c, rows, cols, inner); }
KERNEL matmul_blocked128(ARGUMENTS) { matmulBlocked<128, 16, 8>(a, b, c, rows, cols, inner); }

// ---- transpose: c[cols × rows] = a[rows × cols]ᵀ, blocks of 32 × 8 threads on 32 × 32 elements --------------------

KERNEL transpose_naive(ARGUMENTS)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        c[x * rows + y + i] = a[(y + i) * cols + x];
}

template<int pad>
__device__ inline void transposeTiled(ARGUMENTS)
{
    __shared__ float tile[32][32 + pad];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = a[(y + i) * cols + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        c[(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
}

KERNEL transpose_tiled(ARGUMENTS) { transposeTiled<0>(a, b, c, rows, cols, inner); }
KERNEL transpose_padded(ARGUMENTS) { transposeTiled<1>(a, b, c, rows, cols, inner); }

// ---- sum of all elements into c[0] --------------------------------------------------------------------------------

KERNEL sum_atomic(ARGUMENTS)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols)
        atomicAdd(c, a[i]);
}

KERNEL sum_shared(ARGUMENTS)
{
    __shared__ float partial[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < rows * cols ? a[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (threadIdx.x % (2 * stride) == 0)
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(c, partial[0]);
}

KERNEL sum_shuffle(ARGUMENTS)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float sum = blockJoin(i < rows * cols ? a[i] : 0, 0, Sum{});
    if (threadIdx.x == 0)
        atomicAdd(c, sum);
}

KERNEL sum_grid(ARGUMENTS)
{
    float sum = 0;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols / 4; i += gridDim.x * blockDim.x) {
        const float4 v = reinterpret_cast<const float4 *>(a)[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum = blockJoin(sum, 0, Sum{});
    if (threadIdx.x == 0)
        atomicAdd(c, sum);
}
