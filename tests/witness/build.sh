#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh - build the witness, a plugin for QEMU (see witness.c).
#
# usage: tests/witness/build.sh FILE.so QEMU

set -eu
here=$(cd "$(dirname "$0")" && pwd)
api=$("$here/../plugin-api.sh" "$2")
"${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -DQEMU_PLUGIN_API="$api" -O2 -Wall -Wextra -Werror \
	-fPIC -shared -pthread -I"$here/../.." -o "$1" "$here/witness.c" "$here/log.c"
