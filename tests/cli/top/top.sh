#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# waymark top, in a terminal (tmux) and without.

# shellcheck source=tests/cli/ctl/common
. "$SRC/tests/cli/ctl/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -O1 -pthread -o steps "$SRC/tests/cli/top/spin.c"

# ---- as text -----------------------------------------------------------------

# One of the same user's that runs without the variable: none of what is asked for here.
XDG_RUNTIME_DIR='' begin elsewhere
other=$guest
exec 6>&3
refused "nothing runs here" 'no recording runs' "$WAYMARK" top --batch
misused "no time" '*--delay takes seconds*' "$WAYMARK" top -d soon
misused "no number" '*--count takes a number*' "$WAYMARK" top -n 0
misused "two of them" '*one recording at a time*' "$WAYMARK" top a b

begin run
refused "no terminal" 'this is no terminal; use --batch' "$WAYMARK" top
touch spin
until_true "$WAYMARK" top --batch -n 1 -d 0.1
# On a busy machine a thread may not have run since the frame before.
all_ran() {
	"$WAYMARK" top run.wmk --batch -n 3 -d 0.2 >frames &&
		tail -n 12 frames >last && grep -q ' helper$' last && grep -q ' steps$' last
}
check "both threads" until_true all_ran
check "three frames" test "$(grep -c '^ waymark top   run.wmk   recording' frames)" -eq 3
check "no control characters" sh -c '! LC_ALL=C grep -q "[[:cntrl:]]" frames'
check "what is hot" grep -qE '^ +[0-9.]+% +[0-9.]+ [kMG]  spin_here +steps$' last
check "rates" grep -qE '^ +[0-9.]+ [kMG] instructions/s +[0-9.]+ [kMG] blocks/s   1 process, 2 threads$' frames

# Shares of what ran since the last look: they add up, and the rest is little.
check "shares add up" "$PYTHON" "$SRC/tests/cli/top/top_facts.py" shares_add_up

end_both() {
	rm spin
	end
	exec 6>&-
	wait "$other" || true
}

# ---- in a terminal -----------------------------------------------------------

if ! command -v tmux >/dev/null; then
	passed "in a terminal # SKIP there is no tmux"
	end_both
	finish
fi

unset TMUX
tmux() { command tmux -S "$PWD/tmux" -f /dev/null "$@"; }
screen() { tmux capture-pane -p -t top; }
# shows PATTERN: the screen comes to show it.
shows() { until_true sh -c 'tmux -S "$1" capture-pane -p -t top | grep -qE -- "$2"' - "$PWD/tmux" "$1"; }
# hides PATTERN: the screen comes not to show it.
hides() { until_true sh -c '! tmux -S "$1" capture-pane -p -t top | grep -qE -- "$2"' - "$PWD/tmux" "$1"; }
# open: a shell in a terminal, and top in it; it says after it how it ended.
open_top() {
	tmux send-keys -t top "clear; ./watch" Enter
	shows '^ waymark top   run.wmk   recording'
}
# is_restored: the screen is the shell's again, and so are the terminal's modes.
is_restored() {
	tmux send-keys -t top "clear; stty -a >modes; echo typed" Enter
	until_true test -s modes && until_true sh -c 'grep -q " -*echo" modes'
	shows '^typed$' && grep -q '[^-]icanon' modes && grep -q '[^-]echo ' modes &&
		test "$(tmux display -p -t top '#{alternate_on} #{cursor_flag}')" = "0 1"
	restored=$?
	rm -f modes
	return $restored
}

trap 'tmux kill-server 2>/dev/null || true' EXIT
cat >watch <<END
#!/bin/sh
trap : INT
sh -c 'echo \$\$ >top.pid; exec "\$0" top -d 0.2 run.wmk' "$WAYMARK"
echo ended=\$?
END
chmod +x watch
tmux new-session -d -s top -x 80 -y 24 env PS1="> " LC_ALL=C.UTF-8 \
	XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" sh 3>&- 6>&-
