#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every question, by threads, processes and parts: the same bytes. The processes are forked
# (tests/unit/forked_team.c) instead of started by MPI, which takes a second for each question;
# tests/long/mpi.sh does the same with mpirun, tests/long/merge.sh with more processes and parts of
# each question.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

# shellcheck source=tests/cli/merge/traces
. "$SRC/tests/cli/merge/traces"
mkdir forked
ln "$WAYMARK" forked/waymark 2>/dev/null || cp "$WAYMARK" forked/waymark
ln -s "$BUILD/tests/unit/forked-team.so" forked/waymark-mpi.so
"$PYTHON" "$SRC/tests/cli/merge/every.py" "$WAYMARK" ./forked/waymark || failures=1
finish
