#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SQL about traces: rows are those of the other commands, conditions change no result, the
# cookbook's questions have answers, and what is wrong is said.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$(cd "$(dirname "$0")" && pwd)

run "$WAYMARK" record --mem --mem-values -o waymark.wmk "$GUESTS/qsort.O0"
run "$WAYMARK" record --mem -o threads.wmk "$GUESTS/threads/names.O3"
# With gaps at its begin, in its middle, and at its end.
run "$WAYMARK" record --window insn:2000..insn:2600 --window insn:3000..insn:3020 -o gaps.wmk \
	"$GUESTS/qsort.O0"

# sql WORD...: the output of a query in CSV, without its header.
sql() { "$WAYMARK" sql --format csv "$@" | tail -n +2; }

# ---- the same as other commands ---------------------------------------------------

for trace in waymark threads; do
	"$WAYMARK" hot --format csv --fields function,insns "$trace.wmk" | tail -n +2 | sort >hot
	sql $trace.wmk 'select function, insns from functions' | sort >functions
	same "$trace: functions are those of hot" hot functions
	"$WAYMARK" blocks --thread 0 --format pc $trace.wmk | head -n 50000 >pcs
	sql $trace.wmk "select printf('%x', address) from blocks
		where thread = 0 and insns > 0 limit 50000" >addresses
	sed 's/^0x//; s/^0*//' pcs >expected
	same "$trace: blocks are those of blocks" expected addresses
	"$WAYMARK" mem --thread 0 --format csv $trace.wmk | tail -n +2 | head -n 50000 |
		cut -d, -f1,3-6 >listed
	sql $trace.wmk "select insn, pc, address, size, kind from accesses
		where thread = 0 limit 50000" >accesses
	same "$trace: accesses are those of mem" listed accesses
	"$WAYMARK" insns --thread 0 --from 500 -n 3000 --format csv $trace.wmk | tail -n +2 |
		cut -d, -f1,2 >listed
	sql $trace.wmk 'select insn, address from insns
		where thread = 0 and insn >= 500 limit 3000' >insns
	same "$trace: instructions are those of insns" listed insns
	"$WAYMARK" insns --thread 0 -n 3000 --format jsonl $trace.wmk |
		sed 's/.*"disassembly":"\([^"]*\)".*/\1/' >listed
	sql $trace.wmk 'select disassembly from insns where thread = 0 limit 3000' |
		tr -d '"' >texts
	same "$trace: and so are their texts" listed texts
	"$WAYMARK" events --format csv $trace.wmk | tail -n +2 | cut -d, -f1-5 |
		sed 's/^p[0-9]*,/,/' | sort >listed
	sql $trace.wmk 'select thread, block, insn, ns, event from events' | sort >events
	same "$trace: events are those of events" listed events
	# Calls, signals, markers and windows. Of what is only a number there is no name.
	"$WAYMARK" events --format csv $trace.wmk | tail -n +2 | cut -d, -f4-6 |
		grep -v ',$' | sort >listed
	sql $trace.wmk "select ns, event, name from events
		where name is not null and event not in ('exec', 'qemu', 'ctl', 'lost')" |
		sort >events
	same "$trace: they have the same names" listed events
	[ "$(sql $trace.wmk 'select sum(insns) from threads')" = \
		"$(sql $trace.wmk 'select count(*) from insns')" ] &&
		passed "$trace: a row for each instruction" || failed "$trace: a row for each"
done
"$WAYMARK" record --value main:a0,ret --value qsort:a1 -o places.wmk "$GUESTS/qsort.O0" >out
"$WAYMARK" mem --registers --format csv -f insn,register,place places.wmk | tail -n +2 >listed
sql places.wmk 'select insn, register, place from accesses where address is null' >accesses
same "registers are those of mem" listed accesses
check "and are named" grep -q ',a1,qsort:a1$' accesses
"$WAYMARK" record -o without.wmk "$GUESTS/qsort.O0" >out
for table in accesses '"values"'; do
	run "$WAYMARK" sql without.wmk "select count(*) from $table"
	check "$table that were not recorded: that is said" \
		grep -q 'has no accesses of memory: record it with' stderr
done
run "$WAYMARK" sql places.wmk 'select count(*) from accesses'
check "registers are some" [ ! -s stderr ]
check "times count from the begin" \
	[ "$(sql 'select min(begin_ns) from processes where pid is not null')" = 0 ]
check "values is another name" \
	[ "$(sql 'select count(*) from "values"')" = "$(sql 'select count(*) from accesses')" ]
