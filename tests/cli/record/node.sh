#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Node.js with its guide: the program does not see it, and its functions are known.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/export/methods
. "$(dirname "$0")/../export/methods"

# NODE: the sysroot of another release, as of tests/long/releases.sh.
sysroot=$("$SRC/tests/sysroot.sh" "${NODE:-jit}")
cat >app.js <<'JS'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function fails(n) { throw n; }
for (let i = 0; i < 600; i++) { try { fails(i); } catch { } }
const made = eval("(function made(n) { return n ? made(n - 1) : 0; })");
made(20);
function* some(n) { for (let i = 0; i < n; i++) yield i; }
for (let i = 0; i < 5; i++) for (const each of some(3));
// fib of WebAssembly, which names it sum.
const code = [0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 102, 105,
	98, 0, 0, 10, 30, 1, 28, 0, 32, 0, 65, 2, 72, 4, 127, 32, 0, 5, 32, 0, 65, 1, 107, 16, 0, 32, 0, 65,
	2, 107, 16, 0, 106, 11, 11, 0, 13, 4, 110, 97, 109, 101, 1, 6, 1, 0, 3, 115, 117, 109];
new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(code))).exports.fib(12);
const { LD_PRELOAD, NODE_OPTIONS } = process.env;
console.log(fib(15), process.execArgv, process.argv.slice(2), LD_PRELOAD, NODE_OPTIONS);
import('./part.mjs').then(() => process.exit(fib(4)));
JS
# A module's own code is replaced in its loop, waits, and goes on.
cat >part.mjs <<'JS'
class Square { constructor(side) { this.side = side; } area() { return this.side * this.side; } }
let sum = 0;
for (let i = 0; i < 2000; i++) sum += new Square(i).area();
for (let i = 0; i < 3; i++) sum += await i;
export { sum };
JS
echo "610 [] [ '--one' ] undefined undefined" >want
run "$WAYMARK" record -L "$sysroot" -o run.wmk -- node app.js --one
same "the program prints what it does without" want stdout
check "and its status is its own" test "$status" -eq 3
check "nothing is said" test ! -s stderr
"$WAYMARK" hot --by method --format csv -n 100000 -f executions,method,source run.wmk >methods
# fib(15) has 1,973 calls, fib(4) has 9.
check "calls of a function" grep -q '^1982,fib,app.js:1' methods
check "calls of WebAssembly" grep -qx '465,sum,' methods
check "calls of a method" grep -q '^2000,area,part.mjs:1' methods
# V8 has the address of a module, file:///...
"$WAYMARK" cover --format lcov run.wmk >lcov
check "a module's source is a path" grep -qxF "SF:$PWD/part.mjs" lcov
"$WAYMARK" annotate area -f text --format csv run.wmk >text
check "and is found" grep -q 'class Square' text
check "of one that a text given to eval() has" grep -q '^21,made,' methods
check "by its own name" sh -c '"$1" annotate made run.wmk --format csv -f executions |
	grep -qx 21' - "$WAYMARK"
# Each call of a generator makes one, which is entered again four times.
check "a generator is entered each time it goes on" grep -q '^25,some,' methods
"$WAYMARK" calls --graph --function 'JS:*some *' --format csv -n 100000 run.wmk >graph
check "by V8's own code for that" sh -c '[ "$(awk -F, "\$1 ~ /ResumeGenerator/ && \$2 ~ /JS:.some/ {
	n += \$3 } END { print n }" graph)" -eq 20 ]'
# The function's own name is that of each tier.
"$WAYMARK" annotate fib --format csv -f executions,place run.wmk >annotated
calls=$(sed -n 's/^\([0-9]*\),[^+]*fib [^+]*$/\1/p' annotated | awk '{ n += $1 } END { print n }')
# A call that finds its code just compiled is in two of them.
check "a function's code by its own name" test "$calls" -ge 1982 -a "$calls" -le 1990
"$WAYMARK" hot --function fib --format csv -f function run.wmk | sed 1d >tiers
check "so do tables" sh -c '[ -s tiers ] && ! grep -v "^JS:[~^*+]fib " tiers'
# Functions are replaced while they run, and throw.
"$WAYMARK" calls --tree --thread 0 --format csv run.wmk >tree
check "no stack begins anew" sh -c '! grep -q ",origin," tree'
check "what is thrown leaves its function" \
	awk -F, '/entry,.*JS:[~^*+]fails/ { n++; deep = deep < $4 + 0 ? $4 + 0 : deep }
		END { exit n != 600 || deep > 200 }' tree
"$WAYMARK" calls --tree --methods --thread 0 --format csv run.wmk >methods
grep -E '^thread|,"?[A-Z][A-Za-z]*:([~^*+]|sum-)' tree >ours
rm tree
check "a tree of functions of JavaScript" "$PYTHON" "$SRC/tests/cli/calls/methods_facts.py" \
	alone ours methods '^[A-Z]\w*:([~^*+].*:\d+:\d+|sum-0-liftoff)$'
# From the first call of fib on, each form has what the others have.
from=$(sed -n 's/^0,entry,\([0-9]*\),.*:.fib .*app\.js.*/\1/p' methods | head -n 1)
method_forms run.wmk --thread 0 --from $((from - 1000000)) --to $((from + 5000000))
refused "bytecodes where functions end" '*has no bytecodes, only the functions that guide v8 names*' \
	"$WAYMARK" bytecodes run.wmk

finish
