#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Accesses and misses by method of a managed program, and by line of one, against its bytecodes and its accesses one by one.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

facts="$PYTHON $(dirname "$0")/methods_facts.py"
sysroot=$("$SRC/tests/sysroot.sh")

cat >app.py <<'END'
import _thread
def fill(n):
    return [i * i for i in range(n)]
def total(numbers):
    return sum(numbers) + len(sorted(numbers, key=lambda x: -x))
class Shape:
    def __init__(self, side):
        self.side = side
    def area(self):
        return self.side * self.side
def work(n):
    numbers = fill(n)
    areas = sum(Shape(i).area() for i in range(n // 4))
    try:
        return total(numbers) + areas + int("x")
    except ValueError:
        return total(numbers) + areas
def begin(done):
    work(40)
    done.release()
done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(begin, (done,))
done.acquire()
print(work(60), work(100))
END
run "$WAYMARK" record -E PYTHONHASHSEED=0 --mem -L "$sysroot" -o python.wmk -- python3.13 -SI app.py
check "the program ends well" test "$status" -eq 0

# The lists of a part of thread $2 of trace $1, from $3 to $4, and the sums.
lists()
{
	set -- --thread "$2" --from "$3" --to "$4" --format csv "$1"
	"$WAYMARK" bytecodes "$@" >bytecodes.csv
	"$WAYMARK" insns "$@" >insns.csv
	"$WAYMARK" mem -f insn,address,size,kind,method,source "$@" >mem.csv
	"$WAYMARK" mem --by method -f method,loads,stores,bytes "$@" >by-mem.csv
	"$WAYMARK" mem --by source -f source,method,loads,stores,bytes "$@" >lines-mem.csv
	set -- --l1i 4k,1,64 --l1d 4k,1,64 --l2 none --llc none "$@"
	"$WAYMARK" cache --by method -f method,insns,l1i_misses,l1d_misses "$@" >by-cache.csv
	"$WAYMARK" cache --by source -f source,method,insns,l1i_misses,l1d_misses "$@" >lines-cache.csv
}

# What the sums of a part are, which $1 says.
sums()
{
	check "$1: accesses, each with its method and line" $facts listed bytecodes.csv mem.csv
	check "$1: accesses by method" $facts accesses bytecodes.csv mem.csv by-mem.csv
	check "$1: accesses by line" $facts accesses bytecodes.csv mem.csv lines-mem.csv
	check "$1: misses by method" $facts misses bytecodes.csv mem.csv by-cache.csv insns.csv 4096
	check "$1: misses by line" $facts misses bytecodes.csv mem.csv lines-cache.csv insns.csv 4096
}

# Numbers, because to find a place takes longer than to list what is there.
begin=$("$WAYMARK" insns --thread 0 --from work@1 -n 1 --format csv python.wmk | sed -n "2s/,.*//p")
end=$("$WAYMARK" insns --thread 0 --from work@2 -n 1 --format csv python.wmk | sed -n "2s/,.*//p")
lists python.wmk 0 "$begin" "$end"
sums "a part of a Python program"
lists python.wmk 1 0 300000
sums "another thread, from its begin"

# All of the run, by all commands.
"$WAYMARK" hot --by method --format csv -f insns,method python.wmk >hot.csv
"$WAYMARK" mem --by method --format csv -f loads,stores,method python.wmk >mem.csv
"$WAYMARK" cache --by method --format csv -f loads,stores,insns,method,module python.wmk >cache.csv
check "caches see the accesses of each" $facts same mem.csv cache.csv loads stores method
"$WAYMARK" mem --by method --format csv -f loads,stores,method -j 1 python.wmk >once.csv
same "with one thread: the same" mem.csv once.csv
cut -d , -f 1 hot.csv | sort >want
cut -d , -f 3 cache.csv | sort >got
same "and the instructions" want got
for part in 1 2 3; do
	"$WAYMARK" mem --by method --format csv -f loads,stores,method --part "$part/3" --state "mem.$part" python.wmk
	"$WAYMARK" cache --by method --format csv -f loads,stores,insns,method,module --part "$part/3" --state "cache.$part" \
		python.wmk
done
"$WAYMARK" merge mem.[123] >got
same "accesses, from parts" mem.csv got
"$WAYMARK" merge cache.[123] >got
same "misses, from parts" cache.csv got
"$WAYMARK" cache --by method --shared-llc --format csv -f loads,stores,insns,method,module python.wmk >shared.csv
sort shared.csv >got
sort cache.csv >want
same "with a last cache that threads share: the same accesses" want got

# By line: the same sums in all.
"$WAYMARK" hot --by source --format csv -f insns,source,method python.wmk >hot.csv
"$WAYMARK" cache --by source --format csv -f insns,source,method python.wmk >cache.csv
grep -v '^[0-9]*,,' hot.csv | sort >want
grep -v '^[0-9]*,,' cache.csv | sort >got
same "instructions of each line" want got

# In SQL each access has its method, and its line without the file.
"$WAYMARK" mem --thread 0 --from "$begin" --to "$end" -f insn,kind,method,source --format csv python.wmk | sed '1d' |
	sed 's/,[^,]*:\([0-9]*\)$/,\1/' >want
first=$(sed -n '1s/,.*//p' want) last=$(sed -n '$s/,.*//p' want)
"$WAYMARK" sql --format csv python.wmk "select insn, kind, method, method_line from accesses
	where thread = 0 and insn between $first and $last" | sed 1d >got
check "SQL: there are accesses" test "$(wc -l <want)" -gt 10000
same "SQL: the method and the line of each" want got

# --function selects methods, and then native functions have no rows.
"$WAYMARK" mem --by method --function 'Shape.*' --format csv -f method python.wmk | sort >got
"$WAYMARK" cache --by method --function 'Shape.*' --format csv -f method python.wmk | sort >also
printf '%s\n' method 'Shape.__init__ (app.py:7)' 'Shape.area (app.py:9)' | sort >want
same "--function: methods of that name" want got
same "--function: of caches, too" want also
"$WAYMARK" mem --by method --watch 0x0,0xffffffffffff --format csv -f loads,stores,method python.wmk >got
same "--watch: of all memory all" mem.csv got
run "$WAYMARK" mem --by method --function nothing python.wmk
check "a name that no method has" grep -q 'nothing' stderr

# Java, from a bytecode on that is interpreted to some that are compiled.
jdk=$("$SRC/tests/sysroot.sh" java)
javac --release 17 -d . "$SRC/tests/guests/java/Tiers.java"
run "$WAYMARK" record -q --mem -L "$jdk" -o java.wmk -- \
	"$jdk"/usr/lib/jvm/java-21-openjdk-riscv64/bin/java -cp . Tiers
check "the Java program ends well" test "$status" -eq 0
begin=$("$WAYMARK" bytecodes --thread main --function 'Tiers.collatz*' --format csv java.wmk |
	awk -F, '{ at[NR] = $1 } $8 == "compiled" { print at[NR - 2000]; exit }')
lists java.wmk main "$begin" $((begin + 150000))
check "Java: some is compiled, some is not" test "$(cut -d, -f8 bytecodes.csv | sort -u | grep -cx 'compiled\|optimised\|')" -gt 1
sums "Java"

"$WAYMARK" mem --by source --function Shape.area --format csv -f source,method python.wmk >got
"$WAYMARK" cache --by source --function Shape.area --format csv -f source,method python.wmk | sort >also
printf '%s\n' app.py:9,Shape.area app.py:10,Shape.area source,method | sort >want
sort got >sorted
same "--function: lines of that method" want sorted
same "--function: of caches, too" want also

misused "cachegrind has no methods" '*--cachegrind has functions and lines, no methods*' \
	"$WAYMARK" cache --by method --cachegrind out python.wmk
"$WAYMARK" record -q --guide none --mem -L "$sysroot" -o none.wmk -- python3.13 -S -c 1
refused "mem: no bytecodes for a list" '*has no bytecodes: record a managed program with --guide*' \
	"$WAYMARK" mem -f insn,method none.wmk
for command in mem cache; do
	refused "$command: no bytecodes" '*has no bytecodes: record a managed program with --guide*' \
		"$WAYMARK" "$command" --by method none.wmk
done
finish
