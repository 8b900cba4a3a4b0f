#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# QEMU 11.1: what tests/differential/qemu-10.2.sh and tests/long/qemu-10.2.sh have.

exec "$SRC/tests/versions.sh" 11.1 differential/binfmt \
	differential/detects differential/faults \
	differential/commits differential/exports differential/modes differential/peers \
	differential/processes differential/stopped differential/text \
	differential/values differential/windows cli/mem cli/record \
	differential/workloads differential/isas \
	differential/jit differential/filters differential/guests differential/mix \
	cli/events cli/info cli/listing foreign/qemu/ foreign/rr/ long/values
