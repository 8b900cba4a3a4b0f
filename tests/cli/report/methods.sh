#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The report of a managed program: methods, bytecodes and pages, as other commands have them;
# and in headless Chromium, where there is one.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$(dirname "$0")
sysroot=$("$SRC/tests/sysroot.sh")

cat >fib.py <<'END'
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(12))
END
"$WAYMARK" record -q -L "$sysroot" -o fib.wmk -- python3.13 fib.py >stdout
"$WAYMARK" report --html fib.html fib.wmk
check "methods, bytecodes and pages are those of hot" "$PYTHON" "$here/methods.py" numbers fib.html fib.wmk
"$WAYMARK" record -q -o plain.wmk "$GUESTS/mutual.O0" >/dev/null
"$WAYMARK" report --html plain.html plain.wmk
check "a program without methods has no such part" sh -c \
	"! grep -qE '\"(methods|opcodes|method_code)\":' plain.html"

if ! "$PYTHON" "$here/browser_facts.py" has_browser "$here"; then
	echo "ok methods in a browser # SKIP there is no Chromium"
	finish
fi
check "a method's page" "$PYTHON" "$here/methods.py" looks fib.html
finish
