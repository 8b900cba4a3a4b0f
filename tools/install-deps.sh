#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# install-deps.sh - install what building, testing and benchmarking need and is missing.
#
# usage: tools/install-deps.sh [--build] [--list]
#
# For Debian 12 and later and their kin. When everything is there it needs neither network nor
# root; otherwise it installs with apt-get, as root or through sudo. --build leaves out what only
# tests and benchmarks need. --list prints the names.
# The chart library of reports comes from npm (tools/fetch-uplot.sh); without it all but
# `waymark report` is built. So does speedscope, with which a test reads profiles.

set -eu

# Of names joined by | the first one that the release has.
to_build="
	gcc libc6-dev make meson ninja-build pkg-config
	libzstd-dev libxxhash-dev libcapstone-dev libdw-dev libelf-dev libiberty-dev
	zlib1g-dev liblzma-dev libarchive-dev libext2fs-dev comerr-dev libncurses-dev libsqlite3-dev libedit-dev
	systemtap-sdt-dev libcmocka-dev
	scdoc less gnuplot-nox xz-utils
	qemu-user gcc-riscv64-linux-gnu libc6-dev-riscv64-cross binutils-riscv64-linux-gnu
	python3 python3-cffi
	openjdk-17-jdk-headless|default-jdk-headless
"
to_test="
	sqlite3 clang libclang-rt-14-dev|libclang-rt-dev clang-format
	g++-riscv64-linux-gnu
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
	gcc-i686-linux-gnu libc6-dev-i386-cross
	python3-zstandard python3-xxhash openmpi-bin libopenmpi-dev parallel
	python3-coverage python3-numpy python3-pandas mypy
	python3-pip python3-setuptools python3-wheel
	graphviz
	iproute2 e2fsprogs zstd
	python3-venv libxml2-utils libglib2.0-dev dpkg-dev libfdt-dev
	llvm bolt-19
	lcov tmux valgrind golang-go protobuf-compiler uftrace
	babeltrace2
	chromium fonts-dejavu-core nodejs
"

die() {
	printf 'install-deps: %s\n' "$*" >&2
	exit 2
}

usage="usage: install-deps.sh [--build] [--list]"
packages="$to_build $to_test"
tested=yes
list=no
for option; do
	case $option in
	--build) packages=$to_build tested=no ;;
	--list) list=yes ;;
	*) die "$usage" ;;
	esac
done

if [ "$list" = yes ]; then
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $packages
	exit 0
fi

command -v dpkg-query >/dev/null ||
	die "this is not a Debian system; install what corresponds to: $(echo "$packages" | xargs)"

tools=$(cd "$(dirname "$0")" && pwd)
# Whoever has an npm of another source keeps it.
command -v npm >/dev/null || {
	"$tools/fetch-uplot.sh" --cached &&
		{ [ $tested = no ] || "$tools/fetch-speedscope.sh" --cached; }
} >/dev/null || packages="$packages npm"

fetch_from_npm() {
	"$tools/fetch-uplot.sh" >/dev/null ||
		echo "install-deps: without the chart library, waymark report will not work" >&2
	[ $tested = no ] || "$tools/fetch-speedscope.sh" >/dev/null ||
		echo "install-deps: without speedscope, a test of exports is skipped" >&2
}

# is_installed NAME
is_installed() {
	# shellcheck disable=SC2016 # dpkg-query expands it
	case $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true) in
	installed*) ;;
	*) return 1 ;;
	esac
}

# one_of COMMAND NAME|NAME...: the first of the names for which the command succeeds
one_of() (
	IFS='|'
	for name in $2; do
		if "$1" "$name" >/dev/null 2>&1; then
			echo "$name"
			exit
		fi
	done
	exit 1
)

missing=
for package in $packages; do
	one_of is_installed "$package" >/dev/null || missing="$missing $package"
done
if [ -z "$missing" ]; then
	fetch_from_npm
	exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null ||
		die "missing:$missing; install them as root, or install sudo"
	as_root=sudo
fi

# The noise goes to stderr; sudo would drop DEBIAN_FRONTEND, env keeps it.
apt_get() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >&2
}

is_offered() {
	apt-cache show "$1"
}

apt_get update || die "apt-get update failed"
names=
for package in $missing; do
	names="$names $(one_of is_offered "$package" || echo "${package%%|*}")"
done
echo "install-deps: installing$names" >&2
# shellcheck disable=SC2086 # a list of words
apt_get install --no-install-recommends $names || die "apt-get could not install:$names"

fetch_from_npm
