#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# source.sh - print the path of the source of a foreign test suite, fetched on first use.
#
# usage: tests/foreign/source.sh qemu VERSION | rr
#
# qemu: the tests/tcg of QEMU VERSION ("7.2.22"; Debian's newest of that series). rr: all of
# rr. They come from Debian's source packages by apt in a private configuration, which checks
# signature -> lists -> SHA256 of each file; SHA256SUMS beside the files is checked whenever
# they are unpacked again. What is in the cache is taken without network, for good.
#
# Exit status 1: Debian does not have it (any more); 2: it cannot be fetched. Messages go to
# stderr, the path alone to stdout.

set -eu

rr_suite=trixie
rr_version=5.9.0
layout=1 # raise when the way of unpacking changes

say() { printf 'source: %s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

# shellcheck source=tools/apt.sh
. "$(dirname "$0")/../../tools/apt.sh"

case ${1-}:$# in
qemu:2)
	series=$(printf '%s' "$2" | cut -d . -f 1,2)
	name=qemu-$series
	;;
rr:1) name=rr-$rr_version ;;
*) die "usage: source.sh qemu VERSION | rr" ;;
esac
suite=$1

cache=$(waymark_cache)
files=$cache/source-$name
source=$cache/source-$name-$layout

if [ -f "$source/.complete" ]; then
	printf '%s\n' "$source"
	exit 0
fi
# One maker at a time; whoever waited finds the work done.
exec 9>"$cache/lock-source"
flock 9
if [ -f "$source/.complete" ]; then
	printf '%s\n' "$source"
	exit 0
fi

tmp=$(mktemp -d "$cache/tmp-source.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# get PACKAGE VERSION OPTION...: downloads it, of the newest version that begins so, into
# $tmp/files.
get() {
	package=$1 version=$2
	shift 2
	full=$(apt_sources "$tmp/apt" "$package" |
		awk -v v="$version" '$1 == v || index($1, v ".") == 1 { print $2; exit }')
	if [ -z "$full" ]; then
		say "Debian has no $package $version now"
		exit 1
	fi
	say "downloading $package $full"
	mkdir "$tmp/files"
	(cd "$tmp/files" && apt-get -c "$tmp/apt/conf" -q -y source --download-only "$@" \
		"$package=$full") >"$tmp/log" 2>&1 || {
		tail -n 5 "$tmp/log" >&2
		say "this mirror does not have it now"
		exit 1
	}
	(cd "$tmp/files" && sha256sum -- * >"$tmp/SHA256SUMS")
	mv "$tmp/SHA256SUMS" "$tmp/files/"
}

# Debian's own releases of QEMU 7.2 are patches in its package: all of it is needed. Of rr
# the original is enough.
fetch() {
	set --
	[ "$suite" = qemu ] || set -- "deb-src $rr_suite"
	if [ $# -eq 0 ]; then
		for known in $apt_suites; do
			set -- "$@" "deb-src $known"
		done
	fi
	apt_private "$tmp/apt" "$(dpkg --print-architecture)" "$@"
	case $suite in
	qemu) get qemu "$series" ;;
	rr) get rr "$rr_version" --tar-only ;;
	esac
	rm -rf "$files"
	mv "$tmp/files" "$files"
}

# Into $tmp/source.
unpack() {
	case $suite in
	qemu)
		dpkg-source --no-check -x "$files"/*.dsc "$tmp/qemu" >"$tmp/log" 2>&1 ||
			die "unpacking failed: $(tail -n 1 "$tmp/log")"
		mkdir "$tmp/source"
		mv "$tmp/qemu/tests/tcg" "$tmp/source/"
		;;
	rr)
		mkdir "$tmp/source"
		tar -x -f "$files"/*.orig.tar.* -C "$tmp/source" --strip-components 1 \
			--no-same-owner || die "unpacking failed"
		;;
	esac
}

if [ -f "$files/SHA256SUMS" ] &&
	(cd "$files" && sha256sum --quiet --strict -c SHA256SUMS >&2); then
	say "$name is already here"
else
	fetch
fi
unpack
: >"$tmp/source/.complete"
rm -rf "$source"
mv "$tmp/source" "$source"
printf '%s\n' "$source"
