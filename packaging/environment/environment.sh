# SPDX-License-Identifier: Apache-2.0
# Sourced by packaging/{run,test,shell}. Makes the environment everything is built and run in, and enters it.
#
# Two ways to have it:
#   host     the distribution's own packages, where it offers KDE Frameworks 6 (Debian 13, Ubuntu 25.04+, Fedora 41+)
#   private  a Debian 13 root under the user's cache folder, entered with bubblewrap; the host is left as it is
# Afterwards `environment_enter CMD…` runs a command in it.

set -euo pipefail

project_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
environment_dir=$project_dir/packaging/environment
cache_dir=${KERNELSKILL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kernelskill}
suite=trixie
environment_kind=

say() { printf '%s\n' "kernelskill: $*" >&2; }
fail() { say "$*"; exit 3; }

# Options every script takes: --host, --preset NAME, and -- before what only looks like one. Sets use_host, preset and, with
# what is left, rest.
use_host=no
preset=${KERNELSKILL_PRESET:-dev}
rest=()
read_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --host) use_host=yes; shift ;;
        --preset)
            [ $# -gt 1 ] || fail "--preset takes a name; CMakePresets.json has dev, check, asan, tsan and release"
            preset=$2; shift 2 ;;
        --) shift; break ;;
        *) break ;;
        esac
    done
    rest=("$@")
}

packages() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$environment_dir/${1:-packages.txt}"; }

# --- the host's own packages -------------------------------------------------------------------------------

host_has_everything() {
    command -v cmake ninja g++ bwrap clang-19 >/dev/null 2>&1 || return 1
    local missing=1
    if command -v dpkg-query >/dev/null 2>&1; then
        missing=$(packages | while read -r p; do dpkg-query -W -f='${Status}\n' "$p" 2>/dev/null | grep -q '^install ok' || echo "$p"; done | wc -l)
    elif command -v rpm >/dev/null 2>&1; then
        missing=$(packages packages-fedora.txt | xargs rpm -q 2>/dev/null | grep -c 'not installed' || true)
    fi
    [ "$missing" = 0 ]
}

host_offers_frameworks() {
    if command -v apt-cache >/dev/null 2>&1; then
        apt-cache show libkf6syntaxhighlighting-dev >/dev/null 2>&1
    elif command -v dnf >/dev/null 2>&1; then
        dnf -q list --available kf6-syntax-highlighting-devel >/dev/null 2>&1 ||
            rpm -q kf6-syntax-highlighting-devel >/dev/null 2>&1
    else
        return 1
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null 2>&1; then sudo "$@"
    else fail "needs root to install packages: run as root, or install sudo, or install by hand: $*"
    fi
}

install_on_host() {
    if command -v apt-get >/dev/null 2>&1; then
        say "will install these packages on this machine: $(packages | tr '\n' ' ')"
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(packages) >&2
    elif command -v dnf >/dev/null 2>&1; then
        local list
        list=$(packages packages-fedora.txt | tr '\n' ' ')
        say "will install these packages on this machine: $list"
        as_root dnf install -y $list >&2
    else
        fail "--host: this distribution has neither apt nor dnf; install what packaging/environment/packages.txt lists by your own means"
    fi
}

# --- a private Debian root -----------------------------------------------------------------------------------

root_key() {
    { packages; cat "$environment_dir/root-recipe"; dpkg --print-architecture 2>/dev/null || uname -m; } | sha256sum | cut -c1-16
}

have_bwrap_on_host() {
    command -v bwrap >/dev/null 2>&1 && bwrap --ro-bind / / --dev-bind /dev /dev --unshare-user-try true >/dev/null 2>&1
}

