// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file is where the XDG base directory specification puts what a program remembers of its
 * use: $XDG_STATE_HOME/waymark/sql_history, by default below ~/.local/state. Only its user may
 * read it, because statements can hold anything. It has LINES_MAX lines at most. Of two shells
 * the one that ends last decides what is kept.
 *
 * Without a home folder, or when it cannot be written, there is a history of this shell only.
 */
#include "cli/sql/history.h"

#include "base/folders.h"

#include <editline/readline.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINES_MAX = 2000, FILE_BYTES_MAX = 4 << 20 };

/* False: there is no place for it, or the path is too long. */
static bool find(char path[PATH_MAX])
{
	const char *home = getenv("HOME"), *state = getenv("XDG_STATE_HOME");
	int n = -1;

	/* A relative path is to be ignored, as the specification says. */
	if (state && *state == '/')
		n = snprintf(path, PATH_MAX, "%s/waymark/sql_history", state);
	else if (home && *home)
		n = snprintf(path, PATH_MAX, "%s/.local/state/waymark/sql_history", home);
	return n >= 0 && n < PATH_MAX;
}

/* Whatever else may be there, such as a pipe, could keep the shell waiting. */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < FILE_BYTES_MAX;
}

void history_load(void)
{
	char path[PATH_MAX];

	stifle_history(LINES_MAX);
	if (find(path) && is_file(path))
		read_history(path);
}

void history_add(const char *line)
{
	HIST_ENTRY *last =
		history_length ? history_get(history_base + history_length - 1) : NULL;

	if (*line && (!last || strcmp(last->line, line) != 0))
		add_history(line);
}

void history_keep(void)
{
	char path[PATH_MAX];
	struct stat st;
	mode_t mask;

	if (!find(path) || !history_length)
		return;
	folders_make(path, 0700);
	/* Nothing, or the file of an earlier shell. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return;
	mask = umask(077);
	write_history(path);
	umask(mask);
}
