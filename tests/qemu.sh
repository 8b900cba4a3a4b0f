#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qemu.sh - print the path of a qemu-riscv64 of a version, built on first use.
#
# usage: tests/qemu.sh VERSION
#
# The other emulators are beside it. They are kept in the cache, for good: whatever is
# there already is taken, without network. Exit status 1: Debian has no such version (any
# more); 2: it cannot be built. Messages go to stderr.

set -eu

[ $# -eq 1 ] || { echo "usage: qemu.sh VERSION" >&2; exit 2; }
all=$("$(dirname "$0")/../tools/setup-qemu.sh" "$1")
printf '%s\n' "$all" | grep '/qemu-riscv64$'
