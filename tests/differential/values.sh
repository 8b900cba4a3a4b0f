#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The accesses beside the path: every load and store that the witness saw in the same run,
# and no other, by the same instruction of the same thread. Real programs: tests/long/values.sh.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/noted
. "$SRC/tests/witness/noted"

# same NAME [OPTION...] -- WORD...: `record OPTION...` of the guest WORD... has what the
# witness saw; the guest does as untraced.
same() {
	name=$1
	wanted "$name" || return 0
	shift
	options=
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	untraced -L "$SYSROOT" "$@"
	# shellcheck disable=SC2086 # a list of words
	if noted list $options -- "$@" && same_behaviour; then
		passed "$name" "$(cat verdict)"
	else
		failed "$name" "$why (exit status $guest)"
	fi
}

# ended STATUS NAME WORD...: the same of a guest that ends so.
ended() {
	end=$1 name=$2
	wanted "$name" || return 0
	shift 2
	if noted list -- "$@" && [ "$guest" = "$end" ]; then
		passed "$name" "$(cat verdict)"
	else
		failed "$name" "$why (exit status $guest)"
	fi
}

# guests NAME...: each as it is.
guests() {
	for program; do
		same "$program" -- "$GUESTS/$program"
	done
}

guests atomics.O3 qsort.dyn signal.O3 fault.O3 jit.O3 longjmp.nc pageend.O3 strings.O0 alloca.O3
for kinds in loads stores; do
	same "atomics.O3, only $kinds" -- "$GUESTS/atomics.O3"
done
data=yes
same "matmul.O3, data of stores" -- "$GUESTS/matmul.O3"
kinds=all
for program in qsort.O3 float.dyn atomics.O0 varargs.O3 faults/pointers.O3; do
	same "$program, data" -- "$GUESTS/$program"
done
data=

# ---- accesses that the code does not tell ------------------------------------------------

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -march=rv64gcv -nostdlib -static -o vectors \
	"$SRC/tests/differential/vectors.S"
export QEMU_CPU=rv64,v=true
for kinds in all loads stores; do
	same "vectors, $kinds" -- ./vectors
done
kinds=all data=yes
same "vectors, data" -- ./vectors
data=
unset QEMU_CPU

# ---- blocks that are left early, code that changes ---------------------------------------

guests faults/repair.O3 faults/overlap.O3 faults/redirect.O3 faults/nested.O3 faults/patch.O3
guests faults/storm.O3
same "faults/repair.O3 --precise" --precise -- "$GUESTS/faults/repair.O3"
same "atomics.O3 --precise" --precise -- "$GUESTS/atomics.O3"

ulimit -c 0
CHECK=1
for how in fault wild stack full bad; do
	same "ends by $how" -- "$GUESTS/processes/die.O3" $how
done
same "ends by full --precise" --precise -- "$GUESTS/processes/die.O3" full
CHECK=

# ---- threads and processes ----------------------------------------------------------------

guests threaded.O3 threads/generations.O3 faults/threads.O3 threads/names.dyn
CHECK=64
guests threads/exitgroup.O3
CHECK=
guests processes/tree.O3 processes/threadfork.O3
# Without a recorder QEMU cannot execute them.
ended 9 "programs that execute each other" "$GUESTS/processes/chain.O3" 3 \
	"$GUESTS/processes/chain.O3" "$GUESTS/processes/chain.dyn"

# ---- parts of a run --------------------------------------------------------------------------

# part NAME OPTION... :: RULE... -- WORD...: what record's options let through is what
# cut.py's rules do.
part() {
	name=$1 options= rules=
	shift
	while [ "$1" != :: ]; do options="$options $1"; shift; done
	shift
	while [ "$1" != -- ]; do rules="$rules $1"; shift; done
	WITNESS=,insns=on CHECK="--program-file $2$rules"
	# shellcheck disable=SC2086 # a list of words
	same "$name" $options "$@"
	WITNESS= CHECK=
}

calls=$GUESTS/steering/calls
part "a window" --window f@10..f@20 :: --window f@10..f@20 -- "$calls.O3"
part "counted instructions" --window insn:1001..insn:2002 :: --window insn:1001..insn:2002 -- \
	"$calls.O3"
part "windows" --window f@5..f@100 --window f@990.. :: --window f@5..f@100 --window f@990.. -- \
	"$calls.O3"
