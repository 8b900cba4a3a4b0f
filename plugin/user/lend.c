// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program has a guide by its name, or by that of the file that it is a link to, as in
 * cli/record/guides.c. One that the user asked for by the guide's name is compared as a file: a
 * script begins it by another path.
 */
#include "plugin/user/lend.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *lines, *lines_end; /* each ends in a NUL; NULL: nothing is lent */

void lend_init(const char text[static LENDS_BYTES])
{
	lines = *text ? strndup(text, LENDS_BYTES - 1) : NULL;
	if (!lines)
		return;
	lines_end = lines + strlen(lines);
	for (char *at = lines; at < lines_end; at++)
		if (*at == '\n')
			*at = 0;
}

/* The line behind that of an item; NULL: it was the last. */
static const char *behind(const char *item)
{
	const char *line = item + strlen(item) + 1;

	return line < lines_end ? line : NULL;
}

const char *lend_next(enum lend_kind kind, const char *item)
{
	for (const char *line = behind(item); line && *line != LEND_GUIDE;
	     line = behind(line))
		if (*line == (char)kind)
			return line + 1;
	return NULL;
}

static bool is_same(const char *program, const char *path)
{
	struct stat own, other;

	return !stat(program, &own) && !stat(path, &other) &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

static bool has_name(const char *pattern, const char *path)
{
	const char *slash = strrchr(path, '/');

	return !fnmatch(pattern, slash ? slash + 1 : path, 0);
}

static bool is_for(const char *guide, const char *path, const char *target)
{
	const char *folder = lend_next(LEND_FOLDER, guide), *item = guide;

	/* By now the process may have another root directory and fewer rights. */
	if (!folder || faccessat(AT_FDCWD, folder, R_OK | X_OK, AT_EACCESS))
		return false;
	while ((item = lend_next(LEND_PROGRAM, item)))
		if (is_same(item, path))
			return true;
	item = guide;
	while ((item = lend_next(LEND_NAME, item)))
		if (has_name(item, path) || has_name(item, target))
			return true;
	return false;
}

const char *lend_for(const char *path)
{
	char target[PATH_MAX];

	if (!lines || !realpath(path, target))
		return NULL;
	for (const char *line = lines; line; line = behind(line))
		if (*line == LEND_GUIDE && is_for(line + 1, path, target))
			return line + 1;
	return NULL;
}
