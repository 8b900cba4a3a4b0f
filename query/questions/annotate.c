// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "annotate": the instructions of a function, with their counts and their
 * source. The function is the pattern that every question takes; here it is required.
 *
 * The instructions that come from it are also shown where it was inlined, unless the option
 * turns that off, and the listener is warned, because these are instructions of other
 * functions. Example: square() is inlined into main() twice; the answer lists both places.
 */
#include "analysis/hot/annotate.h"

#include <string.h>

#include "base/error.h"
#include "query/query.h"
#include "query/questions.h"
#include "query/sources.h"

enum { NO_INLINE, OPTIONS };

static const struct question_option options[OPTIONS] = {
	[NO_INLINE] = { "no-inline", QUESTION_FLAG,
			"Only code of the function's own, not where it was inlined" },
};

/* Without a function every instruction of the program would be listed. */
static int settle(struct query *query, struct wm_error *err)
{
	return query->function ? 0 : wm_fail(err, WM_E_RANGE, 0, "which function?");
}

/* The columns depend on no option, but they are of the analysis, which counts them. */
static unsigned columns(const struct query *query, struct table_column *columns)
{
	(void)query;
	memcpy(columns, annotate_columns, annotate_n_columns * sizeof(*columns));
	return annotate_n_columns;
}

struct annotating {
	const struct query *query;
	struct sources sources;
};

/* The analysis opens no source files: it calls back for the text of a line. */
static const char *line_of(void *cookie, const char *path, uint32_t number)
{
	struct annotating *annotating = cookie;

	return sources_line(&annotating->sources, path, number);
}

/* The listing has code of functions that the user did not name. */
static void warn_inlined(void *cookie, const struct annotate_inlined *inlined)
{
	const struct annotating *annotating = cookie;

	if (inlined->also)
		listener_warn(
			annotating->query->listener,
			"%s is also inlined, %s: its instructions there are listed, "
			"too",
			inlined->name, inlined->places);
	else
		listener_warn(annotating->query->listener,
			      "%s is inlined %s: these are the instructions that come "
			      "from it, by the compiler's debugging information",
			      inlined->name, inlined->places);
}

/* Source files are read when a line of them is needed, and freed with the answer. */
static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	/* Not kept from question to question: a file may change in between. */
	struct annotating annotating = { query, SOURCES_INIT };
	struct annotate annotate = { .text = line_of,
				     .inlined = warn_inlined,
				     .cookie = &annotating };
	struct counts counts;
	int ret = query_count(query, &counts, &annotate.of, err);

	if (ret)
		return ret;
	annotate.of.inlined = !query_number(query, NO_INLINE);
	ret = annotate_fill(table, &annotate, err);
	/* A method's compiled code comes before its bytecode. */
	if (!ret || ret == WM_E_RANGE) {
		struct wm_error none;
		bool hinted;
		int more = annotate_methods(table, &annotate, &hinted, &none);

		/* Of two errors that with the method that may be meant. */
		if (more != WM_E_RANGE || (ret && hinted)) {
			ret = more;
			*err = none;
		}
	}
	counts_fini(&counts);
	sources_fini(&annotating.sources);
	return ret;
}

static enum question_parts parts(const struct query *query)
{
	(void)query;
	return QUESTION_COUNTED;
}

const struct question question_annotate = {
	.name = "annotate",
	.what = "The instructions of a function, with how often each ran",
	.options = options,
	.n_options = OPTIONS,
	.settle = settle,
	.columns = columns,
	.parts = parts,
	.fill = fill,
};
