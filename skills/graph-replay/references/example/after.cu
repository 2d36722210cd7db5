// SPDX-License-Identifier: Apache-2.0
// All launches of a call are recorded once as a graph. A further call with the same buffers and length replays it: one
// submission for 32 kernels, which then follow one another without the host.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void differences(const float *values, float *y, int pairs)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
        y[i] = 0.5f * (values[2 * i] - values[2 * i + 1]);
}

// A last value without a partner passes as it is.
__global__ void means(const float *values, float *next, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 < count)
        next[i] = 0.5f * (values[2 * i] + values[2 * i + 1]);
    else if (2 * i < count)
        next[i] = values[2 * i];
}

int threadsFor(int count)
{
    return count < kThreads ? count : kThreads;
}

int blocksFor(int count)
{
    return (count + kThreads - 1) / kThreads;
}

// For the means of two levels in turn. Allocated once and kept: the graph holds its address.
float *scratchFor(int n)
{
    static float *scratch = nullptr;
    static int capacity = 0;
    if (n > capacity) {
        cudaFree(scratch);
        cudaMalloc(&scratch, (size_t(n) + 1) * sizeof(float));
        capacity = n;
    }
    return scratch;
}

void launchAll(const float *x, float *y, int n, float *scratch, cudaStream_t stream)
{
    const float *values = x;
    for (int count = n, level = 0; count > 1; count = (count + 1) / 2, ++level) {
        const int pairs = count / 2, next = (count + 1) / 2;
        float *target = level % 2 == 0 ? scratch : scratch + (n + 1) / 2;
        if (next == 1)
            target = y + pairs; // the last mean follows the last difference
        differences<<<blocksFor(pairs), threadsFor(pairs), 0, stream>>>(values, y, pairs);
        means<<<blocksFor(next), threadsFor(next), 0, stream>>>(values, target, count);
        values = target;
        y += pairs;
    }
    if (n == 1)
        means<<<1, 1, 0, stream>>>(x, y, 1);
}

// What a recording was made for. A graph holds addresses and sizes, not the contents behind them.
struct Key
{
    const float *x;
    float *y;
    int n;
    float *scratch;
    bool operator==(const Key &other) const
    {
        return x == other.x && y == other.y && n == other.n && scratch == other.scratch;
    }
};

// Records on a stream of its own: the caller's may be the default stream, which cannot record.
cudaGraphExec_t recorded(const Key &key)
{
    static Key last{};
    static cudaGraphExec_t executable = nullptr;
    if (executable && key == last)
        return executable;
    static cudaStream_t recorder = nullptr;
    if (!recorder)
        cudaStreamCreateWithFlags(&recorder, cudaStreamNonBlocking);

    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(recorder, cudaStreamCaptureModeThreadLocal);
    launchAll(key.x, key.y, key.n, key.scratch, recorder);
    cudaStreamEndCapture(recorder, &graph);
    // Other addresses in a graph of the same shape are exchanged in place, which is cheaper than a new one.
    cudaGraphExecUpdateResultInfo result;
    if (executable && cudaGraphExecUpdate(executable, graph, &result) != cudaSuccess) {
        cudaGetLastError(); // another number of levels: not an error here
        cudaGraphExecDestroy(executable);
        executable = nullptr;
    }
    if (!executable)
        cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    last = key;
    return executable;
}

extern "C" void solve(const float *x, float *y, int n, cudaStream_t stream)
{
    float *scratch = scratchFor(n); // before recording: an allocation is not part of a graph
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(stream, &status);
    if (status != cudaStreamCaptureStatusNone)
        launchAll(x, y, n, scratch, stream); // the caller records already; these launches become part of his graph
    else
        cudaGraphLaunch(recorded({x, y, n, scratch}), stream);
}
