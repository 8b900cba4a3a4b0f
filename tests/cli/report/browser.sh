#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page in headless Chromium: everything drawn, zoom, search, dark, keys; nothing on the
# console, nothing asked of the network; and names that would be code if they could.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$(dirname "$0")
CC=${CROSS_CC:-riscv64-linux-gnu-gcc}

if ! "$PYTHON" "$SRC/tests/cli/report/browser_facts.py" has_browser "$here"; then
	echo "ok report in a browser # SKIP there is no Chromium"
	exit 0
fi

"$WAYMARK" record -o run.wmk -- "$GUESTS/qsort.O3" >/dev/null
"$WAYMARK" report --html run.html run.wmk
"$WAYMARK" report --html none.html --from 5 --to 5 run.wmk

# A window that does not open, and a report of nothing.
"$WAYMARK" record --window main@2.. -o missed.wmk -- "$GUESTS/qsort.O3" >/dev/null || true
"$WAYMARK" report --html missed.html missed.wmk

"$WAYMARK" record --mem -o mem.wmk -- "$GUESTS/qsort.O3" >/dev/null
"$WAYMARK" report --html mem.html mem.wmk

# Calls nested by the thousand.
"$WAYMARK" record -o deep.wmk -- "$GUESTS/deep.O0" >/dev/null
"$WAYMARK" report --html deep.html deep.wmk

# A function whose name ends the element it is in, a file and an argument that do so, too.
cat >program.c <<'END'
__attribute__((noinline)) static int hostile(volatile int *n)
{
	int sum = 0;

	for (int i = 0; i < *n; i++)
		sum += i ^ sum;
	return sum;
}

int main(void)
{
	volatile int n = 100000;

	return hostile(&n) & 1;
}
END
"$CC" -O1 -g -static -o program program.c
"${CC%gcc}objcopy" \
	--redefine-sym 'hostile=</script><img src=x onerror=hostile=1>"&lt;--><!--' program
name='<img src=x onerror=hostile=2>'
mv program "$name"
"$WAYMARK" record -o hostile.wmk -- "./$name" '</script><script>hostile=3</script>' \
	>/dev/null || true
"$WAYMARK" report --html hostile.html hostile.wmk

# Functions of a namespace, and others: one that is inlined, one with a name of several lines.
# Two threads, and markers.
cat >spaces.cc <<'END'
#include <map>
#include <string>
#include <thread>

#include "waymark-mark.h"

namespace shape {
template <class T> __attribute__((noinline)) int weigh(const T &all, volatile int *n)
{
	int sum = 0;

	for (int i = 0; i < *n; i++)
		sum += (int)all.size() ^ i;
	return sum;
}

static inline __attribute__((always_inline)) int twice(volatile int *n)
{
	int sum = 0;

	for (int i = 0; i < *n; i++)
		sum += *n ^ sum;
	return sum;
}

__attribute__((noinline)) int area(volatile int *n)
{
	int sum = 0;

	for (int i = 0; i < *n; i++)
		sum += i ^ sum;
	return sum;
}
}

int main()
{
	volatile int n = 50000;
	std::map<std::string, std::map<std::string, std::string>> all;
	int sum = 0;

	WAYMARK_BEGIN(3);
	sum += shape::area(&n) + shape::weigh(all, &n) + shape::twice(&n);
	WAYMARK_END(3);
	std::thread([&] { sum += shape::area(&n); }).join();
	return sum & 1;
}
END
"${CROSS_CXX:-riscv64-linux-gnu-g++}" -O1 -g -static -pthread -I"$SRC/include" -o spaces spaces.cc
"$WAYMARK" record -o spaces.wmk -- ./spaces >/dev/null || true
"$WAYMARK" report --html spaces.html spaces.wmk

# One block, which a signal ends: much of a file for few instructions.
printf '.globl _start\n_start: li a7, 93\nli a0, 0\nebreak\n' >one.s
"$CC" -nostdlib -static -o one one.s
"$WAYMARK" record -o one.wmk -- ./one 2>/dev/null || true
"$WAYMARK" report --html one.html one.wmk

# A machine's boot, made up, among the parts of the first page.
"$PYTHON" "$here/browser_facts.py" with_boot run.html boot.html

"$PYTHON" "$here/look.py" run.html none.html hostile.html deep.html mem.html spaces.html boot.html missed.html \
	one.html || failed "look.py ends well"
finish
