#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# recover: files that lost their end, and damaged ones; what comes out is complete, exact,
# and says what is missing; what goes in stays as it was.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cp "$SRC/tests/golden/v1.wmk" whole.wmk
for thread in 0 1; do
	"$WAYMARK" insns --format execlog --thread $thread whole.wmk >whole.$thread
done

# recovered: bad.wmk is recovered, stays as it was, and the result is sound.
recovered() {
	cp bad.wmk before.wmk
	run "$WAYMARK" recover bad.wmk
	cp stdout said
	why="status $status: $(cat stdout stderr)"
	[ "$status" -eq 0 ] && [ ! -s stderr ] && cmp -s bad.wmk before.wmk || return 1
	why="verify: $("$WAYMARK" verify bad.wmk.recovered 2>&1 || true)"
	case $why in *": complete and sound"* | *": sound as far as it goes, but cut short: "*) ;;
	*) return 1 ;; esac
	# What is listed is a beginning of what ran.
	for thread in 0 1; do
		"$WAYMARK" insns --format execlog --thread $thread bad.wmk.recovered \
			>got.$thread 2>/dev/null || true
		cmp got.$thread whole.$thread >compared 2>&1 ||
			grep -q "EOF on got" compared || { why="thread $thread: $(cat compared)"; return 1; }
	done
}

# ---- nothing to do -----------------------------------------------------------

run "$WAYMARK" recover whole.wmk
check "a whole file is left alone" \
	test "$status" -eq 0 -a ! -s stderr -a ! -e whole.wmk.recovered
check "and a message says that nothing is damaged" grep -qx 'whole.wmk: nothing is damaged, there is nothing to recover' stdout

# ---- the end is missing ------------------------------------------------------

cuts() {
	size=$(stat -c %s whole.wmk)
	for keep in $(seq 100 217 "$size") $((size - 24)) $((size - 1)); do
		head -c "$keep" whole.wmk >bad.wmk
		recovered || { why="$keep bytes: $why"; return 1; }
		# The same in place, to the byte.
		cp bad.wmk here.wmk
		"$WAYMARK" recover --in-place here.wmk >stdout || true
		cmp -s here.wmk bad.wmk.recovered || { why="$keep bytes in place"; return 1; }
	done
}
if cuts; then passed "cut anywhere"; else failed "cut anywhere" "$why"; fi

head -c 3550 whole.wmk >bad.wmk
recovered
"$WAYMARK" info bad.wmk.recovered >info
check "info shows why it is incomplete" grep -q '^complete *no: its end is missing: .*recovered' info
check "damaged sections are listed" \
	grep -qx 'bad.wmk: damaged: section 24, PATH, at byte 3487 (63 of 139 bytes): it is cut short' said
check "the size of the new file is printed" \
	grep -qx 'bad.wmk.recovered: recovered: 4 chunks, 904 blocks, 4,618 instructions' said
"$WAYMARK" recover bad.wmk -o other.wmk >stdout
check "the name to write to" cmp other.wmk bad.wmk.recovered

head -c 3841 whole.wmk >bad.wmk # all but the table of contents
recovered
check "nothing but the table of contents missing: the same file again" \
	cmp bad.wmk.recovered whole.wmk

# ---- damaged before the end --------------------------------------------------

# damaged OFFSET...: bad.wmk has other bytes at these places.
damaged() {
	cp whole.wmk bad.wmk
	for off; do printf 'XYZ' | dd of=bad.wmk bs=1 seek="$off" conv=notrunc 2>stderr; done
}

each_byte() {
	for off in $(seq 0 97 4000); do
		damaged "$off"
		recovered || { why="byte $off: $why"; return 1; }
	done
}
if each_byte; then passed "damaged anywhere"; else failed "damaged anywhere" "$why"; fi

damaged 2500 # the path of thread 1's first chunk
recovered
check "lost chunks are listed" grep -q \
	'^bad.wmk: lost with it: thread 1, chunk 0: blocks 0 to 299, instructions 0 to 1327$' said
refused "a listing does not pass over it" \
	'*300 blocks of thread 1, from 0 on, were lost: *after them come block 300 and instruction 1328*' \
	sh -c '"$1" insns --thread 1 bad.wmk.recovered 2>&1 >/dev/null | tail -n 1 >&2; exit 2' - "$WAYMARK"
