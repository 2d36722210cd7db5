#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the profiling library against this machine's CUPTI, once for each content of the sources and version of
# CUPTI, and prints its path:
#     build.sh CACHE_FOLDER [CUDA_FOLDER]
# Exit status: 0 built or found · 10 no CUPTI headers · 11 headers before CUDA 12.6 · 12 no libcupti · 13 it does not
# compile · 14 no C++ compiler · 15 the cache cannot be written. What went wrong is on stderr.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?build.sh CACHE_FOLDER [CUDA_FOLDER]}
cuda=${2:-${CUDA_HOME:-/usr/local/cuda}}
compiler=${CXX:-g++}

fail() { status=$1; shift; echo "$*" >&2; exit "$status"; }

first_with() { # FILE FOLDER…: the first folder that has the file
    file=$1; shift
    for folder in "$@"; do
        if [ -e "$folder/$file" ]; then echo "$folder"; return; fi
    done
}

command -v "$compiler" >/dev/null 2>&1 || fail 14 "no C++ compiler: $compiler"
include=$(first_with cupti.h "$cuda/include" "$cuda/extras/CUPTI/include" "$cuda"/targets/*/include /usr/include)
[ -n "$include" ] || fail 10 "no CUPTI headers under $cuda"
[ -e "$include/cupti_range_profiler.h" ] && [ -e "$include/cupti_pmsampling.h" ] ||
    fail 11 "the CUPTI headers in $include are older than CUDA 12.6"
toolkit=$(first_with cuda.h "$include" "$cuda/include" "$cuda"/targets/*/include /usr/include)
[ -n "$toolkit" ] || fail 10 "no cuda.h under $cuda"
library=$(first_with libcupti.so "$cuda/lib64" "$cuda/extras/CUPTI/lib64" "$cuda"/targets/*/lib \
    /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /usr/lib64)
[ -n "$library" ] || fail 12 "no libcupti.so under $cuda"

version=$(sed -n 's/^#define CUPTI_API_VERSION  *\([0-9]*\).*/\1/p' "$include/cupti_version.h" | head -n 1)
key=$(cat "$here"/*.cpp "$here"/*.h "$0" | { cat; echo "$version $include $library"; "$compiler" --version; } |
    cksum | tr -c '0-9\n' '-')
result=$cache/libkernelskill-profile-$version-$key.so
if [ -e "$result" ]; then echo "$result"; exit 0; fi

mkdir -p "$cache" 2>/dev/null || fail 15 "cannot make the folder $cache"
work=$(mktemp -d "$cache/profile-build.XXXXXX") || fail 15 "cannot write in $cache"
trap 'rm -rf "$work"' EXIT
running=
for source in "$here"/*.cpp; do
    "$compiler" -std=c++17 -O1 -fPIC -w -I"$include" -I"$toolkit" -c "$source" \
        -o "$work/$(basename "$source").o" 2>"$work/$(basename "$source").log" &
    running="$running $!"
done
good=1
for process in $running; do wait "$process" || good=0; done
if [ $good = 0 ]; then cat "$work"/*.log >&2; exit 13; fi
"$compiler" -shared -o "$work/library.so" "$work"/*.o -L"$library" -lcupti -ldl -lpthread -Wl,-rpath,"$library" \
    2>"$work/link.log" || { cat "$work/link.log" >&2; exit 13; }
mv "$work/library.so" "$result" || fail 15 "cannot write $result"
echo "$result"
