// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

struct AdamSettings
{
    float rate, beta1, beta2, epsilon, correction1, correction2;
};

__global__ void adam(float *__restrict__ weight, const float *__restrict__ grad, float *__restrict__ m,
                     float *__restrict__ v, AdamSettings s, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float g = grad[i];
    const float mi = m[i] = s.beta1 * m[i] + (1.0f - s.beta1) * g;
    const float vi = v[i] = s.beta2 * v[i] + (1.0f - s.beta2) * g * g;
    weight[i] -= s.rate * (mi / s.correction1) / (sqrtf(vi / s.correction2) + s.epsilon);
}

extern "C" void solve(float *weight, const float *grad, float *m, float *v, int n, cudaStream_t stream)
{
    const AdamSettings s{1e-3f, 0.9f, 0.999f, 1e-8f, 0.1f, 0.001f};
    adam<<<(n + 255) / 256, 256, 0, stream>>>(weight, grad, m, v, s, n);
}
