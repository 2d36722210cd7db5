#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh [FOLDER]: builds kernelskill-cuda-worker and kernelskill-cuda-host into FOLDER (default: ./cuda) with g++ 11 or
# newer and nothing else but nlohmann's json header. Where libseccomp's header is missing they are built without the
# system-call filter, and say so in their hello.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
profiler=$(cd "$here/../profiler" && pwd)
core=$(cd "$here/../../../../core" && pwd)
out=${1:-cuda}
compiler=${CXX:-g++}
mkdir -p "$out/objects"
out=$(cd "$out" && pwd)
flags="-std=c++20 -O2 -g1 -fPIC -ffp-contract=off -Wall -Wextra -I$core -I$here/.. ${CXXFLAGS:-}"
libraries="${LDFLAGS:-} -pthread -ldl"
if echo '#include <seccomp.h>' | $compiler $flags -E - >/dev/null 2>&1; then
    libraries="$libraries -lseccomp"
else
    flags="$flags -DKERNELSKILL_WITHOUT_SECCOMP"
fi
device="device driver link slab"
running="" count=0
finish() { # what is being compiled; the first failure ends the build
    for process in $running; do wait "$process" || exit 1; done
    running=""
}
for source in "$core"/kit/*.cpp "$profiler"/*.cpp "$here"/*.cpp; do
    name=$(basename "$source" .cpp)
    [ "$name" = counter ] && continue # compiled with every candidate
    "$compiler" $flags -c "$source" -o "$out/objects/$name.o" &
    running="$running $!" count=$((count + 1))
    [ $((count % 8)) -ne 0 ] || finish
done
finish
host="" supervisor=""
for source in "$core"/kit/*.cpp "$profiler"/*.cpp; do host="$host $out/objects/$(basename "$source" .cpp).o"; done
supervisor=$host
for name in $device host_main host_session refused_calls; do host="$host $out/objects/$name.o"; done
for source in "$here"/*.cpp; do
    name=$(basename "$source" .cpp)
    case $name in counter | host_main | host_session | refused_calls) ;; *) supervisor="$supervisor $out/objects/$name.o" ;; esac
done
"$compiler" $flags -o "$out/kernelskill-cuda-worker" $supervisor $libraries
"$compiler" $flags -o "$out/kernelskill-cuda-host" $host $libraries
cp "$here/supervisor_kernels.cu" "$here/counter.cpp" "$out/"
mkdir -p "$out/profiler"
cp "$profiler"/cupti/* "$out/profiler/"
rm -r "$out/objects"
echo "$out/kernelskill-cuda-worker"
