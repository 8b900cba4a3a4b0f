#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The newest QEMU that Waymark is tested with: the tests of what it does differently. The
# others run under it in tests/long/qemu-10.2.sh.

exec "$SRC/tests/versions.sh" 10.2 differential/binfmt \
	differential/detects differential/faults \
	differential/commits differential/exports differential/modes differential/processes differential/stopped differential/text \
	differential/values differential/windows cli/mem cli/names/vdso cli/record \
	-cli/mem/methods -cli/record/crowd -cli/record/guide -cli/record/last -cli/record/node
