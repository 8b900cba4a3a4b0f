#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# layers.sh - who includes whom, checked from the #include lines.
#
# usage: tests/layers.sh [TREE]
#        tests/layers.sh --folders
#
# Without TREE it checks this source tree, after checking itself against a made-up one
# with every kind of fault. With TREE it prints the faults of that one. With --folders it
# prints the folders of code, for who wants to look at all of them.

set -eu

# A folder, then what its files, and those of folders in it, may include besides itself and
# waymark.h (with waymark-explain.h and waymark-machine.h, which it includes): folders with a slash at the end,
# folders in folders, or single files. A folder in a folder may have a row of its own.
rules='
base
format    base/
plugin
plugin/core base/ format/arena.h format/note.h format/orders.h format/events.h format/blocks.h format/text.h format/values.h isa/ plugin/qemu_api.h
plugin/system base/ format/arena.h format/guest_linux.h isa/ kernel/ plugin/core/ plugin/system/ plugin/system/arch/ plugin/qemu_api.h
plugin/user base/ format/arena.h format/lend.h format/note.h isa/registers.h kernel/ plugin/core/ plugin/qemu_api.h
events    base/ format/ kernel/
collect   base/ format/ program/elf/ program/kernel/ program/made/ program/landmarks.h events/ kernel/
trace     base/ format/ isa/
packets   base/ format/arena.h trace/ isa/
isa       base/
kernel    base/
program   base/ format/note.h format/symtab.h format/codemap.h format/orders.h trace/ isa/
out       base/
managed   base/ format/note.h trace/ isa/ program/
guides    base/ format/note.h isa/
analysis  base/ managed/ trace/ isa/ kernel/ program/ out/
explain   base/ format/events.h managed/ trace/ isa/ kernel/ program/ out/ analysis/ events/ query/
export    base/ format/events.h trace/ isa/ kernel/ program/ out/ analysis/ events/ packets/
import    base/ format/ trace/ isa/ program/elf/ packets/
cut       base/ format/ trace/ collect/trim.h
browse    base/ format/note.h managed/ trace/ kernel/ program/ out/ analysis/
report    base/ trace/ isa/ kernel/ program/ out/ analysis/
query     base/ format/ managed/ trace/ isa/ kernel/ program/ out/ analysis/ events/
cli       base/ format/ query/ managed/ trace/ isa/ kernel/ program/ out/ analysis/ events/ export/ import/ packets/ browse/ cut/ report/ collect/ sql/
sql
mpi       base/ query/team.h
examples
bench     base/ format/ trace/ isa/ kernel/ program/ out/ analysis/ export/ collect/ plugin/qemu_api.h
'

# System headers that have no place in a folder.
forbidden='
base      glib|gelf|libelf|elfutils|zstd|xxhash
format    glib|elf|gelf|libelf|elfutils|qemu
plugin    glib|gelf|libelf|elfutils|zstd|pthread_np
trace     glib|elf|gelf|libelf|elfutils|qemu
'

# faults TREE: one line for each arrow that is not in the table.
faults() {
	(cd "$1" && find . -mindepth 2 -name '*.[ch]' ! -path './tests/*' ! -path './examples/*' -exec \
		grep -nE '^[ 	]*#[ 	]*include[ 	]*["<]' /dev/null {} + || true) |
		sed 's|^[.]/||' |
		awk -v rules="$rules" -v forbidden="$forbidden" '
		function fault(why) { print file ":" line ": " why }
		BEGIN {
			n = split(rules, row, "\n")
			for (i = 1; i <= n; i++) {
				m = split(row[i], word, " ")
				if (m) known[word[1]] = 1
				for (j = 2; j <= m; j++) may[word[1], word[j]] = 1
			}
			n = split(forbidden, row, "\n")
			for (i = 1; i <= n; i++)
				if (split(row[i], word, " ")) never[word[1]] = word[2]
		}
		{
			split($0, part, ":")
			file = part[1]; line = part[2]
			top = file; sub("/.*", "", top)
			from = file; sub("/[^/]*$", "", from)
			while (!(from in known) && sub("/[^/]*$", "", from))
				;
			if (!(from in known)) next
			match($0, /["<][^">]*/)
			kind = substr($0, RSTART, 1)
			target = substr($0, RSTART + 1, RLENGTH - 1)
		}
		kind == "<" {
			if (top in never && target ~ "^(" never[top] ")[./]")
				fault(from " must not include <" target ">")
			next
		}
		target == "waymark.h" { next }
		target !~ "/" { fault("\"" target "\": write it with its folder"); next }
		target ~ "[.]c$" { fault("\"" target "\" is no header"); next }
		{
			to = target; sub("/.*", "/", to)
			inner = target; sub("/[^/]*$", "/", inner)
			own = file; sub("[.][ch]$", ".h", own)
		}
		to != from "/" && inner != from "/" && !((from, to) in may) &&
			!((from, inner) in may) && !((from, target) in may) {
			fault(from " must not include " target)
		}
		from == "cli" && target ~ "^cli/.*cmd-" && target != own {
			fault("a subcommand must not include another: " target)
		}
		from == "export" && target ~ "^export/" && target != own &&
			target !~ "[_/]format[.]h$" {
			fault("an outside format must not include another: " target)
		}'
}