part "so many instructions" --max-insns 5001 :: --max-insns 5001 -- "$calls.O3"
part "a function" --only g :: --only g -- "$calls.O3"
part "all but a function" --except g :: --except g -- "$calls.O3"
part "a function, in a child" --only f :: --only f -- "$calls.O3" fork
part "a function, in threads" --only g :: --only g -- "$calls.O3" threads
part "the program" --user-code :: --program -- "$calls.dyn"

# The first chunk that stays has lost its beginning, in its values as in its path.
WITNESS=,insns=on CHECK=--tail
same "the last instructions" --last 5001-insns -- "$GUESTS/qsort.O3"
data=yes
same "the last instructions of threads, data" --last 2000-insns -- "$GUESTS/threaded.O3"
same "the last instructions, atomic ones" --last 1500-insns -- "$GUESTS/atomics.O0"
data= WITNESS= CHECK=

# ---- kills: no access of a block before the last one is lost ------------------------------------

for n in 1 2 1000 54321 123456; do
	WITNESS=,kill=$n CHECK=--killed
	ended 137 "killed at instruction $n" "$GUESTS/processes/spin.O3"
done
WITNESS= CHECK=

# ---- callbacks that QEMU leaves in force ------------------------------------------------------

# The second thread runs nothing().
leftover=$GUESTS/faults/leftover.O3
functions="--only load_across --only nothing"

# How many there are when nothing but the load has a callback.
stale() {
	at=0x$("${CROSS:-riscv64-linux-gnu-}nm" "$leftover" | sed -n 's/ . load_across$//p')
	rm -rf seen && mkdir seen
	"$QEMU" -plugin "./values.so,dir=seen,stale=on,from=$at,to=$((at + 8))" "$leftover" >out
	"$PYTHON" "$SRC/tests/witness/values.py" --count-stale seen
}

# An instruction for which the witness registers a callback gets no others. So a run without
# the witness must have what one with it has.
check_stale() {
	# shellcheck disable=SC2086 # lists of words
	part "where stale callbacks would be" $functions :: $functions -- "$leftover"
	cp got/0 beside
	rm -rf got && mkdir got
	# shellcheck disable=SC2086
	"$WAYMARK" record --qemu "$QEMU" --mem -o alone.wmk $functions "$leftover" >out
	./accesses alone.wmk got list
	if [ "$(qemu_version | cut -d. -f1)" = 7 ] && [ "$(stale)" -lt 2000 ]; then
		failed "stale callbacks" "$(stale) of them: the guest does not provoke them"
	elif [ -s got/0 ] && same_instructions got/0 beside; then
		passed "stale callbacks" "$(stale) of them"
	else
		failed "stale callbacks" "$(cmp got/0 beside)"
	fi
}

# Newer QEMUs place the program's memory elsewhere each time.
same_instructions() {
	[ "$(od -An -v -t x8 -w48 "$1" | cut -d' ' -f2,3)" = \
		"$(od -An -v -t x8 -w48 "$2" | cut -d' ' -f2,3)" ]
}

if wanted "stale callbacks"; then
	check_stale
fi

# Windows throw code away, and with it the callbacks that are still in force. What was freed is
# overwritten, so that using it ends the guest.
check_freed() {
	windows=
	for n in 5 35 65 95 125 155 185 215 245 275; do
		windows="$windows --window load_across@$n..add_atomically@$((n + 5))"
	done
	for round in 1 2 3 4; do
		# shellcheck disable=SC2086 # lists of words
		MALLOC_PERTURB_=85 G_SLICE=always-malloc "$WAYMARK" record --qemu "$QEMU" --mem \
			-o alone.wmk $functions $windows "$leftover" >out 2>err || break
		grep -q '^leftover ' out && "$WAYMARK" verify alone.wmk >verdict 2>&1 &&
			grep -q ' values: complete and sound$' verdict || break
		[ "$round" -lt 4 ] || round=all
	done
	if [ "$round" = all ]; then
		passed "callbacks that are freed" "$(cat verdict)"
	else
		failed "callbacks that are freed" "run $round: $(cat err verdict)"
	fi
}

if wanted "callbacks that are freed"; then
	check_freed
fi

# ---- other ISAs: every access is told apart ---------------------------------------------------

riscv64=$QEMU
for isa in x86_64 aarch64; do
	"$SRC/tests/guests/build-isas.sh" "$GUESTS" $isa
	QEMU=${riscv64%riscv64}$isa SYSROOT=/
	for program in qsort wide fault strings; do
		for program in "$GUESTS/$isa/$program".O[23]; do
			[ "${program##*/strings.*}" ] || data=yes
			same "$isa/$(basename "$program")" -- "$program"
			data=
		done
	done
done
exit $((failures > 0))
