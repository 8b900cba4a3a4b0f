// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a terminal shows of a running query: warnings, each once per process, and a line
 * of progress. Two traces of one program lack the same files, so the same sentence would
 * otherwise appear twice.
 */
#include "cli/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/clock.h"
#include "cli/fail.h"

static void warn_once(void *cookie, const char *sentence)
{
	static char **printed;
	static size_t n_printed;
	char *copy;

	(void)cookie;
	for (size_t i = 0; i < n_printed; i++)
		if (!strcmp(printed[i], sentence))
			return;
	copy = strdup(sentence);
	/*
	 * Without memory the sentence is printed and not remembered: a repetition is
	 * harmless.
	 */
	if (!copy || !APPEND(printed, n_printed, copy))
		free(copy);
	remark("%s", sentence);
}

static void show_progress(void *cookie, uint64_t done, uint64_t of)
{
	struct watch *watch = cookie;

	progress_part(&watch->progress, clock_ns() - watch->begin_ns, done, of);
}

const struct listener watch_warnings = { .warn = warn_once };

void watch_init(struct watch *watch)
{
	watch->listener = (struct listener){ warn_once, show_progress, watch };
	watch->begin_ns = clock_ns();
	progress_init(&watch->progress);
}

void watch_end(struct watch *watch)
{
	progress_fini(&watch->progress);
}
