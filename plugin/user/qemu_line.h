// SPDX-License-Identifier: GPL-2.0-or-later
/* How QEMU was started: its program, its options, and what it does at its end because of them. */
#ifndef PLUGIN_USER_QEMU_LINE_H
#define PLUGIN_USER_QEMU_LINE_H

#include <limits.h>
#include <stdbool.h>

/* In the name of our plugin's file, and of no other plugin's. */
#define QEMU_LINE_OURS "libwaymark-v"

struct qemu_line {
	char qemu[PATH_MAX];   /* the file */
	char plugin[PATH_MAX]; /* our own file */
	char *program;	       /* the guest's, as it was given; "" when QEMU has none */
	char **words;	       /* [count]: QEMU and its options, for programs to come */
	unsigned count;
	unsigned own_value; /* which of them is our own plugin's value; 0: none */
	/*
	 * Nobody but us hears from QEMU that the guest ends: no gdb, no log of system calls, no
	 * other plugin, no option that is not known here.
	 */
	bool ends_unheard;
};

/*
 * Reads it from /proc/self, once. memory: the path of the shared memory, for the plugin of
 * programs to come. NULL when that failed; else the result lives as long as the process.
 */
const struct qemu_line *qemu_line_read(const char *memory);

#endif
