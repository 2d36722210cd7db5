// SPDX-License-Identifier: Apache-2.0
// Four elements a thread in streaming 16-byte accesses, all four reads first, a grid that covers everything.
#include <cuda_runtime.h>

#include <math.h>

constexpr int threads = 256;

__device__ void adam(float &p, float g, float &m, float &v, float rate, float scale)
{
    m = 0.9f * m + 0.1f * g;
    v = 0.999f * v + 0.001f * g * g;
    p -= __fdividef(rate * m, sqrtf(v * scale) + 1e-8f);
}

// The first 4 · quads elements by fours, the others one by one.
__global__ void __launch_bounds__(threads)
    adamAll(const float *__restrict__ p, const float *__restrict__ g, const float *__restrict__ m,
            const float *__restrict__ v, float *__restrict__ pNew, float *__restrict__ mNew, float *__restrict__ vNew,
            int quads, int count, float rate, float scale)
{
    const int i = blockIdx.x * threads + threadIdx.x;
    if (i < quads) {
        float4 a = __ldcs(reinterpret_cast<const float4 *>(p) + i);
        const float4 b = __ldcs(reinterpret_cast<const float4 *>(g) + i);
        float4 c = __ldcs(reinterpret_cast<const float4 *>(m) + i);
        float4 d = __ldcs(reinterpret_cast<const float4 *>(v) + i);
        adam(a.x, b.x, c.x, d.x, rate, scale);
        adam(a.y, b.y, c.y, d.y, rate, scale);
        adam(a.z, b.z, c.z, d.z, rate, scale);
        adam(a.w, b.w, c.w, d.w, rate, scale);
        __stcs(reinterpret_cast<float4 *>(pNew) + i, a);
        __stcs(reinterpret_cast<float4 *>(mNew) + i, c);
        __stcs(reinterpret_cast<float4 *>(vNew) + i, d);
        return;
    }
    const int single = 3 * quads + i; // 4 · quads + (i - quads)
    if (single < count) {
        float a = p[single], c = m[single], d = v[single];
        adam(a, g[single], c, d, rate, scale);
        pNew[single] = a;
        mNew[single] = c;
        vNew[single] = d;
    }
}

bool aligned(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer) % sizeof(float4) == 0;
}

extern "C" void solve(const float *p, const float *g, const float *m, const float *v, float *pNew, float *mNew,
                      float *vNew, int count, int step, cudaStream_t stream)
{
    const float rate = float(0.01 / (1.0 - pow(0.9, step)));
    const float scale = float(1.0 / (1.0 - pow(0.999, step)));
    const bool vectors = aligned(p) && aligned(g) && aligned(m) && aligned(v) && aligned(pNew) && aligned(mNew) &&
                         aligned(vNew);
    const int quads = vectors ? count / 4 : 0;
    const int items = count - 3 * quads;
    adamAll<<<(items + threads - 1) / threads, threads, 0, stream>>>(p, g, m, v, pNew, mNew, vNew, quads, count, rate,
                                                                     scale);
}
