#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of code are those of nm and objdump: in programs linked in every way, in shared
# libraries, stripped or not, with their symbols in another file, and packed.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

CC=${CROSS_CC:-riscv64-linux-gnu-gcc}
TOOLS=${CC%gcc}
SYSROOT=/usr/riscv64-linux-gnu

# It says where it is, and calls what is in another library.
cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

int main(void)
{
	char text[] = "the quick brown fox jumps over the lazy dog";

	qsort(text, strlen(text), 1, compare);
	printf("%p %s %zu\n", (void *)main, text, strlen(strdup(text)));
	return 0;
}
END

# Without a C library, which not every cross compiler has for a program that is static and
# goes anywhere.
cat >bare.c <<'END'
static long call(long number, long a, long b, long c)
{
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c,
		      a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

__attribute__((noinline)) int main(void)
{
	return 7;
}

static __attribute__((noinline)) void put_hex(unsigned long value)
{
	char text[20] = "0x", *at = text + 2;

	for (int shift = 60; shift >= 0; shift -= 4)
		if (value >> shift || !shift)
			*at++ = "0123456789abcdef"[value >> shift & 15];
	*at++ = '\n';
	call(64, 1, (long)text, at - text);
}

void _start(void)
{
	put_hex((unsigned long)main);
	call(93, main() - 7, 0, 0);
}
END

# build NAME OPTION...
build() {
	name=$1
	shift
	$CC -O1 -g -Wl,--build-id=sha1 -o "$name" program.c "$@"
}
build static -static
$CC -O1 -Wl,--build-id=sha1 -static-pie -fPIE -nostdlib -ffreestanding \
	-fno-stack-protector -o static-pie bare.c
build pie -pie -fPIE
build fixed -no-pie
build undated -pie -fPIE -Wl,--build-id=none
build hidden -pie -fPIE
"${TOOLS}strip" -o stripped hidden
id=$(readelf -n hidden | sed -n 's/.*Build ID: //p')
mkdir -p usr/lib/debug/.build-id/"$(echo "$id" | cut -c 1-2)"

# record NAME OPTION...
record() {
	name=$1
	shift
	"$WAYMARK" record --no-pack "$@" -L "$SYSROOT" -o "$name.wmk" -- "./$name" >"$name.out"
	"$WAYMARK" blocks --format jsonl "$name.wmk" >"$name.jsonl"
}

# What a trace calls the blocks of a file, beside what binutils say of it. usage:
# compare.py NAME PATH SYMBOLS LEAST: nm's of SYMBOLS; at least that many blocks have names.
cp "$SRC/tests/cli/listing/compare.py" .
# agrees NAME PATH SYMBOLS LEAST
agrees() {
	"$WAYMARK" info --format json "$1.wmk" >"$1.info"
	echo "$TOOLS" | "$PYTHON" compare.py "$@"
}

for name in static static-pie pie fixed undated; do
	record $name
	check "$name: the program" agrees $name ./$name "./$name" 4
done
check "static: thousands of places" agrees static ./static ./static 500
for lib in libc.so.6 ld-linux-riscv64-lp64d.so.1; do
	check "the names for linking of $lib" agrees pie "$SYSROOT/lib/$lib" "-D $SYSROOT/lib/$lib" 100
done
check "calls to other files" grep -q '"symbol":"qsort@plt","offset":0' pie.jsonl
check "main is at its symbol's address" sh -c '
	for name in static static-pie pie fixed; do
		grep -q "\"address\":\"$(cut -d" " -f1 $name.out)\",\"symbol\":\"main\",\"offset\":0" \
			$name.jsonl || exit 1
	done'

record stripped
check "stripped: no names of its own" sh -c '! grep -q "\"symbol\":\"compare\"" stripped.jsonl'
check "stripped: calls to other files" grep -q '"symbol":"qsort@plt"' stripped.jsonl
"${TOOLS}objcopy" --only-keep-debug hidden usr/lib/debug/.build-id/"$(echo "$id" | sed 's|^..|&/|')".debug
"$WAYMARK" blocks --format jsonl stripped.wmk >stripped.jsonl
check "stripped: the names of its debug file" agrees stripped ./stripped ./hidden 20
check "stripped: a static function" grep -q '"symbol":"compare","offset":0' stripped.jsonl
record stripped --pack
rm -r usr stripped
"$WAYMARK" blocks --format jsonl stripped.wmk >stripped.jsonl
"${TOOLS}strip" -o stripped hidden
check "stripped: the same when packed" agrees stripped ./stripped ./hidden 20

# A file of another build is not it, whatever it is called.
mkdir -p usr/lib/debug/.build-id/"$(echo "$id" | cut -c 1-2)"
record stripped
cp fixed usr/lib/debug/.build-id/"$(echo "$id" | sed 's|^..|&/|')".debug
"$WAYMARK" blocks --format jsonl stripped.wmk >stripped.jsonl
check "a debug file of another build is not used" sh -c '! grep -q "\"symbol\":\"compare\"" stripped.jsonl'

# Without a build-id the code that ran tells.
cp pie kept
sed 's/quick/slow/; s/qsort(/if (*text) qsort(/' program.c >other.c
sed -i 's/the lazy/the/' program.c
cp other.c program.c
build undated -pie -fPIE -O3 -Wl,--build-id=none
"$WAYMARK" blocks --format jsonl undated.wmk >undated.jsonl 2>remarks
check "undated: another build is not used" sh -c '! grep -q "\"symbol\":\"main\"" undated.jsonl'
check "undated: a remark says so" grep -q 'undated was changed since it ran: names and lines of its code are not known' remarks

# What is before a change stays where it is, and that may be nearly all code.
for i in $(seq 40); do
	echo "__attribute__((noipa)) int early$i(int n) { return n % ($i + 3) ? n * $i : n - $i; }"
done >late.c
cat >>late.c <<'END'
__attribute__((noipa)) int grown(int n)
{
#ifdef GROWN
	if (n % 7 == 3)
		n = early1(n) ^ early2(n + 1);
#endif
	return n / 3;
}
__attribute__((noipa)) int behind(int n)
{
	for (int i = 0; i < n % 5; i++)
		n += early3(n) * early4(n ^ i) + (n >> 3) * 17 - (i & 5);
	return n;
}
int main(int argc, char **argv)
{
	return behind(grown(argc
END
sed -n 's/.* int \(early[0-9]*\).*/ + \1(argc)/p' late.c >>late.c
echo ')) == 12345; }' >>late.c
$CC -O1 -Wl,--build-id=none -o late late.c
record late
"$WAYMARK" hot --format csv -f function late.wmk >functions
check "late: its names are known" sh -c 'grep -qx behind functions && grep -qx grown functions'
cp late same && cp same late
"$WAYMARK" hot --format csv -f function late.wmk 2>remarks | cmp - functions
check "late: a copy is what ran" [ ! -s remarks ]
$CC -O1 -Wl,--build-id=none -DGROWN -o late late.c
"$WAYMARK" hot --format csv -f function late.wmk >functions 2>remarks
check "late: another build is not used" sh -c '! grep -qx -e behind -e grown functions'
check "late: a remark says so" grep -q 'late was changed since it ran' remarks

# A file that is missing is reported once, whatever reads the trace, and however often.
mv undated gone
for words in insns hot "hot --by line" "annotate [[]undated]" calls cover "diff undated.wmk" \
	"cfg --format dot"; do
	# shellcheck disable=SC2086 # several words
	"$WAYMARK" $words undated.wmk >answer 2>remarks
	check "$words: a missing file is told of" [ "$(grep -c \
		'^waymark: .*/undated is missing: names and lines of its code are not known$' \
		remarks)" -eq 1 ]
done
finish
