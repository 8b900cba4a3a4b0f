/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which programs get which guide when execve() begins them, and what that adds to them: a text in the
 * shared memory. It is no argument of the plugin's, because a guest's pgrep -f would find all those
 * names in each process. It has lines of a kind, one character, and a text; each guide's begin with
 * its name and its folder. A guide may come several times, with other programs. No text has a comma,
 * at which QEMU's option -E divides, or a newline.
 *
 * Example: "Gcpython\nF/usr/lib/waymark/guides/cpython\nNpython3.13\nELD_PRELOAD=/usr/lib/...".
 */
#ifndef FORMAT_LEND_H
#define FORMAT_LEND_H

#define GUIDE_NAME_BYTES 32 /* with the NUL */
#define LENDS_BYTES 65536   /* with the NUL */

enum lend_kind {
	LEND_GUIDE = 'G',
	LEND_FOLDER = 'F',  /* with the guide's files, which the process has to reach */
	LEND_PROGRAM = 'P', /* a file that it is for, whatever its name */
	LEND_NAME =
		'N', /* a pattern of fnmatch(3) for names of such files, or of what they link to */
	LEND_FETCHES = 'B',  /* without a text: bytecodes that it fetches are recorded */
	LEND_VARIABLE = 'E', /* NAME=VALUE */
	LEND_ARGUMENT = 'A', /* comes before the program's own ones */
};

#endif