# A tree with every kind of fault and every kind of good line; all and only the lines
# marked BAD must be found.
self_test() {
	tree=$(mktemp -d)
	trap 'rm -rf "$tree"' EXIT
	mkdir "$tree/base" "$tree/format" "$tree/plugin" "$tree/trace" "$tree/out" \
		"$tree/export" "$tree/cli" "$tree/program" "$tree/collect"
	cat >"$tree/base/a.c" <<-END
		#include "base/b.h"
		#include "waymark.h"
		#include "trace/t.h" // BAD
		#  include "format/f.h" // BAD
		#include <stdio.h>
		#include <zstd.h> // BAD
	END
	cat >"$tree/format/a.c" <<-END
		#include "base/b.h"
		#include <zstd.h>
		#include <elf.h> // BAD
		#include "plugin/qemu_api.h" // BAD
		#include "b.h" // BAD
	END
	mkdir "$tree/plugin/core" "$tree/plugin/user"
	cat >"$tree/plugin/a.h" <<-END
		#include "plugin/qemu_api.h"
		#include "plugin/user/u.h"
		#include "trace/t.h" // BAD
	END
	cat >"$tree/plugin/core/a.h" <<-END
		#include "plugin/qemu_api.h"
		#include "plugin/core/c.h"
		#include "format/arena.h"
		#include "format/reader.h" // BAD
		#include "plugin/user/u.h" // BAD
		#include "plugin/plugin.h" // BAD
		#include <zstd.h> // BAD
	END
	cat >"$tree/plugin/user/a.h" <<-END
		#include "plugin/core/c.h"
		#include "kernel/kernel.h"
		#include "program/p.h" // BAD
	END
	cat >"$tree/program/a.c" <<-END
		#include <elfutils/libdw.h>
		#include "trace/t.h"
		#include "out/json.h" // BAD
		#include "trace/t.c" // BAD
	END
	cat >"$tree/collect/a.c" <<-END
		#include "program/elf/file.h"
		#include "program/symbols.h" // BAD
	END
	cat >"$tree/export/qemu.c" <<-END
		#include "export/qemu.h"
		#include "export/insn_format.h"
		#include "export/spike.h" // BAD
		#include "cli/pager.h" // BAD
	END
	mkdir "$tree/cli/file"
	cat >"$tree/cli/file/cmd-info.c" <<-END
		#include "cli/file/cmd-info.h"
		#include "cli/commands.h"
		#include "collect/record.h"
		#include "cli/list/cmd-blocks.h" // BAD
		#include "plugin/qemu_api.h" // BAD
	END
	(cd "$tree" && grep -rn BAD .) | sed 's|^[.]/||' | cut -d: -f1,2 | sort >"$tree/want"
	faults "$tree" | cut -d: -f1,2 | sort >"$tree/got"
	diff -u "$tree/want" "$tree/got" || return

	mkdir "$tree/new" "$tree/docs" "$tree/built" "$tree/include"
	touch "$tree/new/a.c" "$tree/built/a.c" "$tree/built/build.ninja" "$tree/include/a.h"
	[ "$(strangers "$tree")" = new/ ]
}

folders() { printf '%s' "$rules" | awk 'NF && $1 !~ "/" { print $1 }'; }

# strangers TREE: folders with code that the rules do not know; what is built is no code.
strangers() {
	(cd "$1" && for folder in */; do
		folder=${folder%/}
		[ -f "$folder/build.ninja" ] || [ ! -f "$(find "$folder" -maxdepth 1 -name '*.[ch]' -print -quit)" ] ||
			{ folders; echo include; } | grep -qx "$folder" || echo "$folder/"
	done)
}

case ${1-} in
--folders)
	folders
	exit 0
	;;
?*)
	faults "$1"
	exit 0
	;;
esac

if self_test; then
	echo "ok layers: broken arrows are found"
else
	echo "not ok layers: broken arrows are found"
fi

top=$(dirname "$0")/..
found=$(faults "$top"; strangers "$top" | sed 's/$/ is a folder of which nothing is known here/')
if [ -z "$found" ]; then
	echo "ok layers: the arrows of the source tree"
else
	echo "not ok layers: the arrows of the source tree"
	printf '%s\n' "$found"
	exit 1
fi
