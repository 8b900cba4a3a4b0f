// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel names a process by the last part of the path that is executed. That is QEMU's when
 * the guest's execve() becomes one of QEMU, and the guest's own where binfmt_misc starts QEMU. A
 * guest that looks for a process by name, as pkill does, would not find it. So the plugin's argument
 * name=HEX has the name, and the plugin sets it before the program runs. It is in hexadecimal, because
 * commas separate a plugin's arguments.
 *
 * Example: "/usr/bin/sleep" is 736c656570, and a script "./all" is 616c6c, whoever interprets it.
 */
#include "plugin/user/title.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

void title_write(char hex[TITLE_HEX], const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	*hex = 0;
	for (size_t i = 0; i < TITLE_BYTES - 1 && name[i]; i++)
		hex += sprintf(hex, "%02x", (unsigned char)name[i]);
}

void title_take(const char *hex)
{
	char name[TITLE_BYTES] = "";
	unsigned digits;

	if (!hex)
		return;
	for (size_t i = 0; i < TITLE_BYTES - 1; i++, hex += 2) {
		if (sscanf(hex, "%2x", &digits) != 1)
			break;
		name[i] = (char)digits;
	}
	prctl(PR_SET_NAME, name);
}
