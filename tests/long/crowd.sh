#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# More of tests/cli/record/crowd.sh: 100,000 threads one after the other, and threads that
# run for long in less memory than they would take.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"
# shellcheck source=tests/cli/crowd
. "$(dirname "$0")/../cli/crowd"

crowd "100,000 threads, one after the other" 300000000 1 1 100000 10
check "hot answers" "$WAYMARK" hot crowd.wmk >out
check "insns answers" "$WAYMARK" insns --thread 99999 crowd.wmk >out
crowd "1,000 threads, 200 million blocks" 1073741824 1 1000 1 200000
crowd "1,000 threads, 200 million blocks, the least memory" 96000000 1 1000 1 200000 \
	--memory 96M
crowd "8 processes of 200 threads" 1073741824 8 200 1 100000

# QEMU's numbers go beyond the lanes that there are: what is not recorded is said.
run "$WAYMARK" record -o chain.wmk -- "$GUESTS/threads/chain.O3" 8300
check "a chain of threads ends as it does" grep -qx done stdout
"$WAYMARK" info chain.wmk >info
check "threads that are not recorded are told of" \
	grep -q '^complete *no: 1[01][0-9] threads were not recorded' info
run "$WAYMARK" verify chain.wmk
check "verify says so, too" test "$status" -eq 1
finish
