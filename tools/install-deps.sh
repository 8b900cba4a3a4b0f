#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# install-deps.sh - install what building, testing and benchmarking need and is missing.
#
# usage: tools/install-deps.sh [--list]
#
# For Debian and its kin. When everything is there it needs neither network nor root;
# otherwise it installs with apt-get, as root or through sudo. --list prints the names.
# The chart library of reports comes from npm (tools/fetch-uplot.sh); without it all but
# `waymark report` is built. So does speedscope, with which a test reads profiles.

set -eu

packages="
	gcc libc6-dev make meson ninja-build pkg-config
	libzstd-dev libxxhash-dev libcapstone-dev libdw-dev libelf-dev libiberty-dev
	zlib1g-dev liblzma-dev libarchive-dev libext2fs-dev comerr-dev libncurses-dev libsqlite3-dev libedit-dev sqlite3
	libcmocka-dev
	scdoc less gnuplot-nox clang libclang-rt-14-dev clang-format
	qemu-user gcc-riscv64-linux-gnu libc6-dev-riscv64-cross binutils-riscv64-linux-gnu
	g++-riscv64-linux-gnu
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
	gcc-i686-linux-gnu libc6-dev-i386-cross
	python3 python3-zstandard python3-xxhash openmpi-bin libopenmpi-dev parallel
	python3-cffi python3-coverage python3-numpy python3-pandas mypy
	python3-pip python3-setuptools python3-wheel
	graphviz
	iproute2 e2fsprogs zstd
	openjdk-17-jdk-headless
	python3-venv libxml2-utils libglib2.0-dev dpkg-dev libfdt-dev xz-utils
	llvm bolt-19
	lcov tmux valgrind golang-go protobuf-compiler uftrace
	systemtap-sdt-dev babeltrace2
	chromium fonts-dejavu-core nodejs
"

die() {
	printf 'install-deps: %s\n' "$*" >&2
	exit 2
}

case ${1-} in
'') ;;
--list)
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $packages
	exit 0
	;;
*) die "usage: install-deps.sh [--list]" ;;
esac

command -v dpkg-query >/dev/null ||
	die "this is not a Debian system; install what corresponds to: $(echo "$packages" | xargs)"

tools=$(cd "$(dirname "$0")" && pwd)
# Whoever has an npm of another source keeps it.
command -v npm >/dev/null || {
	"$tools/fetch-uplot.sh" --cached && "$tools/fetch-speedscope.sh" --cached
} >/dev/null || packages="$packages npm"

fetch_from_npm() {
	"$tools/fetch-uplot.sh" >/dev/null ||
		echo "install-deps: without the chart library, waymark report will not work" >&2
	"$tools/fetch-speedscope.sh" >/dev/null ||
		echo "install-deps: without speedscope, a test of exports is skipped" >&2
}

missing=
for package in $packages; do
	# shellcheck disable=SC2016 # dpkg-query expands it
	case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) in
	installed*) ;;
	*) missing="$missing $package" ;;
	esac
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

echo "install-deps: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# The noise goes to stderr; sudo would drop DEBIAN_FRONTEND, env keeps it.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y update >&2 ||
	die "apt-get update failed"
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive \
	apt-get -q -y install --no-install-recommends $missing >&2 ||
	die "apt-get could not install:$missing"

fetch_from_npm
