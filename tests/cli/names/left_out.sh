#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The DWARF of functions that the linker left out is at address 0 and up, where a file that can
# be loaded anywhere has other code: this code keeps its own lines and functions.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# Not RISC-V: its linker sets the lines' distances, too, so that all of them are at 0.
build() {
	aarch64-linux-gnu-gcc -O2 -g -fPIE -static-pie -nostdlib -ffreestanding \
		-Wl,--build-id=sha1 -o program "$@"
}

{
	echo 'volatile int sink;'
	echo 'static inline __attribute__((always_inline)) int large(int n)'
	echo '{'
	for i in $(seq 400); do
		echo "	sink = n = n * $i ^ sink;"
	done
	echo '	return n;'
	echo '}'
	echo 'int left_out(int n)'
	echo '{'
	echo '	return large(n) + large(n + 1);'
	echo '}'
} >left_out.c
cat >kept.c <<'END'
static inline __attribute__((always_inline)) int twice(int n)
{
	return n * 2 + 1;
}
__attribute__((noipa)) int kept(int n)
{
	for (int i = 0; i < 9; i++)
		n = twice(n) ^ i;
	return n;
}
void _start(void)
{
	long done = kept(3) == 12345;
	register long status __asm__("x0") = done;
	register long number __asm__("x8") = 93;

	__asm__ volatile("svc 0" : : "r"(number), "r"(status));
}
END
cat left_out.c kept.c >both.c

# Counts of the program's lines and functions, in ./got.
lines() {
	"$WAYMARK" record -q -o run.wmk ./program
	"$WAYMARK" hot --by line --format csv -f line,function,executions,insns run.wmk |
		tr -d '\r"' | grep '\.c:[0-9]*,' | sort >got
	"$WAYMARK" hot --format csv -f function,insns run.wmk | tr -d '\r"' |
		grep -E '^(twice|kept|_start|large|left_out),' | sort >>got
}
# With nothing left out; what is wanted is the same with the numbers of lines in both.c.
build kept.c
lines
first=$(wc -l <left_out.c)
awk -F: -v OFS=: -v by="$first" '/^kept\.c:/ {
	split($2, rest, ","); sub(/^[0-9]*/, rest[1] + by, $2); $1 = "both.c" } { print }' got |
	sort >wanted
check "there are lines" [ "$(grep -c '^both\.c:.*kept,' wanted)" -gt 1 ]
check "and an inlined function" grep -q '^twice,' wanted

build -ffunction-sections -Wl,--gc-sections both.c
check "the linker left a function out" sh -c '! readelf -sW program | grep -q left_out$'
start=0x$(readelf -sW program | sed -n 's/.*: 0*\([0-9a-f]*\) .* kept$/\1/p')
end=$(readelf --debug-dump=decodedline program 2>&1 |
	awk -v first="$first" '$1 == "both.c" && $2 ~ /^[0-9]+$/ && $2 <= first { at = $3 } END { print at }')
check "its lines are where other code is" [ $((start)) -lt $((end)) ]
lines
sort got >sorted
same "the others keep theirs: one unit" wanted sorted

# The DWARF in a file of its own.
aarch64-linux-gnu-objcopy --only-keep-debug program program.debug
aarch64-linux-gnu-strip program
aarch64-linux-gnu-objcopy --add-gnu-debuglink=program.debug program
lines
sort got >sorted
same "a debug file" wanted sorted

build -ffunction-sections -Wl,--gc-sections left_out.c kept.c
lines
sed "s/^both\.c/kept.c/" wanted | awk -F: -v OFS=: -v by="$first" '/^kept\.c:/ {
	split($2, rest, ","); sub(/^[0-9]*/, rest[1] - by, $2) } { print }' | sort >wanted.two
sort got >sorted
same "two units" wanted.two sorted
"$WAYMARK" cover --format lcov run.wmk >info
check "cover: no line of what was left out" sh -c '! grep -q "^SF:.*left_out\.c" info'
finish