# The address of an access is no condition that skips; that of its instruction is.
sql 'explain query plan select insn from accesses where address = 8 and pc = 8' >plan
check "a plan has the columns' names" grep -q ':pc=$' plan
# Not all accesses, with the few instructions looked for at each of them; and the other way round.
for tables in "insns a, accesses b" "accesses a, insns b"; do
	sql "explain query plan select count(*) from $tables
		where b.thread = a.thread and b.insn = a.insn and a.thread = 0 and a.insn < 900" >plan
	check "a join looks up places of the table without bounds: $tables" \
		grep -q 'SCAN b .*:thread= insn=$' plan
done

gaps=$(sql gaps.wmk 'select insn, insns, address, function, module from blocks where insns = 0' |
	tr '\n' ' ')
check "a gap has no address and no function" \
	[ "$gaps" = "0,0,,, 600,0,,, 620,0,,, " ] || echo "# $gaps"
check "nor is it lost at the end" \
	[ "$(sql gaps.wmk 'select block from blocks where insn = 620' | wc -l)" -eq 1 ]

# What a script gets of a real number is that number.
reals='select 1e-9 as a, 0.1 + 0.2 as b, 1.0 / 3 as c, 2.0 as d, -1e300 as e, 1e999 as f'
check "csv has all digits of reals" [ "$(sql waymark.wmk "$reals")" = \
	"1e-09,0.30000000000000004,0.3333333333333333,2.0,-1e+300,inf" ]
check "and so has json" "$PYTHON" -c 'import json, sys
assert list(json.loads(sys.argv[1])[0].values()) == [
    1e-9, 0.1 + 0.2, 1 / 3, 2.0, -1e300, None], sys.argv[1]' \
	"$("$WAYMARK" sql --format json waymark.wmk "$reals")"

"$WAYMARK" record -o fault.wmk "$GUESTS/fault.O3" >/dev/null 2>&1
sql fault.wmk 'select block, id, insns, bytes from blocks' >stdout
"$WAYMARK" blocks --format csv fault.wmk | cut -d, -f1,2,6,7 | tail -n +2 >wanted
same "a block that was left early has what ran of it" wanted stdout

# The code of this trace is in a file, which is not found without its cache.
for query in 'select * from insns' 'select * from insns where address = 1'; do
	refused "blocks that cannot be read: $query" '*code that ran is not in the trace*' \
		env XDG_CACHE_HOME="$PWD/nothing" "$WAYMARK" sql "$SRC/tests/golden/v8.wmk" "$query"
done

# ---- rows are in order, where that is said ----------------------------------------

sorted() { # FILE QUERY: whether SQLite sorts
	sql "$1" "explain query plan $2" | grep -q 'TEMP B-TREE'
}
for trace in waymark threads gaps; do
	for table in insns blocks accesses; do
		[ $trace/$table != gaps/accesses ] || continue
		for terms in "thread insn block" "thread block insn"; do
			# With a + SQLite sees no column, and sorts.
			columns=$(echo "$terms" | sed 's/ /, /g')
			sql $trace.wmk "select $columns from $table where insn < 30000
				order by $columns" >by_rows
			sql $trace.wmk "select $columns from $table where insn < 30000
				order by $(echo "$terms" | sed 's/[a-z]*/+&/g; s/ /, /g')" >by_sorting
			same "$trace: $table by $columns" by_rows by_sorting
			check "$trace: without sorting" eval \
				"! sorted $trace.wmk 'select * from $table order by $columns'"
		done
	done
done
# Backwards: window after window, and only what a range has.
for trace in waymark threads gaps; do
	for table in insns blocks; do
		for where in "insn > (select max(insn) from insns where thread = 0) - 20000" \
			"insn > 9 and insn <= 700"; do
			query="select * from $table where thread = 0 and $where"
			sql $trace.wmk "$query order by insn desc, block desc limit 9000" >by_rows
			sql $trace.wmk "$query order by +insn desc, +block desc limit 9000" >by_sorting
			same "$trace: $table backwards, $where" by_rows by_sorting
		done
	done
	sql $trace.wmk "select insn from insns where thread = 7 order by insn desc" >rows
	check "$trace: no thread, no rows" test ! -s rows
	sql $trace.wmk "select rowid, * from insns where thread = 0 order by insn desc limit 300" >by_rows
	sql $trace.wmk "select rowid, * from insns where thread = 0 and
		insn > (select max(insn) from insns where thread = 0) - 300 order by +insn desc" >by_sorting
	same "$trace: with the numbers of rows" by_rows by_sorting
