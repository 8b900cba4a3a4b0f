// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list of files, searched from its end on: the programs of many traces have some tens of
 * files between them, and a file is looked for once in a trace. Nothing is removed. What is
 * kept is bounded by KEPT_BYTES: the files that come first are kept, those after are read
 * in every trace, as without this.
 *
 * Callers get copies, because each adds names to its own (symtab_merge()).
 */
#include "program/known.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"

enum { KEPT_BYTES = 32 << 20 };

struct known {
	char *build_id;
	struct symtab names;
};

static struct known *known; /* [n_known] */
static size_t n_known, known_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *copy_of(const void *bytes, size_t n)
{
	void *copy = malloc(n + 1);

	if (copy && n)
		memcpy(copy, bytes, n);
	return copy;
}

static bool copy(struct symtab *to, const struct symtab *from)
{
	*to = SYMTAB_INIT;
	to->n_segments = from->n_segments;
	to->n_ranges = from->n_ranges;
	to->segments =
		copy_of(from->segments, from->n_segments * sizeof(*from->segments));
	to->ranges = copy_of(from->ranges, from->n_ranges * sizeof(*from->ranges));
	buf_put(&to->names, from->names.data, from->names.len);
	if (to->segments && to->ranges && !to->names.failed)
		return true;
	symtab_fini(to);
	return false;
}

static const struct known *find(const char *build_id)
{
	for (size_t i = n_known; i-- > 0;)
		if (!strcmp(known[i].build_id, build_id))
			return &known[i];
	return NULL;
}

bool known_names_get(struct symtab *names, const char *build_id)
{
	const struct known *found;
	bool good;

	pthread_mutex_lock(&lock);
	found = *build_id ? find(build_id) : NULL;
	good = found && copy(names, &found->names);
	pthread_mutex_unlock(&lock);
	return good;
}

static size_t bytes_of(const struct symtab *names)
{
	return names->names.len + names->n_ranges * sizeof(*names->ranges);
}

/* With the lock held. Without memory the file is read again next time. */
static void add(const struct symtab *names, const char *build_id)
{
	struct known new = { .build_id = strdup(build_id) };

	if (new.build_id && copy(&new.names, names)) {
		if (APPEND(known, n_known, new)) {
			known_bytes += bytes_of(names);
			return;
		}
		symtab_fini(&new.names);
	}
	free(new.build_id);
}

void known_names_put(const struct symtab *names, const char *build_id)
{
	pthread_mutex_lock(&lock);
	if (*build_id && known_bytes + bytes_of(names) <= KEPT_BYTES && !find(build_id))
		add(names, build_id);
	pthread_mutex_unlock(&lock);
}
