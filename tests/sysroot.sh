#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sysroot.sh - print the path of a Debian sysroot, made on first use.
#
# usage: tests/sysroot.sh [--refresh] [NAME]
#
# NAME: riscv64 (the default), jit (riscv64 programs that write code), java (a riscv64 JDK
# and tools in Java), java-17, java-25, node-new, python-3.14 and python-3.15 (other releases, riscv64), mono (aarch64 Mono with its compiler of C#), suite (riscv64 CPython with
# its tests), machine (firmware, Linux and busybox for a riscv64 machine), machine-aarch64
# and machine-x86_64 (Linux and busybox), machine-old (Linux 5.10 and busybox for x86_64),
# machine-new (the newest Linux for riscv64), uboot (U-Boot and OpenSBI for riscv64), or another ISA
# in QEMU's words: aarch64, arm, x86_64, i386.
#
# The tests and benchmarks trace real programs (CPython, cc1, SQLite, Lua, busybox). Their
# packages are fetched from the mirror this machine already uses, and unpacked under the
# cache; nothing is installed. tests/sysroot/NAME.sums has each package's path and SHA256,
# so that all machines trace the same programs, even while the mirror's lists do not fit
# together. When the mirror has one of them no more, apt finds newer ones in a private
# configuration: it checks signature -> Packages -> SHA256 of each package. SHA256SUMS
# beside the packages is checked whenever they are unpacked again.
#
# A sysroot made by the same recipe is used again without network. --refresh asks apt for
# the newest packages and writes their NAME.sums. Messages go to stderr, the path alone to
# stdout.
#
# WAYMARK_CACHE          where to keep it (default: ${XDG_CACHE_HOME:-~/.cache}/waymark)
# WAYMARK_DEBIAN_MIRROR  a Debian mirror's address, if apt here is not set up for Debian

set -eu

suite=trixie
layout=1 # raise when the way of unpacking changes

say() { printf 'sysroot: %s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

refresh=no
if [ "${1-}" = --refresh ]; then
	refresh=yes
	shift
fi
[ $# -le 1 ] || die "usage: sysroot.sh [--refresh] [NAME]"
name=${1:-riscv64}

# Debian's name of the ISA, and the packages. What a cached sysroot was made by must stay
# as it is to the byte.
packages="busybox-static lua5.4 sqlite3"
case $name in
riscv64)
	arch=riscv64
	packages="busybox-static lua5.4 sqlite3 python3.13 python3.13-minimal
	libpython3.13-minimal libpython3.13-stdlib cpp-14-riscv64-linux-gnu"
	;;
jit)
	arch=riscv64
	packages="luajit grep chezscheme nodejs"
	;;
java)
	arch=riscv64
	packages="openjdk-21-jdk-headless libasm-java libjacoco-java ant ecj"
	layout=2 # with links into the sysroot's own /etc
	;;
node-new)
	suite=sid
	arch=riscv64
	packages="nodejs"
	;;
java-17 | java-25)
	suite=sid
	arch=riscv64
	packages="openjdk-${name#java-}-jdk-headless"
	layout=2
	;;
python-3.*)
	suite=sid
	arch=riscv64
	packages="python${name#python-}"
	;;
mono)
	arch=arm64
	packages="mono-runtime-sgen mono-mcs"
	;;
suite)
	arch=riscv64
	packages="python3.13 python3.13-minimal libpython3.13-minimal libpython3.13-stdlib
	libpython3.13-testsuite"
	;;
machine)
	arch=riscv64
	packages="linux-image-riscv64 opensbi busybox-static"
	;;
machine-aarch64)
	arch=arm64
	packages="linux-image-arm64 busybox-static"
	;;
machine-x86_64)
	arch=amd64
	packages="linux-image-amd64 busybox-static"
	;;
machine-old)
	suite=bullseye
	arch=amd64
	packages="linux-image-amd64 busybox-static"
	;;
machine-new)
	suite=sid
	arch=riscv64
	packages="linux-image-riscv64 opensbi busybox-static"
	;;
uboot)
	arch=amd64 # both are packages for all, which each list has
	packages="u-boot-qemu opensbi"
	;;
aarch64) arch=arm64 ;;
arm) arch=armhf ;;
x86_64) arch=amd64 ;;
i386) arch=i386 ;;
*) die "no sysroot named $name: riscv64, jit, java, java-17, java-25, node-new, python-3.14, python-3.15, mono, suite, machine, machine-aarch64, machine-x86_64, machine-old, machine-new, uboot, aarch64, arm, x86_64, i386" ;;
esac

# shellcheck source=tools/apt.sh
. "$(dirname "$0")/../tools/apt.sh"
cache=$(waymark_cache)

