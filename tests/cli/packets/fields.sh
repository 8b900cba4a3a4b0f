#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Packets against decoders that were written from the specifications alone: every field is one
# that their tables allow, and the path is the recording's.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
HERE=$SRC/tests/cli/packets

for guest in signal.O3 signal.nc fault.O3 fault.O0 tailcall.nc fnptr.O3 longjmp.nc threads/names.O3; do
	"$WAYMARK" record -o run.wmk "$GUESTS/$guest" >/dev/null 2>&1 || true
	set --
	while "$WAYMARK" insns --thread $# --format execlog run.wmk >list.$# 2>/dev/null; do
		[ $# -gt 0 ] || instructions=$(wc -l <list.0)
		set -- "$@" list.$#
	done
	[ "$instructions" -lt 500000 ] || continue
	for options in "" "--resync 3" "--branches" "--branches --resync 5 --timestamps" \
		"--modes returns" "--modes all" "--modes all --resync 3 --contexts" \
		"--modes all --branches --resync 5 --timestamps --contexts"; do
		# shellcheck disable=SC2086 # several words
		"$WAYMARK" packets --format ntrace $options run.wmk >packets 2>/dev/null
		check "$guest: N-Trace $options" "$PYTHON" "$HERE/ntrace.py" 8 packets "$@"
	done
	for options in "" "--resync 3" "--resync 5 --timestamps" "--modes full" "--modes returns" \
		"--modes jumps" "--modes prediction" "--modes targets" "--modes all" \
		"--modes all --resync 3 --contexts" "--modes all,full --resync 7 --timestamps"; do
		# shellcheck disable=SC2086 # several words
		"$WAYMARK" packets --format etrace $options run.wmk >packets 2>/dev/null
		context=
		case $options in *contexts*) context=--context ;; esac
		# shellcheck disable=SC2086 # none or one
		check "$guest: E-Trace $options" "$PYTHON" "$HERE/etrace.py" $context 1 packets "$@"
	done
done

# ---- numbers of harts ----------------------------------------------------------

for bits in 3 11 12; do
	"$WAYMARK" packets --format ntrace --source-bits $bits run.wmk >packets 2>/dev/null
	check "N-Trace with $bits bits for the hart" "$PYTHON" "$HERE/ntrace.py" $bits packets "$@"
done
"$WAYMARK" packets --format etrace --source-bits 16 run.wmk >packets 2>/dev/null
check "E-Trace with 16 bits for the hart" "$PYTHON" "$HERE/etrace.py" 2 packets "$@"
"$WAYMARK" packets --format ntrace --source-bits 0 --thread 1 run.wmk >packets 2>/dev/null
check "one hart without a number" "$PYTHON" "$HERE/ntrace.py" 0 packets list.1

# Harts in turn, as hardware sends them: the order between harts does not count.
for format in ntrace etrace; do
	"$WAYMARK" packets --format $format run.wmk >packets 2>/dev/null
	"$PYTHON" "$HERE/shuffle.py" $format packets mixed
	check "$format: the harts are mixed" sh -c '! cmp -s packets mixed'
	"$WAYMARK" import $format packets --code run.wmk -o one.wmk 2>/dev/null
	"$WAYMARK" import $format mixed --code run.wmk -o two.wmk 2>/dev/null
	for thread in 0 1 2; do
		"$WAYMARK" insns --thread $thread one.wmk >wanted
		"$WAYMARK" insns --thread $thread two.wmk >got
		same "$format: harts in turn, $thread" wanted got
	done
done

# ---- addresses without equal bits at their top -----------------------------------

"$WAYMARK" packets --format ntrace --modes all,addresses --resync 5 run.wmk >packets 2>/dev/null
check "N-Trace, extended addresses" "$PYTHON" "$HERE/ntrace.py" --extended 8 packets "$@"
"$WAYMARK" import ntrace packets --extended-addresses --code run.wmk \
	--elf "$GUESTS/threads/names.O3" -o back.wmk 2>/dev/null
for thread in 0 1 2; do
	run "$WAYMARK" diff --thread $thread:$thread run.wmk back.wmk
	check "and back, thread $thread" test "$status" -eq 0
done

# A program at addresses of a kernel, in which a jump through a register and an ecall lead down
# and up: whole, these addresses take 11 bytes.
cat >kernel.log <<'END'
core   0: 0xffffffff800031f0 (0x00028067) jr      t0
core   0: 0x0000000000012344 (0x00028067) jr      t0
core   0: 0xffffffff80003200 (0x00028067) jr      t0
core   0: 0xffffffff80003300 (0x00028067) jr      t0
core   0: 0xbffffffffffffffc (0x00028067) jr      t0
core   0: 0xffffffff80003304 (0x00150513) addi    a0, a0, 1
END
"$WAYMARK" import spike kernel.log -o kernel.wmk 2>/dev/null
"$WAYMARK" insns --format execlog kernel.wmk >kernel.list
for resync in 1 100; do
	for modes in returns addresses; do
		"$WAYMARK" packets --format ntrace --modes $modes --resync $resync kernel.wmk \
			>$modes 2>/dev/null
	done
	check "kernel addresses, $resync" \
		"$PYTHON" "$HERE/ntrace.py" --extended 8 addresses kernel.list
	check "they are shorter, $resync" test "$(wc -c <addresses)" -lt "$(wc -c <returns)"
	"$WAYMARK" import ntrace addresses --extended-addresses --code kernel.wmk -o back.wmk \
		2>/dev/null
	run "$WAYMARK" diff kernel.wmk back.wmk
	check "kernel addresses and back, $resync" test "$status" -eq 0
