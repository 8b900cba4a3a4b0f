// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file is compared, and not its name: "python3" is python3.13, and a script begins it by
 * another path.
 */
#include "plugin/user/lend.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *whole;		/* as it came; NULL: nothing is lent */
static char *lines, *lines_end; /* each ends in a NUL */

void lend_init(const char *text)
{
	whole = text ? strdup(text) : NULL;
	lines = whole ? strdup(text) : NULL;
	if (!lines)
		return;
	lines_end = lines + strlen(lines);
	for (char *at = lines; at < lines_end; at++)
		if (*at == '\n')
			*at = 0;
}

const char *lend_text(void)
{
	return whole ? whole : "";
}

const char *lend_next(enum lend_kind kind, const char *item)
{
	const char *at = item ? item + strlen(item) + 1 : lines;

	for (; lines && at < lines_end; at += strlen(at) + 1)
		if (*at == (char)kind)
			return at + 1;
	return NULL;
}

bool lend_is_for(const char *path)
{
	const char *program = lend_next(LEND_PROGRAM, NULL);
	const char *folder = lend_next(LEND_FOLDER, NULL);
	struct stat own, other;

	/* By now the process may have another root directory and fewer rights. */
	return program && folder && !access(folder, R_OK | X_OK) &&
	       !stat(program, &own) && !stat(path, &other) &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}
