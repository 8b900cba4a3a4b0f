#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The caches against cachegrind's: fed with the accesses that lackey lists of the same program
# on this machine, they miss as often, to the count.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

# under_valgrind OPTION...: the same process for both tools: one environment, one layout.
under_valgrind() {
	env -i setarch "$(uname -m)" -R valgrind "$@" ./guest >out 2>err
}

cc -O2 -static -o guest "$SRC/tests/cli/cache/guest.c"
if ! under_valgrind --tool=lackey --trace-mem=yes --log-file=accesses; then
	passed "caches against cachegrind # SKIP no Valgrind that works: $(tail -n 1 err)"
	finish
fi
check "there are accesses" test "$(wc -l <accesses)" -gt 1000000

# bytes SIZE: 32k as cachegrind takes it
bytes() {
	case $1 in
	*k*) echo $((${1%%k*} * 1024)),${1#*,} ;;
	*M*) echo $((${1%%M*} * 1048576)),${1#*,} ;;
	*) echo "$1" ;;
	esac
}

# agree L1I L1D LLC
agree() {
	under_valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=theirs \
		"--I1=$(bytes "$1")" "--D1=$(bytes "$2")" "--LL=$(bytes "$3")"
	grep ^summary: theirs >sums.theirs
	"$BUILD/tests/unit/feed_cache" "$1" "$2" "$3" <accesses >sums.ours
	same "$1 $2 $3" sums.theirs sums.ours
}

agree 32k,8,64 32k,8,64 8M,16,64
agree 16k,4,64 16k,4,64 256k,8,64
agree 4k,2,32 8k,1,32 64k,16,64
agree 2k,1,32 1k,4,32 16k,1,128
agree 48k,3,64 48k,12,64 1M,16,64
agree 512,2,64 512,8,64 4k,2,64
finish