shows '^>'
open_top
check "functions are shown" shows ' spin_here +steps$'
check "the last line lists keys" sh -c 'screen() { tmux -S tmux capture-pane -p -t top; }
	screen | tail -n 1 | grep -q "^ q quit .* ? help"'
check "it is as wide as the terminal" test "$(screen | head -n 1 | sed 's/ *$//' | wc -m)" -ge 78
screen >/dev/null
tmux send-keys -t top '?'
check "? shows the help of keys" shows 'quit; the recording goes on'
tmux send-keys -t top '?'
check "? again shows the functions" shows ' spin_here +steps$'
tmux send-keys -t top '?'
check "the keys once more" shows 'quit; the recording goes on'
tmux send-keys -t top q
check "q leaves them only" shows ' spin_here +steps$'
tmux send-keys -t top t
check "t lists threads" shows 'per second'
check "t hides the functions" hides spin_here
tmux send-keys -t top t
tmux send-keys -t top s
check "s sorts" shows 'by name'
tmux send-keys -t top s
check "s sorts by file, too" shows 'by file'
tmux send-keys -t top s
check "f flushes" sh -c 'tmux -S tmux send-keys -t top f'
check "f reports what was flushed" shows ' flushed: [0-9,]+ instructions in '
tmux send-keys -t top p
check "p pauses" shows 'display paused'
screen >paused
tmux send-keys -t top p
check "and goes on" shows 'run.wmk   recording {5}'
tmux send-keys -t top Down
tmux send-keys -t top Home

for size in "60 12" "200 50" "20 5" "80 24"; do
	tmux resize-window -t top -x "${size% *}" -y "${size#* }"
	check "at $size" shows '^ waymark top'
	check "at $size, keys are on the last line" \
		until_true sh -c 'test "$(tmux -S tmux capture-pane -p -t top | grep -c .)" -ge 4'
done
check "after resizing the functions are shown" shows ' spin_here +steps$'
tmux send-keys -t top q
check "q ends it" shows '^ended=0$'
check "the terminal is restored" is_restored
check "the recording goes on" sh -c '"$WAYMARK" ctl status | grep -q recording'

for signal in INT TERM HUP; do
	open_top
	kill -$signal "$(cat top.pid)"
	check "SIG$signal ends it" shows '^ended=1[0-9]+$'
	check "SIG$signal: the terminal is restored" is_restored
done
open_top
tmux send-keys -t top C-c
check "interrupted" shows '^ended=130$'
check "interrupted: the terminal is restored" is_restored
tmux send-keys -t top "clear; $WAYMARK top -d 0.2 run.wmk" Enter # the shell's own job
shows '^ waymark top   run.wmk   recording'
tmux send-keys -t top C-z
check "it can be stopped" shows 'Stopped'
check "stopped: the terminal is restored" is_restored
tmux send-keys -t top "fg" Enter
check "and goes on" shows ' spin_here +steps$'
tmux send-keys -t top q
check "to its end" shows '^> fg'
tmux send-keys -t top "TERM=nothing $WAYMARK top" Enter
check "an unknown terminal is refused" shows 'nothing is known of the terminal'
# Curses 6.5 takes the greatest size that it can have instead.
if "$PYTHON" -c 'import curses, sys; sys.exit(curses.ncurses_version >= (6, 5))'; then
	tmux send-keys -t top "COLUMNS=99999999 $WAYMARK top" Enter
	check "so is a size that is none" shows ', or LINES and COLUMNS'
else
	passed "so is a size that is none # SKIP these curses take it"
fi

open_top
end_both
check "it ends with the recording and reports that" \
	shows '^run.wmk: the recording has ended: [0-9,]+ instructions in '
check "with status 0" shows '^ended=0$'
check "ended: the terminal is restored" is_restored
tmux kill-server
check "the trace is sound" sh -c '"$WAYMARK" verify run.wmk | grep -q "complete and sound"'
finish
