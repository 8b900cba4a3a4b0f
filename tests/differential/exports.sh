#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Formats that other programs read, of instructions with their memory accesses: against what
# the witness of values saw in the same run, by parsers that know nothing but the formats, the
# program's disassembly by objdump, and the log of QEMU's own execlog plugin.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/noted
. "$SRC/tests/witness/noted"

program=$GUESTS/processes/die.O3
"${CROSS:-riscv64-linux-gnu-}objdump" -d -M no-aliases "$program" >disassembly

data=yes WITNESS=,insns=on
execlog=$("$SRC/bench/peers/build.sh" "$QEMU" 2>why) || execlog=
if [ -n "$execlog" ]; then
	set -- --qemu-arg -plugin --qemu-arg "$execlog/execlog.so" --qemu-arg -d --qemu-arg plugin \
		--qemu-arg -D --qemu-arg "$PWD/execlog.log"
fi
if ! noted list "$@" -- "$program" exit 0; then
	failed "the recording" "$why"
	exit 1
fi

# fits FORMAT: what it writes is what the witness saw.
fits() {
	wanted "$1" || return 0
	"$WAYMARK" export "mem-$1" run.wmk >"written.$1" 2>err || true
	if "$PYTHON" "$SRC/tests/differential/exports_facts.py" "$1" "written.$1" seen disassembly \
		>verdict 2>&1; then
		passed "$1" "$(cat verdict)"
	else
		failed "$1" "$(cat verdict err)"
	fi
}

for format in din lackey champsim commits riscvdv; do
	fits "$format"
done

# What 7.2's own shows as opcode has bytes after a compressed instruction in it, and its
# disassembly begins with the right one. That of later ones does not.
plain() {
	case $(qemu_version) in
	7.*) sed -E 's/, 0x[0-9a-f]+, "0*([0-9a-f]{1,8}) {10,}/, 0x\1, "/' "$1" ;;
	*) cat "$1" ;;
	esac
}
if [ -z "$execlog" ]; then
	passed "execlog" "SKIP $(cat why)"
else
	"$WAYMARK" export mem-execmem run.wmk >written.execlog
	plain execlog.log >theirs
	if [ -s theirs ] && cmp -s theirs written.execlog; then
		passed "execlog" "$(wc -l <theirs) lines"
	else
		failed "execlog" "$(diff theirs written.execlog | head -n 10)"
	fi
fi

# ---- back -----------------------------------------------------------------------------------------

# imported NAME TRACE PROGRAM: execlog's own log beside it has the path of a recording, and so
# has a trace of that log, of all threads.
imported() {
	wanted "$1" || return 0
	if "$WAYMARK" import execlog execlog.log --elf "$3" -o imported.wmk 2>verdict &&
		"$WAYMARK" diff "$2" --execlog execlog.log >verdict &&
		"$WAYMARK" insns --interleave --no-events --format csv "$2" >mine &&
		"$WAYMARK" insns --interleave --no-events --format csv imported.wmk >theirs &&
		sort mine >verdict && sort theirs | cmp -s - verdict; then
		passed "$1" "$(wc -l <execlog.log) lines"
	else
		failed "$1" "$(tail -n 5 verdict)"
	fi
}

if [ -n "$execlog" ]; then
	imported "execlog, imported" run.wmk "$program"
	# CPUs that run at once write into each other's lines. The plugin crashes where there are
	# several, with and without Waymark: that of 7.2 in one run of twenty, later ones in each.
	case $(qemu_version) in
	7.*)
		threads=$GUESTS/threads/names.O3
		for _ in $(seq 10); do
			"$WAYMARK" record -o threads.wmk "$@" -- "$threads" >/dev/null 2>&1 && break
		done
		imported "execlog of several CPUs, imported" threads.wmk "$threads"
		;;
	esac
fi

# ---- parts --------------------------------------------------------------------------------------

for format in din commits; do
	"$WAYMARK" export "mem-$format" run.wmk --from 1000 --to 1100 >mine
	"$PYTHON" "$SRC/tests/differential/exports_facts.py" part "written.$format" 1000 1100 >part
	if [ -s mine ] && cmp -s mine part; then
		passed "$format, --from and --to" "$(wc -l <mine) lines"
	else
		failed "$format, --from and --to" "$(diff mine part | head -n 10)"
	fi
done

# With registers, which execlog has from 9.0 on: all that --commits has.
case $(qemu_version) in
7.* | 8.*) exit $((failures > 0)) ;;
esac
# asked NAME...: execlog's options for these registers.
asked() {
	for name; do
		printf ',reg=%s' "$name"
	done
}
# registers ISA CPU PROGRAM NAME...: a commit log beside execlog's of the same run.
registers() {
	isa=$1 cpu=$2 guest=$3
	shift 3
	wanted "execlog's registers, $isa" || return 0
	"$WAYMARK" record --qemu "${QEMU%riscv64}$isa" ${cpu:+--qemu-arg -cpu --qemu-arg "$cpu"} \
		--commits --qemu-arg -plugin \
		--qemu-arg "$execlog/execlog.so$(asked "$@")" --qemu-arg -d \
		--qemu-arg plugin --qemu-arg -D --qemu-arg "$PWD/theirs" \
		-o "$isa.wmk" -- "$guest" >/dev/null 2>err
	"$WAYMARK" export mem-execmem "$isa.wmk" >mine
	"$PYTHON" "$SRC/tests/differential/execlog.py" theirs mine >verdict 2>&1 &&
		"$WAYMARK" diff "$isa.wmk" --execlog theirs >differ 2>&1 &&
		"$WAYMARK" diff "$isa.wmk" --execlog mine >>differ 2>&1 &&
		[ "$(grep -c 'values: none of .*registers written' differ)" = 2 ] || {
		failed "execlog's registers, $isa" "$(head -n 5 verdict) $(tail -n 3 differ)"
		return 0
	}
	passed "execlog's registers, $isa" "$(cat verdict)"
}
# numbered FIRST LAST LETTERS: each of them with these numbers.
numbered() {
	for letter in $3; do
		seq -f "$letter%g" "$1" "$2"
	done
}
if [ -n "$execlog" ]; then
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -march=rv64gcv -nostdlib -static -o csrs \
		"$SRC/tests/differential/csrs.S"
	# shellcheck disable=SC2046 # lists of words
	registers riscv64 "" ./csrs zero ra sp gp tp $(numbered 0 2 t) fp s1 $(numbered 0 7 a) \
		$(numbered 2 11 s) $(numbered 3 6 t) $(numbered 0 11 "ft fs") \
		$(numbered 0 7 fa) fflags frm vxsat vxrm vstart vl vtype $(numbered 0 31 v)
	"$SRC/tests/guests/build-isas.sh" --one "$GUESTS" aarch64 x86_64
	for isa in aarch64 x86_64; do
		for program in "$GUESTS/$isa"/float.*; do
			guest=$program
			[ "${program%.dyn}" = "$program" ] && break
		done
		# shellcheck disable=SC2046 # lists of words
		case $isa in
		aarch64) registers aarch64 cortex-a57 "$guest" $(numbered 0 30 x) sp $(numbered 0 31 v) ;;
		*) registers x86_64 "" "$guest" rax rbx rcx rdx rsi rdi rbp rsp \
			$(numbered 8 15 r) $(numbered 0 15 xmm) ;;
		esac
	done
fi
exit $((failures > 0))
