/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin's argument lend=TEXT: lines of a kind, one character, and a text. The program's
 * path comes first, then the guide's folder. No text has a comma, which would end the argument,
 * or a newline.
 *
 * Example: "P/usr/bin/python3.13\nF/usr/lib/waymark/guides/cpython\nELD_PRELOAD=/usr/lib/...".
 */
#ifndef FORMAT_LEND_H
#define FORMAT_LEND_H

enum lend_kind {
	LEND_PROGRAM = 'P',
	LEND_FOLDER = 'F',   /* with the guide's files, which the process has to reach */
	LEND_VARIABLE = 'E', /* NAME=VALUE */
	LEND_ARGUMENT = 'A', /* comes before the program's own ones */
};

#endif