done
for where in "thread = 1" "insn > 500" "insn < 0"; do
	sql threads.wmk "select max(insn) from insns where $where" >first
	sql threads.wmk "select max(+insn) from insns where $where" >searched
	same "max(insn) where $where" first searched
done
sql threads.wmk "select a.insn, (select max(insn) from insns where thread = a.thread and insn < a.insn)
	from blocks a where a.thread = 1 and a.block < 20" >joined
sql threads.wmk "select insn, nullif(insn - 1, -1) from blocks where thread = 1 and block < 20" >wanted
same "in a subquery" wanted joined
for where in "thread = 1" "insn > 500" "address = (select address from insns where insn = 700)" "insn < 0"; do
	sql waymark.wmk "select min(insn) from insns where $where" >first
	sql waymark.wmk "select min(+insn) from insns where $where" >searched
	same "min(insn) where $where" first searched
done
for query in "select * from insns where thread = 1 order by insn" \
	"select * from insns where thread = 1 order by insn desc" \
	"select * from blocks where thread = 1 order by thread desc, block desc" \
	"select thread, count(*) from blocks group by thread"; do
	check "not sorted: $query" eval "! sorted threads.wmk '$query'"
done
check "one thread: not sorted" eval "! sorted waymark.wmk 'select * from insns order by insn'"
for query in "select * from insns order by insn" "select * from insns order by insn, thread" \
	"select * from insns where thread in (1, 0) order by insn" \
	"select * from insns where thread = 1 and address > 5 order by insn desc" \
	"select * from insns order by insn desc" "select * from insns order by thread, insn desc" \
	"select * from insns order by thread desc, insn desc" \
	"select * from blocks where thread = 1 order by insn desc, block" \
	"select * from accesses where thread = 1 order by insn desc" \
	"select * from blocks where thread > 0 order by block" "select * from events order by thread, insn"; do
	check "sorted: $query" sorted threads.wmk "$query"
done

# ---- conditions, and the extension -------------------------------------------------

if ldd "$BUILD/sql/waymark.so" | grep -q libasan; then
	echo "ok the extension # SKIP it is sanitized"
else
	# Addresses of a kernel are negative numbers in SQL.
	cat >kernel.log <<-'END'
		core   0: 0xffffffff800031f0 (0x00150513) addi    a0, a0, 1
		core   0: 0xffffffff800031f4 (0x00028067) jr      t0
		core   0: 0x0000000000012344 (0x00028067) jr      t0
		core   0: 0xffffffff80003300 (0x00028067) jr      t0
		core   0: 0xbffffffffffffffc (0x00028067) jr      t0
		core   0: 0x0000000000012348 (0x00028067) jr      t0
	END
	"$WAYMARK" import spike kernel.log -o kernel.wmk 2>/dev/null
	"$PYTHON" "$here/conditions.py" "$BUILD/sql/waymark" waymark.wmk threads.wmk \
		kernel.wmk || failures=$((failures + 1))

	"$WAYMARK" record -o long.wmk "$GUESTS/threads/names.O3" >/dev/null
	"$BUILD/tests/unit/rechunk" long.wmk chunks.wmk 2000
	PYTHONPATH="$BUILD/python" WAYMARK_LIBRARY="$BUILD/libwaymark.so.1" \
		PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$here/skipped.py" \
		"$BUILD/sql/waymark" chunks.wmk || failures=$((failures + 1))
fi

if command -v sqlite3 >/dev/null && ! ldd "$BUILD/sql/waymark.so" | grep -q libasan; then
	run sqlite3 -csv :memory: ".load $BUILD/sql/waymark" "SELECT waymark_open('threads.wmk')" \
		"SELECT thread, sum(insns) FROM blocks GROUP BY thread ORDER BY thread" \
		"CREATE TABLE kept AS SELECT * FROM functions" "SELECT count(*) FROM kept"
	{
		sql threads.wmk 'select thread, sum(insns) from blocks group by thread order by thread'
		sql threads.wmk 'select count(*) from functions'
	} >wanted
	grep -v '^threads.wmk$\|^$' stdout | tr -d '\r' >got
	same "sqlite3 loads the extension" wanted got
	run sqlite3 :memory: ".load $BUILD/sql/waymark" "SELECT waymark_open('none.wmk')"
	check "and says what is wrong" grep -q 'cannot open none.wmk' stderr
fi

# ---- the cookbook ------------------------------------------------------------------

