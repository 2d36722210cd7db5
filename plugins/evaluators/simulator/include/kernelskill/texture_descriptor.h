// SPDX-License-Identifier: Apache-2.0
// What lies in device memory behind a texture or surface object: the run time writes it, the fetch functions read it.
#pragma once

namespace kernelskill_texture {

struct Descriptor
{
    unsigned long long data; // address of the first texel
    unsigned long long rowBytes, sliceBytes;
    int width, height, depth; // in texels; 1 for dimensions it does not have
    int channels, bits, kind; // of a texel; bits of one channel; cudaChannelFormatKind
    int address[3];           // cudaTextureAddressMode
    int isLinear, isNormalizedFloat, hasNormalizedCoordinates;
    float border[4];
};

} // namespace kernelskill_texture
