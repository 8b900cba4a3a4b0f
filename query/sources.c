// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of source files. A file is read when its first line is wanted, its tabs become
 * blanks, and its lines become strings in place. Paths come from debugging information
 * and may name anything: only regular files of a bounded size are read. A failure means
 * that there is no text; it is not an error.
 */
#include "query/sources.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "program/elf/search.h"

enum { FILE_BYTES_MAX = 64 << 20, FILES_MAX = 4096 };

struct source_text {
	char *path;
	char *text;   /* NULL: none */
	char **lines; /* [n] in it */
	uint32_t n;
};

void sources_fini(struct sources *sources)
{
	for (size_t i = 0; i < sources->n; i++) {
		free(sources->files[i].path);
		free(sources->files[i].text);
		free(sources->files[i].lines);
	}
	free(sources->files);
	*sources = SOURCES_INIT;
}

/*
 * Reads a file, terminated by a NUL; NULL when it cannot be read. O_NONBLOCK and
 * O_NOCTTY, because the path may lead to a FIFO or a terminal.
 */
static char *read_all(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *text = NULL;
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < FILE_BYTES_MAX)
		text = malloc((size_t)st.st_size + 1);
	if (text)
		n = read(fd, text, (size_t)st.st_size);
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	/* A short read leaves the rest of the file out: it shrank since fstat(). */
	text[n] = 0;
	return text;
}

/* The same of a file below a folder. */
static char *read_below(const char *folder, const char *path)
{
	char at[PATH_MAX];
	int n = snprintf(at, sizeof(at), "%s%s%s", folder, *path == '/' ? "" : "/", path);

	return n < (int)sizeof(at) ? read_all(at) : NULL;
}

static char *search(const char *path)
{
	const char *folder = *path ? elf_search_folder() : NULL;
	char *text = folder ? read_below(folder, path) : NULL;

	if (!text)
		text = read_all(path);
	for (const char *end = path + 1; folder && !text && (end = strchr(end, '/'));
	     end++)
		text = read_below(folder, end);
	return text;
}

/*
 * Replaces tabs by blanks. Takes the text over, also when there is no memory (NULL). The
 * first pass counts each tab as `tab` blanks, an upper bound.
 */
static char *expand_tabs(char *text, unsigned tab)
{
	size_t n = 0, column = 0;
	char *wide;

	if (!text)
		return NULL;
	for (const char *at = text; *at; at++)
		n += *at == '\t' ? tab : 1;
	wide = malloc(n + 1);
	n = 0;
	for (const char *at = text; wide && *at; at++) {
		size_t blanks = *at == '\t' ? tab - column % tab : 0;

		memset(wide + n, ' ', blanks);
		n += blanks;
		column = *at == '\n' ? 0 : column + (blanks ? blanks : 1);
		if (!blanks)
			wide[n++] = *at;
	}
	if (wide)
		wide[n] = 0;
	free(text);
	return wide;
}

/* Newlines become NULs. Without memory `lines` is NULL and n stays 0. */
static void split(struct source_text *file)
{
	uint32_t n = 0, room = 1;

	for (const char *at = file->text; (at = strchr(at, '\n')); at++)
		room++;
	file->lines = calloc(room, sizeof(*file->lines));
	for (char *at = file->text; file->lines && at; n++) {
		file->lines[n] = at;
		at = strchr(at, '\n');
		if (at)
			*at++ = 0;
	}
	file->n = n;
}

/*
 * From the last one on: lines of one file are wanted together. A file that cannot be read
 * is remembered, so that it is tried once.
 */
static struct source_text *find(struct sources *sources, const char *path)
{
	struct source_text new = { .path = NULL }, *file;

	for (size_t i = sources->n; i-- > 0;)
		if (!strcmp(sources->files[i].path, path))
			return &sources->files[i];
	if (sources->n == FILES_MAX || !APPEND(sources->files, sources->n, new))
		return NULL;
	file = &sources->files[sources->n - 1];
	file->path = strdup(path);
	if (!file->path) {
		sources->n--;
		return NULL;
	}
	file->text = expand_tabs(search(path), sources->tab);
	if (file->text)
		split(file);
	return file;
}

const char *sources_line(struct sources *sources, const char *path, uint32_t number)
{
	const struct source_text *file = find(sources, path);

	return file && number && number <= file->n ? file->lines[number - 1] : NULL;
}