made_by="$suite $layout"
[ "$name" = riscv64 ] || made_by="$made_by $arch"
recipe=$(printf '%s\n' "$made_by" "$packages" | sha256sum | cut -c1-12)
sysroot=$cache/sysroot-$recipe
debs=$cache/debs-$recipe

if [ "$refresh" = no ] && [ -f "$sysroot/.complete" ]; then
	printf '%s\n' "$sysroot"
	exit 0
fi

# One maker at a time; whoever waited finds the work done.
exec 9>"$cache/lock"
flock 9
if [ "$refresh" = no ] && [ -f "$sysroot/.complete" ]; then
	printf '%s\n' "$sysroot"
	exit 0
fi

tmp=
cleanup() { [ -z "$tmp" ] || rm -rf "$tmp"; }
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
tmp=$(mktemp -d "$cache/tmp.XXXXXX")

pins=$(dirname "$0")/sysroot/$name.sums

# Fill $1 with the packages that $pins has. Fails if the mirror does not have all of them.
fetch_pinned() {
	uri=$(apt_mirror)
	mkdir -p "$1"
	say "downloading the packages of $pins"
	while read -r sum path; do
		/usr/lib/apt/apt-helper -q=2 -o "APT::Sandbox::User=$(id -un)" download-file \
			"${uri%/}/$path" "$1/${path##*/}" "SHA256:$sum" >&2 || return 1
	done <"$pins"
}

# Fill $1 with the newest packages and what they need, and $2 with their sums and paths.
fetch_newest() {
	apt=$tmp/apt
	say "reading the package lists of $suite"
	apt_private "$apt" "$arch" "deb $suite"
	mkdir -p "$1"
	say "downloading"
	# shellcheck disable=SC2086 # a list of words
	apt-get -c "$apt/conf" -qq --print-uris install $packages >"$tmp/uris"
	# shellcheck disable=SC2086 # a list of words
	apt-get -c "$apt/conf" -q -y --download-only install $packages >&2 ||
		die "download failed"
	# 'http://MIRROR/pool/x/libx%2b.deb' NAME.deb SIZE HASH
	while read -r uri deb _; do
		path=$(printf 'pool/%s' "${uri##*/pool/}" | sed "s/'//; s/%2b/+/g; s/%7e/~/g")
		mv "$apt/cache/archives/$deb" "$1/${path##*/}"
		printf '%s  %s\n' "$(sha256sum <"$1/${path##*/}" | cut -c1-64)" "$path"
	done <"$tmp/uris" >"$tmp/sums"
	sort -k 2 "$tmp/sums" >"$2"
}

# Fill $1 with the packages and a SHA256SUMS.
fetch() {
	if [ "$refresh" = yes ]; then
		fetch_newest "$1" "$pins"
	elif ! fetch_pinned "$1"; then
		say "the mirror does not have all of them: looking for newer ones"
		rm -rf "$1"
		fetch_newest "$1" "$tmp/newer"
	fi
	(cd "$1" && sha256sum -- *.deb >SHA256SUMS)
}

if [ "$refresh" = no ] && [ -f "$debs/SHA256SUMS" ] &&
	(cd "$debs" && sha256sum --quiet --strict -c SHA256SUMS >&2); then
	say "packages already here"
else
	fetch "$tmp/debs"
	rm -rf "$debs"
	mv "$tmp/debs" "$debs"
fi

# The merged /usr of Debian: packages write to /lib and /usr/lib alike.
root=$tmp/root
mkdir -p "$root/etc" "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64"
for dir in bin sbin lib lib64; do
	ln -s "usr/$dir" "$root/$dir"
done

say "unpacking into $sysroot"
for deb in "$debs"/*.deb; do
	# dpkg-deb -x would replace our links by directories: tar keeps them.
	dpkg-deb --fsys-tarfile "$deb" |
		tar -x -f - -C "$root" --keep-directory-symlink --no-same-owner
done
# The guest's loader would read this machine's, and find other libraries.
[ "$name" = riscv64 ] || : >"$root/etc/ld.so.cache"
# A JVM reads its files in /etc through links: guests would follow them to this machine's.
case $name in
java*)
	find "$root/usr/lib/jvm" -type l -lname '/etc/*' | while read -r link; do
		ln -sfnr "$root$(readlink "$link")" "$link"
	done
	;;
esac
for deb in "$debs"/*.deb; do
	basename "$deb" .deb
done >"$root/.complete"

if [ -e "$sysroot" ]; then
	mv "$sysroot" "$tmp/old"
fi
mv "$root" "$sysroot"
printf '%s\n' "$sysroot"
