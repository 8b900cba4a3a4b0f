#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No room for the trace: the guest runs to its own end, and what was lost is said.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

guest=$GUESTS/manycalls.O0

if unshare -m true 2>/dev/null; then
	mkdir small
	export guest
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c '
		mount -t tmpfs -o size=8k tmpfs small || exit
		status=0
		"$WAYMARK" record -o small/run.wmk -- "$guest" >out 2>err || status=$?
		"$WAYMARK" info small/run.wmk >info 2>&1 || true
		echo "$status" >status
		mount -t tmpfs -o remount,size=200k tmpfs small
		"$WAYMARK" record --mem-values -o small/mem.wmk -- "$guest" >out.mem 2>err.mem
		"$WAYMARK" verify small/mem.wmk >verify.mem 2>&1 || true'
	plain_status=0
	"$QEMU" "$guest" >plain || plain_status=$?
	check "the guest prints all it has to" cmp -s plain out
	check "its status is its own" grep -qx "$plain_status" status
	check "a message has the reason" grep -q 'incomplete: .*No space left' err
	check "the file has the reason, too" grep -q '^complete *no: .*No space left' info
	check "with values, too" cmp -s plain out.mem
	check "what was written of them is sound" \
		grep -q 'sound as far as it goes, but cut short: .*No space' verify.mem
else
	echo "ok a full disk # SKIP there is no private mount namespace"
fi

status=0
(ulimit -f 64 && "$WAYMARK" record -o limited.wmk -- "$guest") >out 2>err || status=$?
check "a limit on file sizes is an error" [ "$status" -eq 2 ]
check "the error names the limit" grep -q 'ulimit -f' err
check "nothing is left behind" [ ! -e limited.wmk ]

"$QEMU" "$GUESTS/echo.O3" <"$0" >plain
(ulimit -v 3500000 && "$WAYMARK" record -o limited.wmk -- "$GUESTS/echo.O3") <"$0" >out 2>err
check "a limit on addresses: the program runs" cmp -s plain out
check "the plugin names the limit" grep -q 'ulimit -v' err
# Nobody holds the program until the recorder has said that.
check "it is said that nothing is recorded" until_true grep -q 'echo.O3 ran untraced' err
(ulimit -v 300000 && run "$WAYMARK" record -o limited.wmk -- "$guest")
check "a limit that ends QEMU is named" until_true grep -q 'QEMU did not start .*ulimit -v' stderr

# On data: QEMU itself has no memory left then, so only the reason is ours to say.
# shellcheck disable=SC2016 # for the inner shell
run sh -c 'ulimit -c 0; ulimit -d 300000; exec "$@"' sh "$WAYMARK" record -o limited.wmk -- "$guest"
check "a limit on data is named" grep -q '^waymark: .*ulimit -.* -d' stderr

# A small stack is room enough for the command, which looks for lines and names here, for the
# recorder, which looks for the libraries' files, and for their threads.
cat >five.c <<'END'
int main(void)
{
	return 5;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -g -o five five.c
for option in --precise --start=five.c:3; do
	# shellcheck disable=SC2016 # for the inner shell
	run sh -c 'ulimit -c 0; ulimit -s 64; exec "$@"' sh "$WAYMARK" record "$option" \
		-L /usr/riscv64-linux-gnu -o stack.wmk -- ./five
	check "a small stack, $option: the program runs" [ "$status" -eq 5 ]
	check "a small stack, $option: the trace is complete" "$WAYMARK" verify stack.wmk
done
finish
