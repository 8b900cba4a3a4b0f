#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The library as it is installed: what it exports, how it is linked with, that old callers go
# on working, and that every function is in a manual page.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/library/common
. "$(dirname "$0")/common"

# What a program gets from #include <waymark.h>.
cat "$prefix/include/waymark.h" "$prefix/include/waymark-explain.h" "$prefix/include/waymark-machine.h" >header.h
header=header.h
shared=$prefix/lib/libwaymark.so
grep -o '\bwm_[a-z_]*(' "$header" | tr -d '(' | sort -u >in.header

# ---- what it exports ---------------------------------------------------------
nm -D --defined-only "$shared" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | sort -u >exported
check "the shared library exports wm_ names only" sh -c '! grep -qv ^wm_ exported'
grep -o '\bWM_API [^;{]*(' "$header" >/dev/null
tr '\n' ' ' <"$header" | grep -o 'WM_API [^;]*;' | grep -o '\bwm_[a-z_]*(' | tr -d '(' |
	sort -u >declared
same "all that is declared, and nothing else" declared exported
check "its symbols have a version" sh -c \
	"! nm -D --defined-only '$shared' | grep ' T ' | grep -qv '@@WAYMARK_1'"
check "its name is of that version" sh -c \
	"readelf -d '$shared' | grep -q 'SONAME.*libwaymark.so.1]'"
nm -g --defined-only "$prefix/lib/libwaymark.a" 2>/dev/null | awk 'NF == 3 { print $3 }' |
	sort -u >static.names
same "the static one has the same names" exported static.names

# ---- how it is linked with ---------------------------------------------------
cat >plain.c <<'END'
#include <stdio.h>
#include <waymark.h>

/* Names that the library has, too, for itself. */
int walk(void) { return 1; }
int demangle(void) { return 2; }
int text_line(void) { return 3; }

int main(int argc, char **argv)
{
	struct wm_summary summary;
	struct wm_trace *trace;
	struct wm_names *names;
	struct wm_error err;

	if (argc < 2 || wm_trace_open(&trace, argv[1], &err) ||
	    wm_names_new(&names, trace, &err))
		return 2;
	wm_trace_summary(trace, &summary);
	printf("%u %llu %d\n", wm_version(), (unsigned long long)summary.insns,
	       walk() + demangle() + text_line());
	wm_names_free(names);
	wm_trace_close(trace);
	return 0;
}
END
golden=$SRC/tests/golden/v1.wmk
check "with the shared library" build plain plain.c
run ./plain "$golden"
mv stdout shared.out
check "it runs" grep -qx "100 [0-9]* 6" shared.out
# Debian 13's libelf.a needs functions of elfutils' libeu.a, which is in no package.
cat >elf.c <<'END'
#include <libelf.h>

int main(void) { return elf_end(elf_begin(0, ELF_C_READ, 0)); }
END
# shellcheck disable=SC2046 # lists of words
if cc -static -o elf elf.c $(pkg-config --static --cflags --libs libelf) 2>unlinked; then
	check "with the static one" cc -static -o static plain.c $(config --static --cflags --libs)
	run ./static "$golden"
	same "and has the same answer" shared.out stdout
else
	check "what libelf.a misses is elfutils' own" sh -c "! grep 'undefined reference' unlinked | grep -v eu_"
	passed "with the static one # SKIP libelf.a itself cannot be linked with"
fi
# Debian's package of it brings what it is linked with.
if command -v dpkg-query >/dev/null; then
	sed -n '/^Package: libwaymark-dev/,/^Description/p' "$SRC/debian/control" >package
	for word in $(config --static --libs); do
		case $word in -lwaymark | -lm | -lpthread | -L* | -pthread) continue ;; esac
		archive=$(realpath "$(cc -print-file-name="lib${word#-l}.a")")
		owner=$(dpkg-query -S "$archive" "${archive#/usr}" 2>/dev/null | head -n 1)
		grep -qw -e "${owner%%:*}" package || echo "$word"
	done | sort -u >missing
	check "its package needs theirs: $(tr '\n' ' ' <missing)" test ! -s missing
else
	passed "its package needs theirs # SKIP there is no dpkg"
fi
check "the shared one takes no other library to link with" \
	test "$(config --libs | tr -d '\n ')" = "-L$prefix/lib-lwaymark"
check "of the version that the header is" test "$(config --modversion)" = \
	"$(sed -n 's/^version: //p' "$PKG_CONFIG_PATH/waymark.pc" | head -n 1)$(sed -n 's/^Version: //p' "$PKG_CONFIG_PATH/waymark.pc")"

# ---- C++ ---------------------------------------------------------------------
sed 's/^#include <stdio.h>/#include <cstdio>/' plain.c >plain.cc
if command -v c++ >/dev/null; then
	# shellcheck disable=SC2046
	check "a C++ program" c++ -Wall -Wextra -Werror -std=c++11 -o cxx plain.cc $(config --cflags --libs)
	run ./cxx "$golden"
	same "and it has the same answer" shared.out stdout
else
	passed "a C++ program # SKIP there is no C++ compiler"
fi
for std in c99 c11 c17; do
	for file in waymark.h waymark-explain.h waymark-machine.h; do
		check "$file is $std" sh -c \
			"echo '#include <$file>' | cc -x c -std=$std -pedantic -Wall -Wextra -Werror -fsyntax-only -I'$prefix/include' -"
	done
done

# ---- a caller with smaller structs -------------------------------------------
check "an old caller builds" build old "$SRC/tests/cli/library/old.c" -Wno-stringop-overflow
run ./old "$golden"
check "and runs" test "$status" -eq 0
insns=$("$WAYMARK" insns --thread 0 --format jsonl --no-events "$golden" | wc -l)
check "and reads all of the trace" grep -q "^[0-9]* $insns $insns " stdout

# ---- the manual --------------------------------------------------------------
if [ -d "$prefix/share/man/man3" ]; then
	cat "$prefix"/share/man/man3/*.3 | sed 's/\\-/-/g; s/\\[fF].//g; s/\\&//g' >manual
	grep -v _sized in.header | while read -r name; do
		grep -q "\b$name\b" manual || echo "$name"
	done >missing
	check "every function is in a manual page: $(tr '\n' ' ' <missing)" test ! -s missing
	for page in "$prefix"/share/man/man3/*.3; do
		sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' "$page" | grep -o '\bwm_[a-z_]*' | sort -u
	done | sort | uniq -d >twice
	check "and in the name of one only: $(tr '\n' ' ' <twice)" test ! -s twice
	check "libwaymark(3) is there" test -s "$prefix/share/man/man3/libwaymark.3"
else
	passed "every function is in a manual page # SKIP without scdoc there are none"
fi
check "docs/decoder.py is installed" test -s "$prefix/share/waymark/decoder.py"
check "and the examples" test -s "$prefix/share/waymark/examples/outcomes.c"
finish
