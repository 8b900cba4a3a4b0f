#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/differential/qemu-10.2.sh leaves out.

exec "$SRC/tests/versions.sh" 10.2 differential/workloads differential/isas \
	differential/jit differential/filters differential/guests differential/mix \
	cli/events cli/info cli/listing cli/mem/methods cli/record/crowd cli/record/guide \
	cli/record/last cli/record/node foreign/qemu/ foreign/rr/ long/values