"$WAYMARK" insns --format execlog --thread 1 --from 1328 bad.wmk.recovered >got 2>/dev/null
tail -n +1329 whole.1 >wanted
same "after the gap ordinals are unchanged" wanted got
"$WAYMARK" info --format json whole.wmk | grep -E '"(blocks|instructions)"' >wanted
"$WAYMARK" info --format json bad.wmk.recovered | grep -E '"(blocks|instructions)"' >got
same "counts include the lost blocks" wanted got
check "info shows how much is lost" sh -c \
	'"$0" info bad.wmk.recovered | grep -q "recovered without 1 damaged section, 300 blocks are lost"' "$WAYMARK"
run "$WAYMARK" recover bad.wmk.recovered
check "once is enough" grep -q 'nothing to recover' stdout

damaged 2500
cp bad.wmk before.wmk
refused "in place only at the end" '*damaged before its end*' \
	"$WAYMARK" recover --in-place bad.wmk
check "and nothing is changed" cmp bad.wmk before.wmk

# ---- refused -----------------------------------------------------------------

head -c 3000 whole.wmk >bad.wmk
ln -s bad.wmk link.wmk
ln bad.wmk hard.wmk
refused "onto itself" '*is the damaged file itself*' "$WAYMARK" recover bad.wmk -o bad.wmk
refused "onto itself by a link" '*is the damaged file itself*' "$WAYMARK" recover bad.wmk -o link.wmk
refused "onto itself by another name" '*is the damaged file itself*' "$WAYMARK" recover bad.wmk -o hard.wmk
refused "no such file" '*nothing.wmk*No such file*' "$WAYMARK" recover nothing.wmk
refused "no waymark.wmk" '*waymark.wmk*No such file*' "$WAYMARK" recover
refused "a folder" '*not a regular file' "$WAYMARK" recover .
refused "a device" '*not a regular file' "$WAYMARK" recover /dev/zero
mkfifo pipe
refused "a pipe" '*not a regular file' "$WAYMARK" recover pipe
refused "a pipe in place" '*not a regular file' "$WAYMARK" recover --in-place pipe
refused "no folder to write to" '*no/out.wmk*' "$WAYMARK" recover bad.wmk -o no/out.wmk
refused "onto a device" '*not a regular file' "$WAYMARK" recover bad.wmk -o /dev/null
run "$WAYMARK" recover --in-place -o other.wmk bad.wmk
check "in place and elsewhere" test "$status" -eq 2

# The lock of a recorder that still writes.
cp "$SRC/tests/cli/recover/locked.py" .
for how in "-o other.wmk" --in-place; do
	# shellcheck disable=SC2086 # two words
	refused "still being recorded ($how)" '*bad.wmk is still being written*' \
		"$PYTHON" locked.py bad.wmk "$WAYMARK" recover bad.wmk $how
done

# nothing NAME: bad.wmk cannot be saved.
nothing() {
	run "$WAYMARK" recover bad.wmk -o none.wmk
	if [ "$status" -eq 1 ] && [ -s stderr ] && [ ! -e none.wmk ]; then
		passed "$1"
	else
		failed "$1" "status $status" "$(cat stdout stderr)"
	fi
}
rm bad.wmk
: >bad.wmk && nothing "an empty file"
head -c 32 whole.wmk >bad.wmk && nothing "nothing but a header"
head -c 50 whole.wmk >bad.wmk && nothing "nothing whole"
head -c 10000 /dev/zero >bad.wmk && nothing "zeros"
cp "$GUESTS/status.O3" bad.wmk && nothing "another file"

# ---- nothing half done, nothing for others -----------------------------------

head -c 3000 whole.wmk >bad.wmk
cp bad.wmk before.wmk
status=0
(ulimit -f 1 && "$WAYMARK" recover bad.wmk -o limited.wmk) >stdout 2>stderr || status=$?
check "no room: an error" test "$status" -eq 2 -a -s stderr
check "no room: nothing is left" test -z "$(find . -name 'limited*')"
(ulimit -f 1 && "$WAYMARK" recover bad.wmk --in-place) >stdout 2>stderr || true
run "$WAYMARK" recover bad.wmk -o again.wmk
check "no room in place: what was there can still be saved" test "$status" -eq 0
"$WAYMARK" blocks --thread 1 before.wmk >wanted 2>stderr
"$WAYMARK" blocks --thread 1 again.wmk >got 2>stderr
same "the new file has all blocks" wanted got

cp before.wmk bad.wmk
chmod 600 bad.wmk
"$WAYMARK" recover bad.wmk -o private.wmk >stdout
check "a private file stays private" test "$(stat -c %a private.wmk)" = 600
echo victim >victim
ln -s victim trap.wmk
"$WAYMARK" recover bad.wmk -o trap.wmk >stdout
check "a link in the way is replaced, not followed" \
	test "$(cat victim)" = victim -a ! -L trap.wmk
finish
