// SPDX-License-Identifier: Apache-2.0
// Error codes of the host interface, once for the enumeration and once for names and sentences: name, code, sentence.
#pragma once

#define KS_RUNTIME_ERRORS(KS_ERROR)                                                                                    \
    KS_ERROR(cudaSuccess, 0, "no error")                                                                               \
    KS_ERROR(cudaErrorInvalidValue, 1, "invalid argument")                                                             \
    KS_ERROR(cudaErrorMemoryAllocation, 2, "out of memory")                                                            \
    KS_ERROR(cudaErrorInitializationError, 3, "initialization error")                                                  \
    KS_ERROR(cudaErrorCudartUnloading, 4, "driver shutting down")                                                      \
    KS_ERROR(cudaErrorProfilerDisabled, 5, "profiler disabled while using external profiling tool")                    \
    KS_ERROR(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                       \
    KS_ERROR(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                                 \
    KS_ERROR(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                      \
    KS_ERROR(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                                  \
    KS_ERROR(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                              \
    KS_ERROR(cudaErrorInvalidTexture, 18, "invalid texture reference")                                                 \
    KS_ERROR(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer")                                  \
    KS_ERROR(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                                      \
    KS_ERROR(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                 \
    KS_ERROR(cudaErrorAddressOfConstant, 22, "invalid address of constant")                                            \
    KS_ERROR(cudaErrorTextureFetchFailed, 23, "fetch from texture failed")                                             \
    KS_ERROR(cudaErrorTextureNotBound, 24, "cannot fetch from a texture that is not bound")                            \
    KS_ERROR(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()")                                    \
    KS_ERROR(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type")                   \
    KS_ERROR(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for 32-bit non float type")      \
    KS_ERROR(cudaErrorMixedDeviceExecution, 28, "cannot mix device and device emulation mode")                         \
    KS_ERROR(cudaErrorNotYetImplemented, 31, "API call is not yet implemented")                                        \
    KS_ERROR(cudaErrorMemoryValueTooLarge, 32, "memory size or pointer value too large to fit in 32 bit")              \
    KS_ERROR(cudaErrorStubLibrary, 34, "CUDA driver is a stub library")                                                \
    KS_ERROR(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")          \
    KS_ERROR(cudaErrorCallRequiresNewerDriver, 36, "API call is not supported in the installed CUDA driver")           \
    KS_ERROR(cudaErrorInvalidSurface, 37, "invalid surface reference")                                                 \
    KS_ERROR(cudaErrorDuplicateVariableName, 43, "duplicate global variable looked up by string name")                 \
    KS_ERROR(cudaErrorDuplicateTextureName, 44, "duplicate texture looked up by string name")                          \
    KS_ERROR(cudaErrorDuplicateSurfaceName, 45, "duplicate surface looked up by string name")                          \
    KS_ERROR(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable")                     \
    KS_ERROR(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context")                                    \
    KS_ERROR(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")                          \
    KS_ERROR(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch")                            \
    KS_ERROR(cudaErrorDeviceAlreadyInUse, 54, "exclusive-thread device already in use by a different thread")          \
    KS_ERROR(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches")              \
    KS_ERROR(cudaErrorLaunchFileScopedTex, 66, "launch failed because of an unsupported file-scoped texture")          \
    KS_ERROR(cudaErrorLaunchFileScopedSurf, 67, "launch failed because of an unsupported file-scoped surface")         \
    KS_ERROR(cudaErrorSyncDepthExceeded, 68, "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth") \
    KS_ERROR(cudaErrorLaunchPendingCountExceeded, 69, "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount") \
    KS_ERROR(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                            \
    KS_ERROR(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                             \
    KS_ERROR(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                    \
    KS_ERROR(cudaErrorDeviceNotLicensed, 102, "device doesn't have valid Grid license")                                \
    KS_ERROR(cudaErrorStartupFailure, 127, "startup failure in cuda runtime")                                          \
    KS_ERROR(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                                       \
    KS_ERROR(cudaErrorDeviceUninitialized, 201, "invalid device context")                                              \
    KS_ERROR(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed")                                   \
    KS_ERROR(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed")                               \
    KS_ERROR(cudaErrorArrayIsMapped, 207, "array is mapped")                                                           \
    KS_ERROR(cudaErrorAlreadyMapped, 208, "resource already mapped")                                                   \
    KS_ERROR(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device")         \
    KS_ERROR(cudaErrorAlreadyAcquired, 210, "resource already acquired")                                               \
    KS_ERROR(cudaErrorNotMapped, 211, "resource not mapped")                                                           \
    KS_ERROR(cudaErrorNotMappedAsArray, 212, "resource not mapped as array")                                           \
    KS_ERROR(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer")                                       \
    KS_ERROR(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")                                    \
    KS_ERROR(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture")                            \
    KS_ERROR(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices")            \
    KS_ERROR(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                                                 \
    KS_ERROR(cudaErrorInvalidGraphicsContext, 219, "invalid OpenGL or DirectX context")                                \
    KS_ERROR(cudaErrorNvlinkUncorrectable, 220, "uncorrectable NVLink error detected during the execution")            \
    KS_ERROR(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found")                                  \
    KS_ERROR(cudaErrorUnsupportedPtxVersion, 222, "the provided PTX was compiled with an unsupported toolchain.")      \
    KS_ERROR(cudaErrorInvalidSource, 300, "device kernel image is invalid")                                            \
    KS_ERROR(cudaErrorFileNotFound, 301, "file not found")                                                             \
    KS_ERROR(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found")                               \
    KS_ERROR(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed")                              \
    KS_ERROR(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")                    \
    KS_ERROR(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                           \
    KS_ERROR(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")                     \
    KS_ERROR(cudaErrorSymbolNotFound, 500, "named symbol not found")                                                   \
    KS_ERROR(cudaErrorNotReady, 600, "device not ready")                                                               \
    KS_ERROR(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                                 \
    KS_ERROR(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                            \
    KS_ERROR(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                                   \
    KS_ERROR(cudaErrorLaunchIncompatibleTexturing, 703, "launch uses incompatible texturing mode")                     \
    KS_ERROR(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                                 \
    KS_ERROR(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                                   \
    KS_ERROR(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process")                    \
    KS_ERROR(cudaErrorContextIsDestroyed, 709, "context is destroyed")                                                 \
    KS_ERROR(cudaErrorAssert, 710, "device-side assert triggered")                                                     \
    KS_ERROR(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted")                                           \
    KS_ERROR(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
    KS_ERROR(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region")       \
    KS_ERROR(cudaErrorHardwareStackError, 714, "hardware stack error")                                                 \
    KS_ERROR(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                               \
    KS_ERROR(cudaErrorMisalignedAddress, 716, "misaligned address")                                                    \
    KS_ERROR(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space")              \
    KS_ERROR(cudaErrorInvalidPc, 718, "invalid program counter")                                                       \
    KS_ERROR(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                                \
    KS_ERROR(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                         \
    KS_ERROR(cudaErrorNotPermitted, 800, "operation not permitted")                                                    \
    KS_ERROR(cudaErrorNotSupported, 801, "operation not supported")                                                    \
    KS_ERROR(cudaErrorSystemNotReady, 802, "system not yet initialized")                                               \
    KS_ERROR(cudaErrorSystemDriverMismatch, 803, "system has unsupported display driver / cuda driver combination")    \
    KS_ERROR(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")               \
    KS_ERROR(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")        \
    KS_ERROR(cudaErrorStreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences")      \
    KS_ERROR(cudaErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began")             \
    KS_ERROR(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                                \
    KS_ERROR(cudaErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream")          \
    KS_ERROR(cudaErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
    KS_ERROR(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream")   \
    KS_ERROR(cudaErrorStreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
    KS_ERROR(cudaErrorTimeout, 909, "wait operation timed out")                                                        \
    KS_ERROR(cudaErrorGraphExecUpdateFailure, 910, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
    KS_ERROR(cudaErrorInvalidClusterSize, 912, "invalid cluster size")                                                 \
    KS_ERROR(cudaErrorUnknown, 999, "unknown error")

#define KS_ERROR(name, code, sentence) name = code,
typedef enum cudaError { KS_RUNTIME_ERRORS(KS_ERROR) } cudaError_t;
#undef KS_ERROR
