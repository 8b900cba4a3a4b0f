#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What record --mem keeps, and that it keeps all of it for many threads and for processes
# that fork. tests/differential/values.sh compares each access with what a witness saw.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/crowd
. "$(dirname "$0")/../crowd"

# keeps NAME KINDS VALUES OPTION...: records with the options; the accesses are of KINDS, and
# all (VALUES is yes) or none of them have data.
keeps() {
	name=$1 kinds=$2 values=$3
	shift 3
	"$WAYMARK" record "$@" -o run.wmk "$GUESTS/branches.O3" >stdout 2>stderr
	if "$WAYMARK" mem --format csv run.wmk 2>>stderr |
		"$PYTHON" "$SRC/tests/cli/record/accesses_kept.py" "$kinds" "$values" >found; then
		passed "$name"
	else
		failed "$name" "$(cat found stderr)"
	fi
}

misused "a word that --mem does not take" '*--mem takes loads, stores or all*' \
	"$WAYMARK" record --mem=addresses -o run.wmk "$GUESTS/branches.O3"
keeps "--mem keeps loads and stores, without data" "load store" no --mem
keeps "--mem=loads keeps loads" load no --mem=loads
keeps "--mem=stores keeps stores" store no --mem=stores
keeps "--mem-values keeps loads and stores with their data" "load store" yes --mem-values
keeps "--mem=stores --mem-values keeps what was stored" store yes --mem=stores --mem-values

# Recording stops in the middle of it: between two blocks of one thread, and of others
# anywhere, also in a block that faults.
run "$WAYMARK" record --mem --mem-values --max-size 1M -o run.wmk "$GUESTS/processes/spin.O3" 2
run "$WAYMARK" verify run.wmk
check "accesses up to a limit of bytes" sh -c 'test "$0" -eq 0 && grep -q " values" stdout' "$status"
run "$WAYMARK" info run.wmk
check "that limit was reached" grep -q '^limits *--max-size 1M: reached' stdout
for insns in 15000 20000 25000 30000 35000 40000; do
	run "$WAYMARK" record --mem --max-insns $insns -o run.wmk "$GUESTS/faults/threads.O3"
	run "$WAYMARK" verify run.wmk
	[ "$status" -eq 0 ] && grep -q " values" stdout || break
done
check "accesses of threads that fault, up to a limit of one" [ "$status" -eq 0 ]

crowd "300 threads at once with --mem" 400000000 1 300 1 10000 --mem
crowd "8 processes of 20 threads with --mem" 400000000 8 20 1 10000 --mem
finish
