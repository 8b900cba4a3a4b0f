#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Blocks that are not finished, and code that changes: every instruction that a program
# began, and no other, is in its trace, with the bytes that ran; as the witness saw it.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"

# equal NAME WORD...: the same as the witness, for certain; the guest does as untraced.
equal() {
	name=$1
	shift
	if witnessed insns 0 "$@" && same_behaviour && [ "$guest" = 0 ]; then
		passed "$name" "$(cat verdict)"
	else
		failed "$name" "$why (exit status $guest)"
	fi
}

# check_program NAME: once as it is, once with each instruction a block of its own.
check_program() {
	for program in "$GUESTS/$1".*; do
		untraced -L "$SYSROOT" "$program"
		equal "$1 ${program##*.}" -- "$program"
	done
	equal "$1 --precise" --precise -- "$program"
}

for source in "$SRC"/tests/guests/faults/*.c; do
	check_program "faults/$(basename "$source" .c)"
done

# ---- ends that nothing handles: of the last block it may be open how much ran ----

# cut UNSURE WORD...: ends as untraced.
cut() {
	unsure=$1
	shift
	untraced "$GUESTS/processes/die.O3" "$@"
	if witnessed insns "$unsure" -- "$GUESTS/processes/die.O3" "$@" && same_behaviour; then
		passed "ends by $*" "$(cat verdict)"
	else
		failed "ends by $*" "$why"
	fi
}

ulimit -c 0
for how in fault wild illegal stack again full bad bus; do
	cut 1 $how
done
cut "4 --killed" thread # the others are in the middle of something
for signal in 9 15 6 11; do
	cut 0 signal $signal
	cut 0 kill $signal
done
untraced "$GUESTS/processes/die.O3" fault
if witnessed insns 0 --precise -- "$GUESTS/processes/die.O3" fault && same_behaviour; then
	passed "ends by fault --precise" "$(cat verdict)"
else
	failed "ends by fault --precise" "$why"
fi

# ---- the witness itself, against the log of a QEMU that runs one instruction at a time ----

rm -rf seen && mkdir seen
"$QEMU" "$(singlestep)" -d exec,nochain -D log -plugin ./witness.so,dir=seen \
	"$GUESTS/faults/redirect.O3" >out
if "$PYTHON" "$SRC/tests/witness/compare.py" log log seen >verdict; then
	passed "the witness is right" "$(cat verdict)"
else
	failed "the witness is right" "$(cat verdict)"
fi

# ---- code that changes -------------------------------------------------------

# versions: of the block at the patched address, how many there are, whether each has the
# bytes that were written for it, in order, and ran once.
versions() {
	"$WAYMARK" insns run.wmk --format csv | awk -F, -v at="$1" '
		$2 == at { code[$5]++; if ($5 != sprintf("%03x00513", n++)) wrong++ }
		END { for (c in code) if (code[c] == 1) once++; print n, once, wrong + 0 }'
	"$WAYMARK" blocks run.wmk --format csv | awk -F, -v at="$1" '
		$3 == at && !id[$2]++ { n++ } END { print n - 1, "later versions" }'
}

# Newer QEMUs place it elsewhere each time.
if witnessed insns 0 -- "$GUESTS/faults/patch.O3" address && grep -qx 'patch 0' out; then
	passed "patching, with its address" "$(cat verdict)"
else
	failed "patching, with its address" "$why"
fi
address=$(sed -n 's/^at //p' out)
versions "$address" >got
printf '1000 1000 0\n999 later versions\n' >wanted
if cmp -s wanted got; then
	passed "a function patched 1,000 times" "$(tail -n 1 got)"
else
	failed "a function patched 1,000 times" "$(cat got)"
fi

untraced -L "$SYSROOT" "$GUESTS/libraries/dlopen.dyn" "$GUESTS/libraries"
equal "libraries that come and go" -- "$GUESTS/libraries/dlopen.dyn" "$GUESTS/libraries"
exit $((failures > 0))
