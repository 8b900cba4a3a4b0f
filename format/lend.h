/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin's argument lend=TEXT: lines of a kind, one character, and a text. The program's
 * path comes first. No text has a comma, which would end the argument, or a newline.
 *
 * Example: "P/usr/bin/python3.13\nELD_PRELOAD=/usr/lib/waymark/guides/cpython/agent.so".
 */
#ifndef FORMAT_LEND_H
#define FORMAT_LEND_H

enum lend_kind {
	LEND_PROGRAM = 'P',
	LEND_VARIABLE = 'E', /* NAME=VALUE */
	LEND_ARGUMENT = 'A', /* comes before the program's own ones */
};

#endif
