// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of questions, and a call that asks one from begin to end, for programs that
 * use the library. A query takes some kilobytes, because it holds the columns of its
 * answer, so it is on the heap: the caller may be a thread with a small stack.
 */
#include "query/question.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "query/query.h"
#include "query/questions.h"

/* The longest name of an option; a longer one is unknown anyway. */
enum { OPTION_MAX = 64 };

/* In the order in which help and the manual list them: the most common first. */
const struct question *const questions[] = {
	&question_hot,
	&question_annotate,
	&question_cover,
	&question_mix,
	&question_cfg,
	&question_phases,
	&question_calls,
	&question_marks,
	&question_bpred,
	&question_insns,
	&question_blocks,
	&question_events,
	&question_boot,
	&question_diff,
	&question_mem,
	&question_cache,
	NULL,
};

const struct question *question_find(const char *name)
{
	for (unsigned i = 0; questions[i]; i++)
		if (!strcmp(questions[i]->name, name))
			return questions[i];
	return NULL;
}

static int no_question(const char *name, struct wm_error *err)
{
	const char *words[sizeof(questions) / sizeof(*questions)];
	char near[NEAREST_HINT];
	unsigned n = 0;

	for (; questions[n]; n++)
		words[n] = questions[n]->name;
	return wm_fail(err, WM_E_RANGE, 0, "there is no question \"%.40s\"%s", name,
		       nearest_hint(near, name, words, n));
}

/* Sets "NAME=VALUE". A flag may be given by its name alone. */
static int set_option(struct query *query, const char *option, struct wm_error *err)
{
	size_t length = strcspn(option, "=");
	char name[OPTION_MAX];

	/* Cut, it is longer than any known name, so it is refused as unknown. */
	if (length >= sizeof(name))
		length = sizeof(name) - 1;
	memcpy(name, option, length);
	name[length] = 0;
	return query_set(query, name, option[length] == '=' ? option + length + 1 : "",
			 NULL, err);
}

/* The trace is the caller's, so errors of options come before any work on it. */
static int answer(struct query *query, const struct wm_trace *trace,
		  struct table_sink *sink, struct wm_error *err)
{
	int ret = query_settle(query, err);

	if (!ret)
		ret = query_open_trace(query, trace, err);
	if (ret)
		return ret;
	/* query_open_trace() has left nothing open when it fails. */
	ret = query_ask(query, sink, err);
	query_close(query);
	return ret;
}

int question_ask(const char *name, const struct wm_trace *trace,
		 const char *const *options, const struct listener *listener,
		 struct table_sink *sink, struct wm_error *err)
{
	const struct question *question = question_find(name);
	struct query *query;
	/*
	 * Errors of the question's name and of its options come before any work on the
	 * trace.
	 */
	int ret = 0;

	if (!question)
		return no_question(name, err);
	query = malloc(sizeof(*query));
	if (!query)
		return wm_fail_nomem(err, "a query");
	query_init(query, question, listener);
	/* Options are set in their order, so the last of two wins. */
	for (; options && *options && !ret; options++)
		ret = set_option(query, *options, err);
	if (!ret)
		ret = answer(query, trace, sink, err);
	query_fini(query);
	free(query);
	return ret;
}

enum question_parts question_parts(const struct query *query)
{
	const struct question *question = query->question;

	if (!question)
		return QUESTION_WHOLE;
	return question->parts ? question->parts(query) : QUESTION_RETRACED;
}

bool question_is_undivided(const struct query *query)
{
	enum question_parts parts = question_parts(query);

	return parts == QUESTION_WHOLE || parts == QUESTION_JOINT;
}
