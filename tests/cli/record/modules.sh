#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that come and go at one address: each block has the names of the one it ran from,
# in a parent and its child, with the files, and without them when they were packed.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$(cd "$(dirname "$0")" && pwd)
CC=${CROSS_CC:-riscv64-linux-gnu-gcc}
SYSROOT=/usr/riscv64-linux-gnu

# library NAME FILE: a library for one address. The loader takes it there because the
# program is not at a place of the loader's choosing.
library() {
	$CC -O2 -shared -fPIC -nostdlib -Wl,--build-id=sha1 -Wl,-Ttext-segment=0x50000000 \
		-DNAME="$1" -o "$2" "$here/plug.c"
}
mkdir libraries
library a libraries/a.so
library b libraries/b.so
$CC -std=gnu17 -O2 -Wall -Wextra -Werror -no-pie -o modules "$here/modules.c"

# guest RUNNER...: runs the program.
guest() {
	rm -rf copies
	mkdir copies
	"$@" ./modules "$PWD/libraries/a.so" "$PWD/libraries/b.so" "$PWD/copies"
}
guest "$QEMU" -L "$SYSROOT" >plain

# names RUN [CHANGED]: what RUN.wmk calls the blocks at the functions that were called, beside
# what RUN.out says they are; with CHANGED, the copies that are no more have no names.
names() {
	for thread in 0 1; do
		"$WAYMARK" blocks --thread $thread --format jsonl "$1.wmk" >$thread.jsonl \
			2>>remarks
	done
	"$PYTHON" "$SRC/tests/cli/record/modules_facts.py" names_of_calls "$1" "${2-}"
}

# ---- while the files are there -----------------------------------------------

guest "$WAYMARK" record --no-pack -L "$SYSROOT" -o run.wmk -- >run.out
cut -d ' ' -f 1,3 plain >plain.calls
cut -d ' ' -f 1,3 run.out >run.calls
same "the program does what it does untraced" plain.calls run.calls
: >remarks
check "every block has the names of its file" names run changed
check "a warning names a changed file" \
	grep -q '^waymark: .*/copies/new?line and blanks.so was changed since it ran: names and lines of its code are not known$' remarks
check "the warning is printed once" [ "$(wc -l <remarks)" -eq 1 ]
"$WAYMARK" insns run.wmk >insns 2>remarks
check "a file that was deleted has its own name" grep -qF '[gone.so (deleted)]+0x' insns
check "the trace is sound" sh -c '"$WAYMARK" verify run.wmk >verdict'

# ---- what info says ----------------------------------------------------------

"$WAYMARK" info --format json run.wmk >info.json
check "build-ids are those of readelf" \
	"$PYTHON" "$SRC/tests/cli/record/modules_facts.py" build_ids_are_those_of_readelf
check "modules are in order, and deleted ones are marked" \
	"$PYTHON" "$SRC/tests/cli/record/modules_facts.py" modules_are_in_order_and_those_that_are
"$PYTHON" "$SRC/docs/decoder.py" --modules run.wmk >decoder.txt
"$PYTHON" "$SRC/tests/cli/record/modules_facts.py" list_modules >info.txt
same "the reference decoder reads the same" info.txt decoder.txt

# ---- when the files are not there --------------------------------------------

guest "$WAYMARK" record --pack -L "$SYSROOT" -o packed.wmk -- >packed.out
mv libraries kept
mkdir libraries
rm -r copies
: >remarks
check "packed names serve when the files are gone" names packed
library other libraries/a.so
cp kept/a.so libraries/b.so
check "and when others are in their place" names packed
check "without a remark" [ ! -s remarks ]
rm libraries/b.so
"$WAYMARK" hot --by line packed.wmk 2>remarks >lines
check "nor is there one when lines are asked for: the trace has what the file had" \
	[ "$(grep -vc 'no source line is known' remarks)" -eq 0 ]
cp kept/a.so libraries/b.so
"$WAYMARK" insns run.wmk 2>remarks >insns
check "others give no names to a trace without them" \
	sh -c '! grep -E " (other|a|b)_(inner|work)" insns'
check "and are warned of" [ "$(grep -c 'was changed since' remarks)" -eq 2 ]
check "info lists packed names" \
	"$PYTHON" "$SRC/tests/cli/record/modules_facts.py" info_says_what_is_packed "$WAYMARK"
"$WAYMARK" info packed.wmk >info.text
check "also to people" grep -qE '^ +[0-9.]+ +0  0x50000000-0x50001000 +[0-9a-f]{12}  packed     a.so$' info.text
check "the trace with names is sound" sh -c '"$WAYMARK" verify packed.wmk >verdict'

# ---- how much of it ----------------------------------------------------------

# names_bytes TRACE: of the sections of names.
names_bytes() {
	"$PYTHON" "$SRC/docs/decoder.py" --sections "$1" |
		awk '$2 == "SYMS" { n += $3 } END { print n + 0 }'
}
rm -r libraries
mv kept libraries
whole=$(names_bytes packed.wmk)
guest "$WAYMARK" record --pack=1k -L "$SYSROOT" -o some.wmk -- >some.out
some=$(names_bytes some.wmk)
check "--pack=SIZE is an upper limit" \
	[ "$some" -gt 0 -a "$some" -le 1000 -a "$whole" -gt 1000 ]
guest "$WAYMARK" record --pack=0 -L "$SYSROOT" -o none.wmk -- >none.out
check "--pack=0 packs nothing" [ "$(names_bytes none.wmk)" -eq 0 ]
run "$WAYMARK" record --pack=many -- ./modules
check "a word that is no size" \
	[ "$status" -eq 2 -a -n "$(grep 'takes a size such as 500k, not "many"' stderr)" ]
finish