need_host_tools() {
    local wanted=()
    command -v mmdebstrap >/dev/null 2>&1 || wanted+=(mmdebstrap)
    command -v bwrap >/dev/null 2>&1 || wanted+=(bubblewrap)
    [ "$(id -u)" = 0 ] || command -v newuidmap >/dev/null 2>&1 || wanted+=(uidmap)
    [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || wanted+=(debian-archive-keyring)
    [ "${#wanted[@]}" = 0 ] && return
    command -v apt-get >/dev/null 2>&1 ||
        fail "needs ${wanted[*]} on this machine: install them with your package manager and try again"
    say "will install on this machine: ${wanted[*]} (they make and enter the private Debian root)"
    as_root apt-get update -qq >&2 || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${wanted[@]}" >&2
}

explain_no_bwrap() {
    say "bubblewrap cannot make a sandbox here."
    if [ -e /proc/sys/kernel/apparmor_restrict_unprivileged_userns ] &&
        [ "$(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns)" = 1 ]; then
        say "This system restricts user namespaces through AppArmor. Remedy, once, as root: write /etc/apparmor.d/bwrap with"
        say "    abi <abi/4.0>,"
        say "    include <tunables/global>"
        say "    profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }"
        say "and load it: apparmor_parser -r /etc/apparmor.d/bwrap"
    elif [ -e /proc/sys/kernel/unprivileged_userns_clone ] && [ "$(cat /proc/sys/kernel/unprivileged_userns_clone)" = 0 ]; then
        say "Remedy, as root: sysctl kernel.unprivileged_userns_clone=1"
    else
        say "In a container, allow user namespaces and mounts (docker: --privileged, or --security-opt seccomp=unconfined --cap-add SYS_ADMIN);"
        say "or use a Debian 13 image and packaging/run --host."
    fi
    exit 3
}

make_private_root() {
    local key=$1 root=$2 new
    new=$root.new.$$
    say "will make a private Debian 13 root in $root (about 2.5 GB, 2 to 5 minutes); nothing else on this machine changes"
    say "packages in it: $(packages | tr '\n' ' ')"
    mkdir -p "$cache_dir"
    trap 'rm -rf --one-file-system "$new" "$new.tar"' EXIT
    local include
    include=$(packages | paste -sd,)
    # shellcheck disable=SC1091
    . "$environment_dir/root-recipe"
    if [ "$(id -u)" = 0 ]; then
        mmdebstrap --mode=root "${recipe_options[@]}" --include="$include" "$suite" "$new" >&2
    else
        # An ordinary user: the root is packed in a user namespace and unpacked as files of the user's own.
        mmdebstrap --mode=unshare "${recipe_options[@]}" --include="$include" "$suite" "$new.tar" >&2
        mkdir "$new"
        tar -C "$new" -xf "$new.tar" --no-same-owner --exclude='./dev/*'
        rm -f "$new.tar"
    fi
    mkdir -p "$new/usr/local/cuda" "$new/run/user"
    for d in "${shared_top_level[@]}"; do mkdir -p "$new$d"; done
    echo "$key" > "$new/.kernelskill-root"
    mv "$new" "$root"
    trap - EXIT
    find "$cache_dir" -maxdepth 1 -name 'root-*' ! -path "$root" ! -name '*.lock' -exec rm -rf --one-file-system {} + 2>/dev/null || true
    say "the private root is ready"
}

# Every top-level folder of the host that holds a user's files rather than the system's is seen inside under its own name.
find_shared_top_level() {
    shared_top_level=()
    local d
    for d in /*/; do
        d=${d%/}
        [ -L "$d" ] && continue
        case $d in
        /bin|/boot|/dev|/etc|/lib|/lib32|/lib64|/libx32|/lost+found|/proc|/run|/sbin|/sys|/usr|/var) ;;
        *) shared_top_level+=("$d") ;;
        esac
    done
}

ensure_private_root() {
    need_host_tools
    have_bwrap_on_host || explain_no_bwrap
    find_shared_top_level
    local key
    key=$(root_key)
    private_root=$cache_dir/root-$key
    mkdir -p "$cache_dir"
    exec 9> "$cache_dir/root.lock"
    flock 9
    [ -e "$private_root/.kernelskill-root" ] || make_private_root "$key" "$private_root"
    exec 9>&-
}

enter_private_root() {
    local args=(--bind "$private_root" / --dev-bind /dev /dev --bind /proc /proc --ro-bind /sys /sys --die-with-parent)
    local d
    for d in "${shared_top_level[@]}"; do
        [ -d "$private_root$d" ] || mkdir -p "$private_root$d"
        args+=(--bind "$d" "$d")
    done
    case "$HOME/" in /var/*) args+=(--bind "$HOME" "$HOME") ;; esac
    if [ -d /usr/local/cuda/bin ]; then args+=(--ro-bind "$(readlink -f /usr/local/cuda)" /usr/local/cuda); fi
    # The GPU's user-space driver belongs to the host's kernel module, so it comes from the host.
    local lib
    for lib in $(ldconfig -p 2>/dev/null | awk '/lib(cuda|nvidia-ml|nvidia-ptxjitcompiler)\.so\.1 .*x86-64/ {print $NF}'); do
        args+=(--ro-bind "$(readlink -f "$lib")" "/usr/lib/x86_64-linux-gnu/$(basename "$lib")")
    done
    local f
    for f in /etc/resolv.conf /etc/passwd /etc/group /etc/machine-id /etc/ssl/certs/ca-certificates.crt; do
        if [ -e "$f" ] && [ -f "$private_root$f" ] && [ ! -L "$private_root$f" ]; then
            args+=(--ro-bind "$(readlink -f "$f")" "$f")
        fi
    done
    if [ -n "${XDG_RUNTIME_DIR:-}" ] && [ -d "$XDG_RUNTIME_DIR" ]; then args+=(--bind "$XDG_RUNTIME_DIR" "$XDG_RUNTIME_DIR"); fi
    if [ -S /run/dbus/system_bus_socket ]; then args+=(--bind /run/dbus /run/dbus); fi
    if [ "$(id -u)" = 0 ]; then args+=(--cap-add ALL); fi
    bwrap "${args[@]}" --chdir "$PWD" \
        --setenv PATH "$project_dir/build/$preset/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/cuda/bin" \
        --setenv LANG C.UTF-8 --setenv KERNELSKILL_ENVIRONMENT private -- "$@"
}

# One compiled object serves every build folder of this checkout, and every checkout.
export CCACHE_BASEDIR=$project_dir CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

# --- either ----------------------------------------------------------------------------------------------------

ensure_environment() {
    if [ "${KERNELSKILL_ENVIRONMENT:-}" = private ]; then environment_kind=inside; return; fi
    if [ "${use_host:-no}" = yes ]; then
        host_has_everything || install_on_host
        environment_kind=host
    elif [ -e "$cache_dir/root-$(root_key)/.kernelskill-root" ]; then
        ensure_private_root
        environment_kind=private
    elif host_has_everything; then
        environment_kind=host
    elif host_offers_frameworks; then
        install_on_host
        environment_kind=host
    else
        ensure_private_root
        environment_kind=private
    fi
}

environment_enter() {
    case $environment_kind in
    private) enter_private_root "$@" ;;
    *) PATH="$project_dir/build/$preset/bin:$PATH:/usr/local/cuda/bin" "$@" ;;
    esac
}

# Configures the preset when that was not done, and builds a target of it: "programs" (all but tests) or "all".
build_project() {
    local target=$1 dir=$project_dir/build/$preset
    mkdir -p "$project_dir/build"
    if [ ! -e "$dir/build.ninja" ]; then
        say "configuring ($preset)"
        (cd "$project_dir" && environment_enter cmake --preset "$preset") >&2
    fi
    say "building ($preset)"
    environment_enter cmake --build "$dir" --target "$target" >&2
}
