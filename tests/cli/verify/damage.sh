#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# verify names the first damaged section, and what is lost with it: a file cut at the bounds
# of every section and within, and every part of every section changed.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cp "$SRC/tests/golden/v1.wmk" whole.wmk
"$PYTHON" "$SRC/docs/decoder.py" --sections whole.wmk >sections

# verified: what verify says of bad.wmk, in the file said; it must be an answer of 1.
verified() {
	status=0
	"$WAYMARK" verify bad.wmk >said 2>stderr || status=$?
	[ "$status" -eq 1 ] && [ ! -s stderr ]
}

# cut BYTES, flip OFFSET: bad.wmk is whole.wmk with that done to it.
cut_at() { head -c "$1" whole.wmk >bad.wmk; }
flip() {
	cp whole.wmk bad.wmk
	byte=$(od -An -tu1 -j "$1" -N 1 whole.wmk)
	# shellcheck disable=SC2059 # an octal escape it is
	printf "\\$(printf %o $((byte ^ 64)))" | dd of=bad.wmk bs=1 seek="$1" conv=notrunc 2>stderr
}

# says LINE: the first line is this one.
says() {
	[ "$(head -n 1 said)" = "bad.wmk: $1" ] ||
		{ why="wanted: $1"; return 1; }
}

ends="its end is missing: the recorder was stopped, or the file was cut"

# Of each section: cut before it, in its header, in its payload; each of these changed.
each_section() {
	number=0
	while read -r off type stored _; do
		number=$((number + 1))
		bytes=$((stored + 32))
		place="damaged: section $number, $type, at byte $off"
		why="$type $number"
		if [ "$number" -gt 1 ]; then # of the first alone there is nothing to say
			cut_at "$off" && verified && says "$ends" || return 1
			cut_at $((off + 12)) && verified &&
				says "damaged: section $number, of an unknown type, at byte $off (12 bytes): it is cut short" || return 1
			cut_at $((off + 32 + stored / 2)) && verified &&
				says "$place ($((32 + stored / 2)) of $bytes bytes): it is cut short" || return 1
			grep -q "cut short: waymark recover" said || { why="no advice"; return 1; }
		fi
		flip $((off + 6)) && verified &&
			says "$place ($bytes bytes): its header is damaged" || return 1
		flip $((off + 28)) && verified &&
			says "$place ($bytes bytes): it does not match its checksum" || return 1
		flip $((off + 32 + stored / 2)) && verified &&
			says "$place ($bytes bytes): it does not match its checksum" || return 1
	done <sections
}

if each_section; then
	passed "every section is named ($number of them)"
else
	failed "every section is named" "$why" "$(cat said stderr)"
fi

# lost SECTION LINE...: with its payload damaged, exactly that is lost.
lost() {
	number=$1
	shift
	# shellcheck disable=SC2046 # two words
	set -- $(sed -n "${number}p" sections | cut -d ' ' -f 1,2) "$@"
	off=$1 type=$2
	shift 2
	flip $((off + 40))
	verified || { failed "what is lost with $type $number" "$(cat said stderr)"; return; }
	[ "$1" = nothing ] || printf 'bad.wmk: lost with it: %s\n' "$@" >wanted
	[ "$1" != nothing ] || : >wanted
	grep 'lost with it' said >got || true
	if cmp -s wanted got; then
		passed "what is lost with $type $number"
	else
		failed "what is lost with $type $number" "$(diff wanted got)"
	fi
}

lost 1 nothing
lost 13 nothing
lost 14 "thread 1, chunk 0: blocks 0 to 299, instructions 0 to 1327"
lost 15 "thread 1, chunk 0: blocks 0 to 299, instructions 0 to 1327"
lost 17 "thread 1, chunk 1: blocks 300 to 599, instructions 1328 to 2656"
lost 19 "blocks of the end of a thread, not known how many"
lost 20 "the definitions of blocks 27 to 28" \
	"thread 0, chunk 1: blocks 300 to 577, instructions 1938 to 3731"
lost 22 "thread 0, chunk 0: blocks 0 to 299, instructions 0 to 1937"

# ---- what is no section ------------------------------------------------------

toc=$((3808 + 33)) size=$(stat -c %s whole.wmk)

# ended NAME: nothing is lost, and what is there is counted.
ended() {
	if verified && says "$2" &&
		grep -q '5 chunks retraced, 1,182 blocks, 6,412 instructions: sound' said; then
		passed "$1"
	else
		failed "$1" "$why" "$(cat said stderr)"
	fi
}

flip 3 && ended "the magic" "its header is damaged"
flip 9 && ended "the version" "its header is damaged"
flip 25 && ended "the header's checksum" "its header is damaged"
flip $((toc + 2)) && ended "the type of the table of contents" "its end is damaged"
flip $((toc + 12)) && ended "the size of the table of contents" "its end is damaged"
flip $((toc + 60)) && ended "the table of contents" "its end is damaged"
flip $((size - 24)) && ended "the trailer's offset" "its end is damaged"
flip $((size - 1)) && ended "the trailer's magic" "its end is damaged"
cut_at $toc && ended "no table of contents" "$ends"
cut_at $((toc + 50)) && ended "half a table of contents" "its end is damaged"
cut_at $((size - 24)) && ended "no trailer" "its end is damaged"
cut_at $((size - 1)) && ended "half a trailer" "its end is damaged"
{ cat whole.wmk; echo more; } >bad.wmk
ended "something behind the end" "its end is damaged"
cat whole.wmk whole.wmk >bad.wmk
ended "two files in one" "its end is damaged"
finish
