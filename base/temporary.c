// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is kept there may be gigabytes, so users can choose where. The file is unlinked before
 * anything is written: there is nothing to clean up, whatever ends the process.
 */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

int temporary_open(struct wm_error *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	if (snprintf(path, sizeof(path), "%s/waymark-XXXXXX", dir) >= (int)sizeof(path))
		return wm_fail(err, WM_E_OUTPUT, 0, "the path in TMPDIR is too long");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "cannot make a temporary file in %s: %s", dir,
			       strerror(errno));
	unlink(path);
	return fd;
}
