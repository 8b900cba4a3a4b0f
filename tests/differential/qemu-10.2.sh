#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The newest QEMU that Waymark is tested with: what the other tests say, under that.

exec "$SRC/tests/versions.sh" 10.2 differential/detects differential/faults \
	differential/filters differential/guests differential/mix differential/modes \
	differential/processes differential/text differential/windows \
	cli/events cli/info cli/listing cli/record
