// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query/question: every question asked without a command gives the rows that the command
 * prints as CSV, on traces of every format there was (tests/golden).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/table_writer.h"
#include "query/question.h"

enum { OPTIONS = 6 };

static const char *const files[] = { "v1.wmk", "v2.wmk", "v3.wmk" };
enum { FILES = sizeof(files) / sizeof(*files) };

static struct wm_trace *trace;
static char path[4096];

static void open_file(unsigned i)
{
	const char *source = getenv("SRC");
	struct wm_error err;

	if (trace)
		wm_trace_close(trace);
	snprintf(path, sizeof(path), "%s/tests/golden/%s", source ? source : ".",
		 files[i]);
	if (wm_trace_open(&trace, path, &err))
		fail_msg("%s", err.text);
}

/* The same question both ways. */
struct twice {
	const char *name, *options[OPTIONS];
	const char *command; /* after `waymark NAME FILE --format csv` */
};

static const struct twice questions_asked[] = {
	{ "hot", { NULL }, "" },
	{ "hot", { "by=block", "rows=7" }, "-b block -n 7" },
	{ "hot",
	  { "by=line", "sort=line", "fields=line,insns,cumulative" },
	  "-b line -s line -f line,insns,cumulative" },
	{ "hot", { "by=loop", "function=*a*", "jobs=1" }, "-b loop --function '*a*' -j1" },
	{ "hot", { "from=100", "to=0x1000" }, "--from 100 --to 0x1000" },
	{ "annotate", { "function=*" }, NULL },
	/* Not the column `first`: an open trace has no name to be called by. */
	{ "cover",
	  { "by=function", "fields=function,executions" },
	  "-b function -f function,executions" },
	{ "cover",
	  { "first=yes", "fields=executions,line" },
	  "--first -f executions,line" },
	{ "cover",
	  { "by=branch", "rows=20", "fields=offset,taken,not_taken" },
	  "-b branch -n 20 -f offset,taken,not_taken" },
	{ "mix", { NULL }, "" },
	{ "mix", { "by=size", "per=function" }, "--by size --per function" },
	{ "mix", { "by=register" }, "--by register" },
	{ "mix", { "interval=1k" }, "--interval 1k" },
	{ "cfg", { "trips" }, "--loops --trips" },
	{ "cfg", { "sort=header" }, "--loops -s header" },
	{ "phases", { "interval=1000", "phases=3" }, "--interval 1000 --phases 3" },
	{ "calls", { "thread=0" }, "--thread 0" },
	{ "calls", { "by=graph" }, "--graph" },
	{ "calls", { "by=tree", "calls=25", "depth=3" }, "--tree -n 25 -D 3" },
	{ "calls",
	  { "by=tree", "filter=main", "notrace=*printf*" },
	  "--tree -F main -N '*printf*'" },
	{ "marks", { NULL }, "" },
	{ "bpred", { NULL }, "" },
	{ "bpred",
	  { "by=branch", "predictor=gshare,history=5", "btb=ways=2", "returns=3" },
	  "-b branch --predictor gshare,history=5 --btb ways=2 --returns 3" },
	{ "marks", { "by=id" }, "--summary" },
};

static char *rows_of(const struct twice *twice)
{
	struct table_writer writer;
	struct wm_error err;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	table_writer_init(&writer, TABLE_AS_CSV, out, false);
	if (question_ask(twice->name, trace, twice->options, NULL, &writer.sink, &err))
		fail_msg("%s %s: %s", twice->name, twice->options[0], err.text);
	table_writer_fini(&writer);
	fclose(out);
	return text;
}

static char *output_of(const struct twice *twice)
{
	bool is_pattern = !twice->command; /* annotate has its function first */
	char command[9000];
	char *text = calloc(1, 1 << 22);
	FILE *pipe;
	size_t bytes;

	assert_non_null(text);
	snprintf(command, sizeof(command), "%s %s %s %s %s --format csv 2>/dev/null",
		 getenv("WAYMARK"), twice->name, is_pattern ? "'*'" : "", path,
		 is_pattern ? "" : twice->command);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	bytes = fread(text, 1, (1 << 22) - 1, pipe);
	assert_true(bytes > 0);
	assert_int_equal(pclose(pipe), 0);
	return text;
}

