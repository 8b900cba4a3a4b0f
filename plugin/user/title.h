/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process's short name, by which ps, pgrep and killall know it: that of the file executed. */
#ifndef PLUGIN_USER_TITLE_H
#define PLUGIN_USER_TITLE_H

enum {
	TITLE_BYTES = 16,		/* Linux's, with the NUL */
	TITLE_HEX = 2 * TITLE_BYTES - 1 /* of the digits, with the NUL */
};

/* Writes the name of a process that executes the file, in hexadecimal. */
void title_write(char hex[TITLE_HEX], const char *file);
/* Gives this process such a name; NULL: it keeps the one that it has. */
void title_take(const char *hex);

#endif
