#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every question by 1, 2, 3 and 7 processes of a real MPI job: the same bytes as without.
# tests/cli/merge/every.sh does the same with forked processes.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

if [ ! -e "$BUILD/waymark-mpi.so" ] || ! command -v mpirun >/dev/null; then
	echo "ok MPI # SKIP there is no Open MPI"
	exit 0
fi
# shellcheck source=tests/cli/merge/traces
. "$SRC/tests/cli/merge/traces"
export ALL=1 TMPDIR="$PWD" OMPI_MCA_orte_tmpdir_base="$PWD" PARTS=
"$PYTHON" "$SRC/tests/cli/merge/every.py" "$WAYMARK" \
	mpirun --allow-run-as-root --oversubscribe -n "{}" "$WAYMARK" || failures=1
finish
