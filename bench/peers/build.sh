#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh - QEMU's own contrib plugins, for the benchmark.
#
# usage: bench/peers/build.sh QEMU
#
# Prints the folder with NAME.so of each of execlog, bbv, hotblocks, howvec, drcov and cflow
# that this QEMU's version has. They are built on first use, from Debian's source package of
# that QEMU (or of the same version, for one that was built by hand), as they are, and kept
# in the cache. Exit status 2 and one sentence when that cannot be done.

set -eu

say() { printf 'bench: %s\n' "$*" >&2; }
die() { say "no plugins of QEMU's own beside Waymark: $*"; exit 2; }

[ $# -eq 1 ] || { echo "usage: build.sh QEMU" >&2; exit 2; }
# shellcheck source=tools/apt.sh
. "$(dirname "$0")/../../tools/apt.sh"

# "qemu-riscv64 version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)": the version, and the
# source package's, if it is Debian's.
said=$("$1" -version | sed -n 1p)
version=$(printf '%s\n' "$said" | sed -n 's/.* version \([0-9.]*\).*/\1/p')
package=$(printf '%s\n' "$said" | sed -n 's/.*(Debian \(.*\))$/\1/p' | sed 's/+b[0-9]*$//')
[ -n "$version" ] || die "$1 tells no version"

cache=$(waymark_cache)
place=$cache/qemu-contrib-$version
if [ -d "$place" ]; then
	printf '%s\n' "$place"
	exit 0
fi

tmp=
cleanup() { [ -z "$tmp" ] || rm -rf "$tmp"; }
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
tmp=$(mktemp -d "$cache/tmp-contrib.XXXXXX")

# must WHAT COMMAND...: without its noise; the last line of that when it fails.
must() {
	what=$1
	shift
	"$@" >"$tmp/log" 2>&1 </dev/null || die "$what failed: $(tail -n 1 "$tmp/log")"
}

# The source package to take: the very same, the same release, the same series.
offer() {
	apt_sources "$tmp/apt" qemu | awk -v package="$package" -v version="$version" '
		{ series = version; sub(/[.][0-9]+$/, "", series) }
		$2 == package { rank = 3 }
		$2 != package { rank = $1 == version ? 2 : $1 == series || index($1, series ".") == 1 }
		rank > best { best = rank; offer = $2 }
		END { print offer }'
}

lists() {
	die() { say "$*"; exit 2; }
	say() { printf "%s\n" "$*" >&2; }
	set --
	for suite in $apt_suites; do
		set -- "$@" "deb-src $suite"
	done
	apt_private "$tmp/apt" "$(dpkg --print-architecture)" "$@"
}

fetch() {
	command -v apt-get >/dev/null || die "there is no apt-get here, and the source is Debian's"
	pkg-config --exists glib-2.0 || die "building them needs libglib2.0-dev"
	(lists) >"$tmp/log" 2>&1 || die "$(tail -n 1 "$tmp/log")"
	source=$(offer)
	[ -n "$source" ] || die "Debian has no source of QEMU $version now"
	say "building plugins of qemu $source"
	mkdir "$tmp/source"
	(
		cd "$tmp/source"
		must "downloading QEMU's source" apt-get -c "$tmp/apt/conf" -q -y source \
			--download-only "qemu=$source"
	)
	must "unpacking QEMU's source" dpkg-source --no-check -x "$tmp"/source/*.dsc "$tmp/qemu"
}

# As QEMU's own Makefile does, without the rest of QEMU.
build() {
	header=$(find "$tmp/qemu/include" -name qemu-plugin.h | sed -n 1p)
	mkdir "$tmp/made"
	for name in execlog bbv hotblocks howvec drcov cflow; do
		code=$tmp/qemu/contrib/plugins/$name.c
		[ -f "$code" ] || continue
		# shellcheck disable=SC2046,SC2086 # lists of words
		must "building $name" ${CC:-cc} -O2 -fPIC -shared -I"${header%/*}" \
			$(pkg-config --cflags glib-2.0) -o "$tmp/made/$name.so" "$code" \
			$(pkg-config --libs glib-2.0)
	done
}

fetch
build
mv -T "$tmp/made" "$place" 2>/dev/null || [ -d "$place" ] || die "cannot write to $cache"
printf '%s\n' "$place"
