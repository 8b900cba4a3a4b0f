#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No process of a job ends without a word: who cannot join says why, and who leaves it to the first
# one to say what is wrong lets that one speak. No MPI is needed: the module is one of ours.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"$WAYMARK" record -o waymark.wmk "$GUESTS/signal.O3" >/dev/null
mkdir broken
ln "$WAYMARK" broken/waymark 2>/dev/null || cp "$WAYMARK" broken/waymark

# as RANK WORD...: as that process of two
as() {
	rank=$1
	shift
	run env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK="$rank" "$@"
}

# What MPI_Init() does when it fails, in any process.
cat >module.c <<'END'
#include <stdio.h>
#include <stdlib.h>
const void *waymark_team(void);
const void *waymark_team(void)
{
	fputs("An error occurred in MPI_Init\n", stderr);
	exit(1);
}
END
cc -shared -fPIC -o broken/waymark-mpi.so module.c
for rank in 0 1; do
	as $rank ./broken/waymark hot
	check "process $rank cannot join" test "$status" -eq 1
	check "process $rank says why" grep -qx "An error occurred in MPI_Init" stderr
done

# A launcher ends the job when a process fails: the first one's sentence must be out by then.
: >broken/waymark-mpi.so
as 0 ./broken/waymark hot
check "a module that cannot be loaded" test "$status" -eq 2
check "with a sentence" grep -q "^waymark.*MPI started this, but" stderr
for words in "hot" "hot --by nothing"; do
	# shellcheck disable=SC2086 # several words
	as 1 timeout 2 ./broken/waymark $words
	check "process 1 waits to be ended: $words" test "$status" -eq 124 -a ! -s stderr
done
finish
