// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several traces in parts. A part has whole traces: its bytes are their rows, which are added in
 * the order of the traces by whoever has all of them. So a trace is opened for its answer by one
 * part only; the merge opens it to see that it still is what it was.
 */
#include <stdint.h>

#include "base/error.h"
#include "query/answers.h"
#include "query/several.h"

struct sharing {
	struct several *several;
	const struct several_traces *traces;
};

static int compute(void *cookie, uint32_t number, uint32_t parts, struct buf *out,
		   struct wm_error *err)
{
	const struct sharing *sharing = cookie;

	return several_put_part(sharing->several, sharing->traces, number, parts, out,
				err);
}

static int merge(void *cookie, struct span a, struct span b, struct buf *out,
		 struct wm_error *err)
{
	(void)cookie;
	return answers_merge(a, b, out, err);
}

/* Afterwards the query's scope names the trace, for the sentence of an error. */
static int check_trace(const struct sharing *sharing, const struct answers_entry *entry,
		       uint64_t number, struct wm_error *err)
{
	const char **file = &sharing->several->query->scope.file;

	if (entry->number != number)
		return wm_fail(err, WM_E_FORMAT, 0, "a part's answers are malformed");
	*file = sharing->traces->files[number];
	return answers_check_trace(entry, *file, err);
}

static int add(const struct sharing *sharing, const struct answers_entry *entry,
	       struct wm_error *err)
{
	struct several *several = sharing->several;
	struct answer answer;
	int ret;

	answer_init(&answer, several->asked, several->n);
	ret = answer_get(&answer, entry->bytes, err);
	if (!ret)
		ret = several_take(several, &answer,
				   sharing->traces->files[entry->number], err);
	if (!ret)
		answer_tell(&answer, several->query->listener);
	answer_fini(&answer);
	return ret;
}

/* All numbers are there once: the parts are complete. */
static int finish(void *cookie, struct span whole, struct wm_error *err)
{
	const struct sharing *sharing = cookie;
	struct answers_entry entry;
	int ret = 0;

	for (uint64_t i = 0; !ret && i < sharing->traces->n; i++) {
		ret = answers_next(&whole, &entry, err);
		if (ret == WM_END)
			ret = wm_fail(err, WM_E_FORMAT, 0,
				      "a part's answers are malformed");
		if (!ret)
			ret = check_trace(sharing, &entry, i, err);
		if (!ret)
			ret = add(sharing, &entry, err);
	}
	return ret;
}

static int here(void *cookie, struct wm_error *err)
{
	const struct sharing *sharing = cookie;

	return several_ask_all(sharing->several, sharing->traces, err);
}

int several_share(struct several *several, const struct several_traces *traces,
		  struct share *share, struct wm_error *err)
{
	struct sharing sharing = { several, traces };
	const struct share_work work = { compute, merge, finish, here, &sharing, true };

	/* The traces are compared one by one; as a whole it is their number that must fit. */
	return share_run(share, &work, traces->n, err);
}
