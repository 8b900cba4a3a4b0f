#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# collector.sh - who collects what a guest's process does.
#
# usage: tests/collector.sh PID
#
# Prints /proc/PID/fd/N of the recorder's process that holds the memory which process PID has
# mapped. It goes by the memory alone: other recordings may run, and who is whose child is
# the recorder's affair.

set -eu

[ $# -eq 1 ] || { echo "usage: collector.sh PID" >&2; exit 2; }
inode=$(awk '/memfd:waymark/ { print $5; exit }' "/proc/$1/maps")
[ -n "$inode" ] || exit 1
find /proc/[0-9]*/fd -lname '/memfd:waymark*' 2>/dev/null |
	while read -r link; do
		[ "$(stat -L -c %i "$link" 2>/dev/null)" != "$inode" ] || echo "$link"
	done | grep -m 1 .