"$PYTHON" - "$SRC/docs/sql.md" <<'PY'
import re, sys
with open(sys.argv[1], encoding="utf-8") as file:
    for i, query in enumerate(re.findall(r"```sql\n(.*?)```", file.read(), re.S)):
        with open(f"query{i}.sql", "w", encoding="utf-8") as out:
            out.write(query)
PY
check "there are ten" [ "$(ls query*.sql | wc -l)" -eq 10 ]
for query in query*.sql; do
	status=0
	"$WAYMARK" sql waymark.wmk <"$query" >stdout 2>stderr || status=$?
	lines=$(wc -l <stdout)
	# All system calls of this program may succeed.
	[ "$query" = query2.sql ] && least=1 || least=2
	check "$query: $lines lines" [ "$status" -eq 0 -a "$lines" -ge $least ]
done

# A machine has what its kernel did between a system call and its end.
"$BUILD/tests/unit/make_trace" machine.wmk machine
"$WAYMARK" sql --format csv machine.wmk <query3.sql >stdout
check "system calls of a machine" grep -q '^write,1,' stdout

# modes and turns are what --mode and --hart select.
# of OPTION...: how many instructions that is.
of() { "$WAYMARK" hot "$@" --format csv -f insns machine.wmk | awk '{ n += $1 } END { print n }'; }
for mode in user kernel firmware; do
	echo "$mode,$(of --mode $mode)"
done | sort >wanted
"$WAYMARK" sql --format csv machine.wmk \
	"select mode, sum(insns) from modes group by mode" | tail -n +2 | tr -d '\r' | sort >got
same "instructions by mode" wanted got
for hart in 0 1; do
	echo "$hart,$(of --hart $hart)"
done >wanted
"$WAYMARK" sql --format csv machine.wmk \
	"select hart, sum(insns) from turns group by hart" | tail -n +2 | tr -d '\r' >got
same "instructions by hart" wanted got
run "$WAYMARK" sql --format csv machine.wmk "select m.thread from modes m join blocks b on
	b.thread = m.thread and b.block = m.block where b.insn <> m.insn"
check "a stretch begins with its block's instruction" test "$(wc -l <stdout)" -eq 1
run "$WAYMARK" sql --format csv machine.wmk \
	"select count(*) from modes where thread = 1 or mode = 'firmware'"
check "a stretch is counted once" test "$(tail -n 1 stdout | tr -d '\r')" -eq 7
run "$WAYMARK" sql --format csv machine.wmk \
	"select count(*) from turns where thread = 1 or thread = 0 or hart = 1"
check "and a turn" test "$(tail -n 1 stdout | tr -d '\r')" -eq 3
run "$WAYMARK" sql --format csv waymark.wmk "select * from modes, turns"
check "a program has neither" test "$(wc -l <stdout)" -eq 1 -a ! -s stderr

