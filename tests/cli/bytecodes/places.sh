#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Methods and their lines are places that --from and --to take: those that the list of bytecodes has.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
cat >app.py <<'PY'
import os
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
def main():
    print(fib(9))
def zähle():
    return [i for i in range(9)]
class Konto:
    def buche(self):
        return 1
main()
zähle()
Konto().buche()
os._exit(0)
PY
"$WAYMARK" record -q -L "$sysroot" -o run.wmk -- python3.13 app.py >/dev/null
"$WAYMARK" bytecodes --format csv run.wmk >list

# The instruction of the N-th row of app.py that has these fields.
listed() { # N FIELD=VALUE...
	"$PYTHON" - "$@" <<'PY'
import csv, sys
wanted = dict(field.split("=") for field in sys.argv[2:])
rows = [row for row in csv.DictReader(open("list", encoding="utf-8"))
        if row["file"].endswith("/app.py") and all(row[key] == wanted[key] for key in wanted)]
print(rows[int(sys.argv[1]) - 1]["insn"])
PY
}

from() { # PLACE [OPTION...]
	"$WAYMARK" insns --no-events --format csv -n 1 run.wmk --from "$@" | tail -n 1 | cut -d, -f1
}

is_at() { # WHAT HAVE WANTED
	check "$1: instruction $2, not $3" test "$2" = "$3"
}

is_at "the first call" "$(from fib)" "$(listed 1 unit=fib offset=0)"
is_at "the 40th call" "$(from fib@40)" "$(listed 40 unit=fib offset=0)"
is_at "a name that is not ASCII" "$(from zähle)" "$(listed 1 unit=zähle offset=0)"
is_at "a method of a file" "$(from app.py:main)" "$(listed 1 unit=main offset=0)"
is_at "a bytecode of it" "$(from fib+2@3)" "$(listed 3 unit=fib offset=2)"
is_at "a line" "$(from app.py:4@2)" "$(listed 2 line=4 opcode=LOAD_FAST)"
# An end is behind the begin, and calls before that are counted.
last=$("$WAYMARK" insns --no-events --format csv run.wmk --from fib@3 --to fib@2 | tail -n 1)
is_at "up to the next call" "$(($(echo "$last" | cut -d, -f1) + 1))" "$(listed 4 unit=fib offset=0)"
"$WAYMARK" hot --by method --format csv -f executions,method run.wmk --from app.py:main --to zähle >counts
check "a part by methods" grep -qx 109,fib counts
"$WAYMARK" blocks --no-events --format csv run.wmk --from fib@109 --to zähle >blocks
check "blocks of a part" test "$(wc -l <blocks)" -gt 10

# The rows of one method are those of the whole list.
"$WAYMARK" bytecodes --format csv --function fib run.wmk >some
{ head -n 1 list; grep -E '^[0-9]+,fib,' list; } >wanted
same "bytecodes of a method" wanted some
check "as many as asked for" test "$("$WAYMARK" bytecodes --function fib -n 7 run.wmk | wc -l)" -eq 7
"$WAYMARK" bytecodes --function 'Konto.*' --format csv run.wmk | tail -n +2 | cut -d, -f2 | sort -u >names
check "a pattern" test "$(cat names)" = Konto.buche
run "$WAYMARK" bytecodes --function fibb run.wmk
check "no such method" test "$status" -eq 2
check "no such method: $(cat stderr)" grep -qF 'no method is called "fibb"; did you mean "fib"?' stderr
run "$WAYMARK" bytecodes --function fib --to 10 run.wmk
check "a method that did not run there" grep -qF 'began no bytecode of "fib" from --from to --to' stderr

refused() { # SENTENCE PLACE
	run "$WAYMARK" insns run.wmk --from "$2"
	check "$2 is refused" test "$status" -eq 2
	check "$2: $1" grep -qF "$1" stderr
}
refused "the thread comes there 109 times" fib@110
refused 'did you mean "zähle"?' zahle
refused "app.py has no bytecode in line 99; the nearest line with one before is 16" app.py:99
refused 'did you mean "Konto.buche"?' buche
refused "no file of the run has a symbol \"quite_another\"" quite_another

finish
