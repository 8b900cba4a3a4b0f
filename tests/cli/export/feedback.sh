#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles for compilers and for BOLT: their own readers take them without a word, the counts
# in them are those of a run that was counted by hand, and what is built with them runs fewer
# instructions.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$SRC/tests/cli/export
cc=${CROSS_CC:-riscv64-linux-gnu-gcc}
cxx=${CROSS_CXX:-riscv64-linux-gnu-g++}
calls=20000
cp "$here/feedback.c" "$here/feedback_names.cc" .

# facts FACT WORD...
facts() { "$PYTHON" "$here/feedback_facts.py" "$@"; }

# insns_of TRACE
insns_of() { "$WAYMARK" info "$1" | sed -n 's/,//g; s/^instructions *//p'; }

# built NAME COMPILER...: builds the program, runs it, and records the run.
built() {
	built_name=$1
	shift
	"$@" -o "$built_name" feedback.c
	"$WAYMARK" record -o "$built_name.wmk" "./$built_name" $calls >"$built_name.out"
}

# fewer NAME BEFORE AFTER: by a twentieth at least, with the same output.
fewer() {
	same "$1: the program does the same" "$2.out" "$3.out"
	check "$1: $(insns_of "$3.wmk") instructions instead of $(insns_of "$2.wmk")" \
		test $(($(insns_of "$3.wmk") * 20)) -lt $(($(insns_of "$2.wmk") * 19))
}

# export_to FILE FORMAT TRACE [OPTION...]: nothing is to be said about it.
export_to() {
	export_file=$1
	shift
	run "$WAYMARK" export "$@" -o "$export_file"
	check "export $*" test "$status" -eq 0 -a ! -s stderr -a -s "$export_file"
}

# ---- LLVM ------------------------------------------------------------------------------------

clang="clang --target=riscv64-linux-gnu -O2 -g -static"
# shellcheck disable=SC2086 # words
built llvm $clang -fdebug-info-for-profiling
export_to llvm.prof llvm-profile llvm.wmk
export_to llvm.profdata llvm-profile-binary llvm.wmk
check "counts of lines" facts counts llvm.prof $calls
run llvm-profdata show --sample --detailed-summary llvm.prof
check "llvm-profdata takes the text" test "$status" -eq 0 -a ! -s stderr
mv stdout text.shown
run llvm-profdata show --sample --detailed-summary llvm.profdata
same "the binary form is the same, its summary too" text.shown stdout
for form in prof profdata; do
	llvm-profdata merge --sample --binary llvm.$form -o merged.$form
done
same "merged they are the same file" merged.prof merged.profdata
# shellcheck disable=SC2086 # words
built llvm_again $clang -fprofile-sample-use=llvm.profdata
fewer "clang" llvm llvm_again
export_to part.prof llvm-profile llvm.wmk --function run
check "--function" test "$(grep -c '^[^# ]' part.prof)" -eq 1

# Names as the linker has them, inlined code of two levels, and a library without lines.
clang++ --target=riscv64-linux-gnu -O2 -g -fdebug-info-for-profiling -static -o names \
	feedback_names.cc
"$WAYMARK" record -o names.wmk ./names
export_to names.prof llvm-profile names.wmk
check "C++: nested inlined calls" facts nested names.prof
check "C++: llvm-profdata takes it" llvm-profdata show --sample names.prof -o /dev/null

# ---- GCC -------------------------------------------------------------------------------------

gcc="$cc -O2 -g -static"
# shellcheck disable=SC2086 # words
built gcc $gcc
export_to gcc.afdo autofdo gcc.wmk
run "$cc" -O2 -g -static -fauto-profile=gcc.afdo -fdump-ipa-afdo-details -o gcc_again feedback.c
check "gcc reads it" test "$status" -eq 0 -a ! -s stderr
# shellcheck disable=SC2086 # words
built gcc_again $gcc -fauto-profile=gcc.afdo
fewer "gcc" gcc gcc_again
head -c 100 gcc.afdo >cut.afdo
check "and would say if it could not" sh -c \
	"! '$cc' -O2 -fauto-profile=cut.afdo -c -o /dev/null feedback.c 2>/dev/null"