# Where several files are mapped, the hottest function is not in the first one.
cat >hot.c <<'END'
#include <stdio.h>
__attribute__((noinline)) static int hottest(int n)
{
	for (int i = 0; i < 3000; i++)
		n ^= i * n;
	return n;
}
int main(void)
{
	int n = 1;
	for (int i = 0; i < 37; i++)
		n += hottest(n);
	printf("%d\n", n);
	return 0;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -o hot hot.c
"$WAYMARK" record -q -o hot.wmk -L /usr/riscv64-linux-gnu ./hot >/dev/null
"$WAYMARK" sql --format csv hot.wmk <query4.sql | tail -n 1 | cut -d, -f1 | tr -d '\r' >times
check "the hottest function's executions, where files are mapped" [ "$(cat times)" = 37 ]

# ---- forms and errors --------------------------------------------------------------

run "$WAYMARK" sql --format json "select 1 as a, 'x,\"y' as b, null as c, -2 as d, 0.5 as e"
"$PYTHON" -c '
import json, sys
assert json.load(open("stdout")) == [{"a": 1, "b": "x,\"y", "c": None, "d": -2, "e": 0.5}]' &&
	passed "JSON" || failed "JSON" "$(cat stdout)"
run "$WAYMARK" sql "create temp view v as select 3 as n; select n from v; select n * 2 as m from v"
check "several statements" [ "$(tr -s ' \n' ' ' <stdout)" = "n 3 m 6 " ]
echo 'select 42 as answer' | "$WAYMARK" sql waymark.wmk >stdout
check "statements of standard input" grep -qx ' *42' stdout
run "$WAYMARK" sql 'select address from blocks limit 1'
check "addresses are hexadecimal" grep -q '^ *0x' stdout
run "$WAYMARK" sql 'select * from insns where insn < 0'
check "a condition that nothing fulfils" [ "$(wc -l <stdout)" -eq 1 ]

# wrong NAME TEXT WORD...: exit status 2, and TEXT is said.
wrong() {
	name=$1 text=$2
	shift 2
	run "$@"
	if [ $status -eq 2 ] && [ ! -s stdout ] && grep -q "$text" stderr; then
		passed "$name"
	else
		failed "$name" "status $status: $(cat stderr)"
	fi
}
wrong "a wrong statement" 'syntax error' "$WAYMARK" sql waymark.wmk 'selec'
wrong "a table that is a word of SQL" 'near "Values".*"values" needs its quotes' \
	"$WAYMARK" sql waymark.wmk 'select count(*) from Values where size = 8'
printf '.tables\n' >orders
wrong "an order in a pipe" '; orders such as .tables are typed in the shell only' \
	sh -c '"$WAYMARK" sql waymark.wmk <orders'
wrong "no such table" 'no such table: nowhere' "$WAYMARK" sql 'select * from nowhere'
wrong "no such table, but a similar one" 'did you mean "insns"?$' \
	"$WAYMARK" sql 'select * from insn'
wrong "no such column" 'no such column: pc; marks has thread, insn, .*, region_insns$' \
	"$WAYMARK" sql 'select pc from Marks'
wrong "FILE behind the SQL" 'one argument of SQL is enough, after FILE' \
	"$WAYMARK" sql 'select 1' waymark.wmk
wrong "no such file" 'cannot open none.wmk' "$WAYMARK" sql none.wmk 'select 1'
wrong "no trace" 'not a Waymark file\|is no\|not a' "$WAYMARK" sql query1.sql 'select 1'
wrong "tables are read only" 'may not be modified' "$WAYMARK" sql "delete from insns"
run "$WAYMARK" sql --format csv "select 1 as a union all select 2.5 order by 1"
check "mixed numbers are an error" sh -c "[ $status -eq 2 ] && grep -q 'use CAST' stderr"
run "$WAYMARK" sql --format json "select x'006200ff' as a, x'' as b, 'x' as c"
check "a blob, whatever its bytes are" grep -qF "\"a\": \"X'006200FF'\"," stdout
check "an empty one" grep -qF "\"b\": \"X''\"," stdout
# As the values of 16 bytes among others, see waymark-sql(1).
mixed="select 1 as a union all select '0x2,' order by 1"
check "a text among numbers: CSV" \
	[ "$("$WAYMARK" sql --format csv "$mixed" | tr '\n' ' ')" = 'a 1 "0x2," ' ]
check "a text among numbers: JSON" \
	[ "$("$WAYMARK" sql --format json "$mixed" | tr -d ' \n')" = '[{"a":1},{"a":"0x2,"}]' ]
check "a text among numbers: text" \
	[ "$("$WAYMARK" sql "$mixed" | tr -d ' ' | tr '\n' ' ')" = 'a 1 0x2, ' ]
first="select null as a union all select 7 union all select 1234 order by 1"
check "numbers below an empty cell: JSON" \
	[ "$("$WAYMARK" sql --format json "$first" | tr -d ' \n')" = '[{"a":null},{"a":7},{"a":1234}]' ]
check "numbers below an empty cell: text" \
	[ "$("$WAYMARK" sql "$first" | tr ' \n' '_ ')" = '____a _____ ____7 1,234 ' ]
"$WAYMARK" sql --schema >schema
check "the schema has all tables" [ "$(wc -l <schema)" -eq 18 ]
cut -d'(' -f1 schema | while read -r table; do
	sql "select * from \"$table\" limit 1" >/dev/null || echo "$table"
done >broken
check "each table of the schema answers" [ ! -s broken ]

head -c "$(($(stat -c %s waymark.wmk) / 2))" waymark.wmk >cut.wmk
run "$WAYMARK" sql cut.wmk 'select count(*) from blocks'
check "a trace that is cut short: what there is, and that it is not all" \
	sh -c 'test "$0" -eq 0 && grep -qx "waymark: cut.wmk is cut short: .*" stderr' "$status"

# ---- the shell ---------------------------------------------------------------------

# shell NAME: the lines of standard input, typed; what the terminal shows is in NAME.
shell() {
	TERM=dumb script -qec "$WAYMARK sql waymark.wmk" /dev/null >typed 2>&1
	tr -d '\r' <typed >"$1"
}

if command -v script >/dev/null; then
	export XDG_STATE_HOME="$PWD/state"
	printf 'select 98 as r;\nselect 99 as r\n' >read.sql
	cp waymark.wmk kept.wmk
	cat >lines <<'END'
.tables
select 6 *
 7 as answer;
.format csv
select 1 as x;
wrong;
.sch loo%
.once once.csv
select 2 as y;
.output out.csv
select 3 as z;
.read read.sql
.output
.read none.sql
.once /dev/full
select 4 as w;
.once none/out.csv
.once kept.wmk
.output looks.csv
.separator |
select 'a|b' as p, 5 as q;
.headers off
.sep "\t"
select 'a|b', 'c,d';
.mode csv
select 'c,d', 6;
.mode text
select 7 as longer, 8;
.head on
select 9 as n;
.output
.mode csv
.headers maybe
.separator ""
.timer on
select 555 as t;
.timer maybe
.schemas
.read
.quit
END
	shell clean <lines
	check "the shell: tables" grep -qx 'insns' clean
	check "the shell: a statement of two lines" grep -qx ' *42' clean
	check "the shell: another format" grep -qx 'x' clean
	check "the shell: errors do not end it" grep -q 'syntax error' clean
	check "the shell: the begin of an order, and a pattern" grep -q '^loops(function' clean
	printf 'y\r\n2\r\n' | tr -d '\r' >wanted
	tr -d '\r' <once.csv >rows
	same "the shell: .once" wanted rows
	printf 'z\n3\nr\n98\nr\n99\n' >wanted
	tr -d '\r' <out.csv >rows
	same "the shell: .output and .read" wanted rows
	printf 'p|q\n"a|b"|5\na|b\tc,d\n"c,d",6\n7  8\nn\n9\n' >wanted
	same "the shell: .headers and .separator" wanted looks.csv
	check "the shell: neither on nor off" grep -q '.headers takes on or off' clean
	check "the shell: no separator" grep -q '.separator takes one char' clean
	check "the shell: a trace is no output" grep -q 'kept.wmk is a trace: name another' clean
	same "the shell: it stays" waymark.wmk kept.wmk
	check "the shell: no file to read" grep -q 'cannot read none.sql: No such' clean
	check "the shell: a full disk" grep -q 'cannot write the rows: No space' clean
	check "the shell: no folder" grep -q 'cannot write none/out.csv: No such' clean
	check "the shell: it goes on" grep -qx '555' clean
	check "the shell: .timer" grep -q '^Run Time: real [0-9.]* cpu' clean
	check "the shell: a wrong word" grep -q '.timer takes on or off' clean
	check "the shell: no such order" grep -q 'there is no ".schemas"' clean
	check "the shell: a word is missing" grep -q 'use it so: .read FILE' clean

	XDG_STATE_HOME="$PWD/keys" "$PYTHON" "$here/keys.py" "$WAYMARK" waymark.wmk ||
		failures=$((failures + 1))
	"${CC:-cc}" -shared -fPIC -o late_keys.so "$here/late_keys.c"
	XDG_STATE_HOME="$PWD/late" "$PYTHON" "$here/keys.py" "$WAYMARK" waymark.wmk \
		"$PWD/late_keys.so" || failures=$((failures + 1))

	kept=state/waymark/sql_history
	check "the history is the user's alone" [ "$(stat -c %a $kept state/waymark)" = "600
700" ]
	check "each line is in it" [ "$(grep -c . $kept)" -eq $(($(grep -c . lines) + 1)) ]
	printf '.quit\n.quit\n' | shell clean
	check "the same line again is one" [ "$(grep -c . $kept)" -eq $(($(grep -c . lines) + 1)) ]
	awk 'BEGIN { print "_HiStOrY_V2_"; for (i = 0; i < 5000; i++) print "select\\040" i ";" }' >$kept
	printf '.exit\n' | shell clean
	check "it is bounded" [ "$(wc -l <$kept)" -eq 2001 ]
	check "the newest are kept" [ "$(tail -n 2 $kept | head -n 1)" = 'select\0404999;' ]
	rm $kept && mkfifo $kept
	printf '.exit\n' | shell clean
	check "a pipe in its place is left alone" [ -p $kept ]
	: >plain
	export XDG_STATE_HOME="$PWD/plain"
	printf 'select 5 as v;\n.exit\n' | shell clean
	check "no place for a history" grep -qx ' *5' clean
else
	echo "ok the shell # SKIP there is no script(1)"
fi
finish
