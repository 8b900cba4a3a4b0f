#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# demo.sh - record a real RISC-V program and have a first look.
#
# usage: tools/demo.sh BUILDDIR
#
# The program is Debian's Lua for riscv64, from a sysroot that tests/sysroot.sh downloads
# once; without network it is a guest of the tests. The trace stays, as BUILDDIR/demo.wmk.

set -eu

[ $# -eq 1 ] || { echo "usage: tools/demo.sh BUILDDIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
tests=$here/../tests

# say WORD...: a command as one would type it, then what it does.
say() {
	printf '\n$ %s\n' "$*"
}

if sysroot=$("$tests/sysroot.sh"); then
	words=$("$tests/workload.sh" lua check)
	program=lua5.4
else
	echo "demo: no sysroot; recording a test program instead" >&2
	"$tests/guests/build.sh" "$build/guests" >&2
	# shellcheck disable=SC2034 # eval uses it
	sysroot=/usr/riscv64-linux-gnu
	words=$build/guests/qsort.dyn
	program=qsort.dyn
fi

cd "$build"
PATH=$build:$PATH
WAYMARK_PAGER=
LC_ALL=C
export PATH WAYMARK_PAGER LC_ALL

# That of Debian 13 takes no plugins.
if waymark doctor | grep -q 'there is no qemu-riscv64 that records'; then
	say "waymark setup-qemu --install-deps"
	waymark setup-qemu --install-deps >&2
fi

say "waymark record -o demo.wmk -L SYSROOT -- $program ..."
eval "waymark record -o demo.wmk -L \"\$sysroot\" -- $words" >demo.out
tail -n 3 demo.out

say "waymark info demo.wmk"
waymark info demo.wmk

half=$(waymark info demo.wmk --format json |
	sed -n 's/^  "instructions": \([0-9]*\),$/\1/p' | awk '{ print int($1 / 2) }')
say "waymark insns demo.wmk --from $half --count 12"
waymark insns demo.wmk --from "$half" --count 12

say "waymark hot demo.wmk -n 5"
waymark hot demo.wmk -n 5

say "waymark mix demo.wmk -n 5"
waymark mix demo.wmk -n 5

say "waymark calls demo.wmk -n 5"
waymark calls demo.wmk -n 5

say "waymark verify demo.wmk"
waymark verify demo.wmk

say "waymark report demo.wmk --html demo.html"
waymark report demo.wmk --html demo.html || true # needs a library when it is built

printf '\nThe trace is %s; beside it are the program'\''s output and a page to look at.\n' \
	"$build/demo.wmk"
