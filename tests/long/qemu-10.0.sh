#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later

exec "$SRC/tests/versions.sh" 10.0 differential/detects differential/faults \
	differential/guests differential/modes differential/processes differential/text \
	differential/workloads cli/events cli/info cli/listing cli/record