# Overloads that one file has for itself: GCC's debugging information has one name for both.
cat >overloads.cc <<-'END'
	static __attribute__((noinline)) int f(int a) { asm volatile(""); return a + 1; }
	static __attribute__((noinline)) int f(double a) { asm volatile(""); return a > 2; }
	static inline int twice(int a) { return f(a) + f(a); }
	#define BOTH(g) static __attribute__((noinline)) int g(int a) { asm volatile(""); return a; } \
			static __attribute__((noinline)) int g(long a) { asm volatile(""); return a < 9; }
	BOTH(same_line)
	int main()
	{
		int s = 0;
		for (int i = 0; i < 500; i++)
			s += twice(i);
		for (int i = 0; i < 30; i++)
			s += f(i * .5) + same_line(i) + same_line(4l + i);
		return s == 0;
	}
END
"$cxx" -O2 -g -static -o overloads overloads.cc
"$WAYMARK" record -o overloads.wmk ./overloads
export_to overloads.prof llvm-profile overloads.wmk
check "each overload has its own counts" sh -c 'grep -q "^_ZL1fi:[0-9]*:1000$" overloads.prof &&
	grep -q "^_ZL1fd:[0-9]*:30$" overloads.prof && ! grep -q "^f:" overloads.prof'
check "two of one line are not taken for one of them" grep -q "^same_line:[0-9]*:60$" overloads.prof
check "calls name them" sh -c 'grep -q "^  .* _ZL1fi:1000$" overloads.prof &&
	grep -qw "^ .* _ZL1fd:30" overloads.prof'
export_to overloads.afdo autofdo overloads.wmk
run "$cxx" -O2 -g -fauto-profile=overloads.afdo -c -o overloads.o overloads.cc
check "g++ reads it" test "$status" -eq 0 -a ! -s stderr

# ---- BOLT ------------------------------------------------------------------------------------

# bolts NAME OPTION...: builds for x86_64, on which BOLT is used most, and what BOLT makes of it.
bolts() {
	bolt_name=$1
	shift
	built "$bolt_name" x86_64-linux-gnu-gcc -O2 -g -fno-reorder-blocks-and-partition -Wl,-q "$@"
	export_to "$bolt_name.fdata" bolt "$bolt_name.wmk"
	run llvm-bolt-19 "$bolt_name" -data="$bolt_name.fdata" -o "$bolt_name.again" \
		-reorder-blocks=ext-tsp -reorder-functions=hfsort -split-functions -dyno-stats
	check "llvm-bolt takes it: $bolt_name" test "$status" -eq 0
	cat stdout stderr >"$bolt_name.bolt"
	"$WAYMARK" record -o "$bolt_name.again.wmk" "./$bolt_name.again" $calls >again.out
	same "the program does the same: $bolt_name" "$bolt_name.out" again.out
}
bolts static -static
llvm-bolt-19 static -data=static.fdata -o static.again -print-cfg >static.cfg 2>&1
"$WAYMARK" hot --by block --format csv static.wmk >static.blocks
check "BOLT counts the instructions that ran" facts executed static.bolt static.cfg static.blocks
bolts shared -pie -fPIE
check "all of the program's functions have their profile" facts profiled shared.bolt
check "of the program alone" sh -c '! grep -q "@\|_dl_" shared.fdata'

# Two functions of one name, each known in its own file only.
for n in 1 2; do
	printf '__attribute__((noinline)) static int helper(int x) { return x * %d + 1; }
int call_%d(int n) { int s = 0; while (n--) s += helper(n); return s & 1; }\n' $n $n >twin_$n.c
done
echo 'int call_1(int), call_2(int); int main(void) { return call_1(1000) * 0 + call_2(30) * 0; }' \
	>twin.c
x86_64-linux-gnu-gcc -O2 -fno-ipa-ra -static -Wl,-q -o twins twin.c twin_1.c twin_2.c
"$WAYMARK" record -o twins.wmk ./twins
export_to twins.fdata bolt twins.wmk
check "functions of one name" sh -c 'grep -q "^1 call_1 [0-9a-f]* 1 helper/1 0 0 1000$" twins.fdata &&
	grep -q "^1 call_2 [0-9a-f]* 1 helper/2 0 0 30$" twins.fdata'
check "llvm-bolt takes them" llvm-bolt-19 twins -data=twins.fdata -o twins.again \
	-reorder-blocks=ext-tsp

# ---- little or nothing -------------------------------------------------------------------------

"$WAYMARK" record --start run@99 -o nothing.wmk ./llvm >/dev/null 2>&1 || true
for format in llvm-profile llvm-profile-binary autofdo bolt; do
	run "$WAYMARK" export $format nothing.wmk
	check "nothing ran: $format" test "$status" -eq 0 -a ! -s stderr
done
run sh -c "'$WAYMARK' export autofdo llvm.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
finish
