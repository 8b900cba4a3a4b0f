// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of questions, and asking one in a single call. A query is some kilobytes, for
 * it holds the columns of its answer, so it lives on the heap: a thread of a caller may
 * have a small stack.
 */
#include "query/question.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "query/query.h"
#include "query/questions.h"

enum { OPTION_MAX = 64 };

const struct question *const questions[] = {
	&question_hot,	 &question_annotate, &question_cover,
	&question_mix,	 &question_cfg,	     &question_phases,
	&question_calls, &question_marks,    NULL,
};

const struct question *question_find(const char *name)
{
	for (unsigned i = 0; questions[i]; i++)
		if (!strcmp(questions[i]->name, name))
			return questions[i];
	return NULL;
}

/* Sets "NAME=VALUE"; a flag may be its name alone. */
static int set_option(struct query *query, const char *option, struct wm_error *err)
{
	size_t length = strcspn(option, "=");
	char name[OPTION_MAX];

	if (length >= sizeof(name))
		length = sizeof(name) - 1;
	memcpy(name, option, length);
	name[length] = 0;
	return query_set(query, name, option[length] == '=' ? option + length + 1 : "",
			 NULL, err);
}

static int answer(struct query *query, const struct wm_trace *trace,
		  struct table_sink *sink, struct wm_error *err)
{
	int ret = query_settle(query, err);

	if (!ret)
		ret = query_open_trace(query, trace, err);
	if (ret)
		return ret;
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
	int ret = 0;

	if (!question)
		return wm_fail(err, WM_E_RANGE, 0, "there is no question \"%.40s\"",
			       name);
	query = malloc(
		sizeof(*query)); /* some kilobytes: a caller's stack may be small */
	if (!query)
		return wm_fail_nomem(err, "a query");
	query_init(query, question, listener);
	for (; options && *options && !ret; options++)
		ret = set_option(query, *options, err);
	if (!ret)
		ret = answer(query, trace, sink, err);
	query_fini(query);
	free(query);
	return ret;
}
