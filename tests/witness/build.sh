#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh - build a witness, a plugin for QEMU (see witness.c, harts.c, kinds.c,
# translations.c, values.c, registers.c, addresses.c).
#
# usage: tests/witness/build.sh FILE.so QEMU [harts|kinds|translations|values|registers|addresses]

set -eu
here=$(cd "$(dirname "$0")" && pwd)
api=$("$here/../plugin-api.sh" "$2")
case ${3-witness} in
witness | values | registers) set -- "$1" "$here/${3-witness}.c" "$here/log.c" ;;
harts) set -- "$1" "$here/harts.c" "$here/harts-registers.c" ;;
*) set -- "$1" "$here/$3.c" ;;
esac
"${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -DQEMU_PLUGIN_API="$api" -O2 -Wall -Wextra -Werror \
	-fPIC -shared -pthread -I"$here/../.." -o "$@"
