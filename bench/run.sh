#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh - what Waymark costs beside its peers: the benchmark, in one command.
#
# usage: bench/run.sh BUILDDIR [OPTION...]     --help tells the options
#
# Prints tables and writes BUILDDIR/bench.csv. See bench/bench.py. The machine should be idle
# and have two free cores; all of it takes some 20 minutes, --quick 2.

set -eu

[ $# -ge 1 ] || { echo "usage: bench/run.sh BUILDDIR [OPTION...]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
case $1 in
-h | --help) exec /usr/bin/python3 "$here/bench.py" --help ;;
esac
build=$(cd "$1" && pwd)
shift

"$here/kernels/build.sh" "$build/kernels"
sysroot=$("$here/../tests/sysroot.sh")
exec /usr/bin/python3 "$here/bench.py" --build "$build" --sysroot "$sysroot" "$@"