static void compare_all(void)
{
	size_t n = sizeof(questions_asked) / sizeof(*questions_asked);

	for (size_t i = 0; i < n; i++) {
		char *rows = rows_of(&questions_asked[i]);
		char *output = output_of(&questions_asked[i]);

		if (strcmp(rows, output) != 0)
			fail_msg("%s %s\n%s\n--- the command:\n%s",
				 questions_asked[i].name, questions_asked[i].options[0],
				 rows, output);
		free(output);
		free(rows);
	}
}

static void test_same_as_commands(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FILES; i++) {
		open_file(i);
		compare_all();
	}
}

/* Blocks and edges, which the command has in JSON alone: what comes in goes out. */
static void test_graph_adds_up(void **state)
{
	static const struct twice blocks = {
		"cfg", { "by=block", "fields=executions,insns", "sort=insns" }, NULL
	};
	static const struct twice edges = { "cfg", { "by=edge", "fields=count" }, NULL };
	uint64_t executions = 0, counts = 0;
	char *rows = rows_of(&blocks), *rest = strchr(rows, '\n');

	(void)state;
	for (; rest && rest[1]; rest = strchr(rest + 1, '\n'))
		executions += strtoull(rest + 1, NULL, 10);
	free(rows);
	rows = rows_of(&edges);
	for (rest = strchr(rows, '\n'); rest && rest[1]; rest = strchr(rest + 1, '\n'))
		counts += strtoull(rest + 1, NULL, 10);
	free(rows);
	/* Each execution but a thread's first was come to by an edge. */
	assert_true(executions > counts);
	assert_true(executions - counts < 100);
}

static void test_all_are_asked(void **state)
{
	(void)state;
	for (unsigned i = 0; questions[i]; i++) {
		bool asked = false;

		for (size_t j = 0; j < sizeof(questions_asked) / sizeof(*questions_asked);
		     j++)
			asked |= !strcmp(questions_asked[j].name, questions[i]->name);
		assert_true(asked);
		assert_ptr_equal(question_find(questions[i]->name), questions[i]);
		assert_true(questions[i]->n_options <= QUESTION_OPTIONS_MAX);
	}
}

static void refuse(const char *name, const char *option, const char *why)
{
	const char *options[] = { option, NULL };
	struct table_writer writer;
	struct wm_error err;

	/* Nothing is written: a stream that is NULL would be noticed. */
	table_writer_init(&writer, TABLE_AS_CSV, NULL, false);
	assert_int_equal(question_ask(name, trace, options, NULL, &writer.sink, &err),
			 WM_E_RANGE);
	assert_string_equal(err.text, why);
	table_writer_fini(&writer);
}

static void test_refusals(void **state)
{
	(void)state;
	refuse("warm", NULL, "there is no question \"warm\"");
	refuse("hot", "by=heat", "by takes function, block, line or loop, not \"heat\"");
	refuse("hot", "bye=heat", "hot has no option \"bye\"");
	refuse("mix", "interval=0", "interval takes a number from 1 on, not \"0\"");
	refuse("hot", "jobs=0", "jobs takes a number from 1 to 1024, not \"0\"");
	refuse("cover", "first=perhaps", "first takes yes or no, not \"perhaps\"");
	refuse("calls", "depth=3", "depth, filter and notrace are for by=tree");
	refuse("phases", "function=main",
	       "phases are of a thread: they take no function");
	refuse("annotate", NULL, "which function?");
	refuse("annotate", "function=no_such_function_ran",
	       "no function \"no_such_function_ran\" ran");
}

static void count_warning(void *cookie, const char *sentence)
{
	assert_non_null(sentence);
	++*(unsigned *)cookie;
}

/* Files that the trace was made of are not here: that is said, and no error. */
static void test_warnings(void **state)
{
	static const char *const options[] = { "by=line", NULL };
	unsigned warnings = 0;
	struct listener listener = { .warn = count_warning, .cookie = &warnings };
	struct table_writer writer;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	open_file(0);
	table_writer_init(&writer, TABLE_AS_JSON, out, false);
	assert_int_equal(
		question_ask("hot", trace, options, &listener, &writer.sink, NULL), 0);
	table_writer_fini(&writer);
	fclose(out);
	free(text);
	assert_true(warnings > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_commands),
		cmocka_unit_test(test_graph_adds_up),
		cmocka_unit_test(test_all_are_asked),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_warnings),
	};
	int failed = cmocka_run_group_tests_name("question", tests, NULL, NULL);

	wm_trace_close(trace);
	return failed;
}
