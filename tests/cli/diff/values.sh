#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Values of a run against those of another run, of real Spike's commits, and of execlog.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/common
. "$SRC/tests/cli/diff/common"

bare stored -O2 "$HERE/stored.c"
# Newer versions of QEMU put the stack where the host has room, unless -R says how much memory
# the program has.
data() {
	out=$1
	shift
	record "$out" --mem --mem-values --qemu-arg -R --qemu-arg 0x4000000000 "$@"
}

# ---- two runs ----------------------------------------------------------------

export FAR=near
data 1.wmk ./stored a
data same.wmk ./stored a
data 2.wmk ./stored b
identical "the same run" any 1.wmk same.wmk
facts "its values are the same" values_are_the_same
json 1.wmk 2.wmk
check "another value: exit status 1" test "$status" -eq 1
facts "the first store of another value" the_first_store_of_another_value
run "$WAYMARK" diff -n 2 1.wmk 2.wmk
check "in words" grep -q '^  A  stores 1 byte at 0x[0-9a-f]*: 0x61$' stdout
check "and of the other" grep -q '^  B  stores 1 byte at 0x[0-9a-f]*: 0x62$' stdout
check "with the function" grep -q ' keep' stdout

for option in --ignore-values --values=none --values=addresses --values=registers; do
	run "$WAYMARK" diff $option 1.wmk 2.wmk
	check "$option: exit status 0" test "$status" -eq 0
done
for file in 1.wmk 2.wmk; do
	check "no registers to compare in $file: a remark" \
		grep -q "$file has no registers, so these are not compared" stderr
done
run "$WAYMARK" diff --values addresses,data 1.wmk 2.wmk
check "what is there needs none" [ ! -s stderr ]
check "addresses and data: exit status 1" test "$status" -eq 1
identical "two numbers may differ" any --may-differ 0x61=0x62 1.wmk 2.wmk
identical "what functions do may differ" any --may-differ keep --may-differ fetch \
	--may-differ start 1.wmk 2.wmk
json --may-differ letter 1.wmk 2.wmk
facts "a variable may differ" a_variable_may_differ
address=$("$PYTHON" "$HERE/values_facts.py" the_address)
identical "two places in memory may differ" any --may-differ letter \
	--may-differ "$address,4" 1.wmk 2.wmk

record stores.wmk --mem=stores ./stored b
json 1.wmk stores.wmk
check "only what both have: exit status 0" test "$status" -eq 0
facts "only stores, without data" values_are_the_same
record here.wmk --value keep:a0,ret ./stored a
record there.wmk --value keep:a0,ret ./stored b
json here.wmk there.wmk
facts "registers at a place" registers_at_a_place
record other.wmk --value keep:a0 ./stored b
json here.wmk other.wmk
facts "values of other places" no_values
record plain.wmk ./stored b
json 1.wmk plain.wmk
facts "a run without values" no_values

# The environment moves the stack, and nothing else: by a page, so alignment is the same.
FAR=$(printf 'near%4096s' x)
data far.wmk ./stored a
identical "a stack that lies elsewhere" any --values=data 1.wmk far.wmk
json 1.wmk far.wmk
facts "its distance is found" the_stack_is_elsewhere
moved=$("$PYTHON" "$HERE/values_facts.py" the_move)
identical "memory that was moved" any --moved "$moved" 1.wmk far.wmk

# The loader as the program maps everything else elsewhere; pointers to a file's data differ by
# as much as its addresses.
root=/usr/riscv64-linux-gnu
loader=$root/lib/ld-linux-riscv64-lp64d.so.1
if [ -e $loader ]; then
	"$CC" -O1 -o table "$HERE/table.c"
	data table.wmk -L $root ./table
	data loaded.wmk -L $root $loader ./table
	json --from work --to done table.wmk loaded.wmk
	facts "files that lie elsewhere" files_that_lie_elsewhere
	json --values=none --from work --to done table.wmk loaded.wmk
	facts "and with no values compared" no_values
else
	passed "files that lie elsewhere # SKIP there is no loader"
fi

# ---- execlog -----------------------------------------------------------------

"$WAYMARK" export execmem 1.wmk >execlog
identical "execlog with accesses" any 1.wmk --execlog execlog
facts "its accesses are the same" values_are_the_same
sed '0,/, store, 0x/s/, store, 0x\([0-9a-f]*\)/, store, 0xf\1/' execlog >wrong
json 1.wmk --execlog wrong
facts "a store to another address" a_store_to_another_address

# ---- refused -----------------------------------------------------------------

usage "values that there are not" '*--values is addresses*' --values=all,x 1.wmk 2.wmk
usage "half a range" '*is not ADDRESS*' --may-differ 5x 1.wmk 2.wmk
usage "half a move" '*is not ADDRESS=ADDRESS*' --moved 5 1.wmk 2.wmk
usage "leeway of nothing" '*which are not compared here' --values=none --may-differ a0 \
	1.wmk 2.wmk
refused "a name that is none" '*no register, variable or function "nobody"' \
	"$WAYMARK" diff --may-differ nobody 1.wmk 2.wmk

finish
