#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# style.sh - what can be checked of the style: clang-format, sizes, licence lines,
# blanks.

set -eu
cd "$(dirname "$0")/.."

# verdict NAME FAULTS
verdict() {
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

sources() {
	for folder in .ci $(tests/layers.sh --folders) tests tools docs include completion; do
		[ ! -d "$folder" ] || find "$folder" -type f "$@"
	done
}

# Other versions of clang-format have other ideas; the test's guests are written to be
# awkward, and may look so.
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	verdict "clang-format" "$(
		sources -name '*.[ch]' ! -path 'tests/guests/*' ! -path 'bench/kernels/*' |
			xargs clang-format --dry-run -Werror 2>&1 | sed -n 's/:[0-9].*error:.*//p' | sort -u
	)"
else
	echo "ok clang-format # SKIP there is no clang-format 14"
fi

# The guests are programs to trace, not code of ours to read.
verdict "files and functions are short, and every file has a head" "$(
	sources -name '*.[ch]' ! -path 'tests/guests/*' ! -path 'bench/kernels/*' |
		xargs "${PYTHON:-python3}" tests/sizes.py
)"

verdict "every source names its licence" "$(
	sources \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name meson.build \
		-o -name '*.js' -o -name '*.css' \
		-o -name common -o -name run \) |
		while read -r file; do
			head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' ||
				echo "$file"
		done
)"

verdict "no blanks at the ends of lines" "$(
	{ sources -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.md' \
		-o -name '*.scd' -o -name 'meson*' -o -name '*.js' -o -name '*.css'; ls ./*.md; } | xargs grep -nE '[ 	]+$' || true
)"

# What documents name in backquotes, with a folder and an ending, is there.
verdict "files that documents name exist" "$(
	grep -noE '`[A-Za-z0-9_./-]+/[A-Za-z0-9_.-]+[.](c|h|def|sh|py|md|js|scd)`' ./*.md docs/*.md \
		docs/decisions/*.md | tr -d '`' |
		while IFS=: read -r document line path; do
			case $path in
			build/* | *NAME*) ;;
			*) [ -e "$path" ] || echo "$document:$line: $path" ;;
			esac
		done
)"