done
misused "not in E-Trace" '*--modes: etrace has no "addresses"' \
	"$WAYMARK" packets --modes addresses run.wmk

# ---- events and times ----------------------------------------------------------

"$WAYMARK" record -o run.wmk "$GUESTS/fault.O3" >/dev/null 2>&1 || true
for format in ntrace etrace; do
	"$WAYMARK" packets --format $format --resync 20 --timestamps run.wmk >packets 2>/dev/null
	"$WAYMARK" import $format packets --code run.wmk -o back.wmk 2>/dev/null
	"$WAYMARK" events --format csv run.wmk | grep -c ',signal,' >wanted
	"$WAYMARK" events --format csv back.wmk | grep -c ',trap,.*exception' >got
	same "$format: signals are exceptions" wanted got
	check "$format: there is a time" sh -c \
		"'$WAYMARK' info --format json back.wmk | grep -q '\"seconds\": 0\.[0-9]'"
done

# ---- an ELF file is enough -----------------------------------------------------

"$WAYMARK" record -o sort.wmk "$GUESTS/qsort.O3" >/dev/null
for format in ntrace etrace; do
	"$WAYMARK" packets --format $format sort.wmk -o packets 2>/dev/null
	"$WAYMARK" import $format packets --elf "$GUESTS/qsort.O3" -o back.wmk 2>/dev/null
	run "$WAYMARK" diff sort.wmk back.wmk
	check "$format: the code of an ELF file is enough" test "$status" -eq 0
	"$WAYMARK" import $format packets --code sort.wmk -o back.wmk 2>/dev/null
	run "$WAYMARK" diff sort.wmk back.wmk
	check "$format: that of a trace is, too" test "$status" -eq 0
	for trace in sort back; do
		"$WAYMARK" hot --format csv $trace.wmk >$trace.csv
	done
	same "$format: with its names" sort.csv back.csv
done
# Two programs at the same addresses: of which one the packets are is not known.
echo '#include <unistd.h>
int main(int n, char **argv) { return execv(argv[n - 1], argv + 1); }' >exec.c
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -o exec exec.c
"$WAYMARK" record -o both.wmk ./exec "$GUESTS/qsort.O3" >/dev/null
"$WAYMARK" packets --process 1 both.wmk -o packets 2>/dev/null
"$WAYMARK" import etrace packets --code both.wmk -o back.wmk 2>/dev/null
check "code of two programs at one address: no names" \
	test "$("$WAYMARK" hot --format csv -f function back.wmk | sed 1d)" = "[anonymous]"
"$WAYMARK" packets --format etrace --resync 20 --timestamps run.wmk >packets 2>/dev/null

# ---- refused -------------------------------------------------------------------

refused "packets without code" '*packets have no code: --elf or --code is needed' \
	"$WAYMARK" import ntrace packets -o none.wmk
head -c -1 packets >cut
refused "packets that are cut off" '*the file ends within a packet (at byte *)' \
	"$WAYMARK" import etrace cut --code run.wmk -o none.wmk
printf '\002\002' >bad
refused "a reserved MSEO" '*a reserved MSEO' \
	"$WAYMARK" import ntrace bad --code run.wmk -o none.wmk
: >empty
refused "no message" '*there is no message of N-Trace' \
	"$WAYMARK" import ntrace empty --code run.wmk -o none.wmk
refused "no packet" '*there is no packet of E-Trace' \
	"$WAYMARK" import etrace empty --code run.wmk -o none.wmk
"$WAYMARK" packets --format etrace run.wmk >packets 2>/dev/null
refused "code of another program" '*: the packets are of other code than was given, or damaged (at byte *)' \
	"$WAYMARK" import etrace packets --code sort.wmk -o none.wmk
misused "no such mode" '*--modes: etrace has no "repeats"' \
	"$WAYMARK" packets --modes returns,repeats run.wmk
misused "too many bits" '*--source-bits is at most 12 in this format' \
	"$WAYMARK" packets --format ntrace --source-bits 13 run.wmk
refused "a part of a byte" '*have 0, 8 or 16 bits in E-Trace' \
	"$WAYMARK" packets --format etrace --source-bits 5 run.wmk
finish
