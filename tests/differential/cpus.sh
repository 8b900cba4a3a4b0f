#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A CPU that the user chose: the trace has QEMU's text of each instruction, and is no larger
# than with the default CPU but by the few texts that nobody knows without QEMU.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

MORE=2048 # bytes

# size CPU: of a recording with that CPU, compared with the log; 0: they differ.
size() {
	if traced --qemu-arg -cpu --qemu-arg "$1" "$GUESTS/float.O3"; then
		wc -c <run.wmk
	else
		echo "$why" >&2
		echo 0
	fi
}

case $(qemu_version) in
7.*) default=rv64 cpus="sifive-u54 rv64,v=true,zba=false,zbb=false" ;;
*) default=max cpus="rv64 rva22u64 thead-c906 sifive-u54 rv64,v=true,zba=false,zbb=false" ;;
esac
whole=$(traced "$GUESTS/float.O3" && wc -c <run.wmk)
for cpu in $default $cpus; do
	bytes=$(size "$cpu" 2>said)
	if [ "$bytes" -gt 0 ] && [ "$bytes" -le $((whole + MORE)) ]; then
		passed "-cpu $cpu" "$bytes bytes, with the default CPU $whole"
	else
		failed "-cpu $cpu" "$bytes bytes, with the default CPU $whole; $(cat said)"
	fi
done
exit $((failures > 0))
