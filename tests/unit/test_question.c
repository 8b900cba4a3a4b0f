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
#include "valued.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

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
		 files[(i + 1) % FILES]);
	setenv("OTHER", path, 1);
	snprintf(path, sizeof(path), "%s/tests/golden/%s", source ? source : ".",
		 files[i]);
	if (wm_trace_open(&trace, path, &err))
		fail_msg("%s", err.text);
}

/* The same question both ways. */
struct twice {
	const char *name, *options[OPTIONS];
	const char *command; /* after `waymark NAME FILE --format csv` */
	bool unquoted;	     /* the command has quotes where no CSV needs them */
};

static const struct twice questions_asked[] = {
	{ "hot", { NULL }, "" },
	{ "hot", { "by=block", "rows=7" }, "-b block -n 7" },
	{ "hot",
	  { "by=line", "sort=line", "fields=line,insns,cumulative" },
	  "-b line -s line -f line,insns,cumulative" },
	{ "hot", { "by=loop", "function=*a*", "jobs=1" }, "-b loop --function '*a*' -j1" },
	{ "hot", { "from=100", "to=4k" }, "--from 100 --to 4k" },
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
	{ "insns", { "rows=4000" }, "--interleave -n 4000", true },
	{ "insns",
	  { "thread=0", "from=10", "to=200",
	    "fields=ordinal,address,symbol,offset,code,disassembly" },
	  "--thread 0 --from 10 --to 200",
	  true },
	{ "blocks", { "rows=1000" }, "--interleave -n 1000", true },
	{ "blocks",
	  { "thread=0", "from=5", "to=60",
	    "fields=ordinal,block,address,symbol,offset,insns,bytes,last" },
	  "--thread 0 --from 5 --to 60",
	  true },
	/* The command's threads and texts are written in another way. */
	{ "events", { "fields=block,insn,ns,event" }, "--format csv | cut -d, -f2-5 #" },
	{ "events",
	  { "only=write,exit*", "fields=block,insn,ns,event" },
	  "--only 'write,exit*' --format csv | cut -d, -f2-5 #" },
	/* A trace and itself. */
	{ "diff",
	  { "by=function", "with=" },
	  "\"$OTHER\" --by function -n 9999 --format csv; true #" },
	{ "diff",
	  { "by=size", "with=", "thread=0" },
	  "\"$OTHER\" --by size --thread 0 --format csv; true #" },
};

/* On a trace with accesses of memory. */
static const struct twice accesses_asked[] = {
	{ "mem", { "rows=500" }, "-n 500" },
	{ "mem",
	  { "watch=0x7000000,900", "thread=0" },
	  "--watch 0x7000000,900 --thread 0" },
	{ "mem", { "last-writer=0x7000000" }, "--last-writer 0x7000000" },
	{ "mem", { "by=function", "jobs=1" }, "--by function -j1" },
	{ "mem", { "by=page", "sort=page", "from=100" }, "--by page -s page --from 100" },
	{ "mem", { "working-set", "interval=500" }, "--working-set --interval 500" },
	{ "mem", { "interval=900" }, "--interval 900" },
	{ "mem", { "reuse=yes" }, "--reuse" },
	{ "cache", { NULL }, "" },
	{ "cache",
	  { "by=level", "l1d=4k,2,64", "l2=none", "to=4000" },
	  "--by level --l1d 4k,2,64 --l2 none --to 4000" },
	{ "cache", { "interval=1000" }, "--interval 1000" },
};

/* "with=" names another file than the one that is open. */
static void complete(const char **options, const char *const *of)
{
	static char with[4096 + 8];

	for (unsigned i = 0; i < OPTIONS; i++) {
		snprintf(with, sizeof(with), "with=%s", getenv("OTHER"));
		options[i] = of[i] && !strcmp(of[i], "with=") ? with : of[i];
	}
}

static char *rows_of(const struct twice *twice)
{
	const char *options[OPTIONS];
	struct table_writer writer;
	struct wm_error err;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	table_writer_init(&writer, TABLE_AS_CSV, out, false);
	complete(options, twice->options);
	if (question_ask(twice->name, trace, options, NULL, &writer.sink, &err))
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

static void unquote(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != '"')
			*to++ = *text;
	*to = 0;
}

static void compare_all(const struct twice *asked, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *rows = rows_of(&asked[i]);
		char *output = output_of(&asked[i]);

		if (asked[i].unquoted) {
			unquote(rows);
			unquote(output);
		}
		if (strcmp(rows, output) != 0)
			fail_msg("%s %s\n%s\n--- the command:\n%s", asked[i].name,
				 asked[i].options[0], rows, output);
		free(output);
		free(rows);
	}
}

static void test_same_as_commands(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FILES; i++) {
		open_file(i);
		compare_all(questions_asked, LENGTH(questions_asked));
	}
}

static void test_accesses_same_as_commands(void **state)
{
	static struct valued valued;

	(void)state;
	wm_trace_close(trace);
	snprintf(path, sizeof(path), "accesses.wmk");
	valued_open(&valued, path);
	for (unsigned i = 0; i < 6; i++)
		valued_chunk(&valued, i % 2, 400, true);
	valued_close(&valued);
	valued_fini(&valued);
	trace = sample_trace(path);
	compare_all(accesses_asked, LENGTH(accesses_asked));
	open_file(0);
}

static const struct twice boot_asked[] = { { "boot", { NULL }, "" } };

/* Of a machine, which tests/unit/make_trace.c writes. */
static void test_boot_same_as_command(void **state)
{
	char command[9000];

	(void)state;
	wm_trace_close(trace);
	snprintf(path, sizeof(path), "machine.wmk");
	snprintf(command, sizeof(command),
		 "\"$(dirname \"$WAYMARK\")\"/tests/unit/make_trace %s machine", path);
	assert_int_equal(system(command), 0);
	trace = sample_trace(path);
	compare_all(boot_asked, LENGTH(boot_asked));
	open_file(0);
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

/* The number in the first row of one column. */
static uint64_t number_of(const char *name, const char *by, const char *field)
{
	const struct twice asked = {
		name, { by, "with=", "thread=0", field, "sort=a_insns" }, NULL, false
	};
	char *rows = rows_of(&asked), *row = strchr(rows, '\n');
	uint64_t number = row ? strtoull(row + 1, NULL, 10) : 0;

	free(rows);
	return number;
}

/* What a pair has in common and not adds up, and so do its divergences. */
static void test_ways_add_up(void **state)
{
	static const struct twice ways = {
		"diff", { "with=", "thread=0", "fields=a_insns" }, NULL, false
	};
	uint64_t only = 0;
	char *rows = rows_of(&ways), *rest = strchr(rows, '\n');

	(void)state;
	for (; rest && rest[1]; rest = strchr(rest + 1, '\n'))
		only += strtoull(rest + 1, NULL, 10);
	free(rows);
	assert_int_equal(number_of("diff", "by=thread", "fields=a_only"), only);
	assert_int_equal(number_of("diff", "by=thread", "fields=common") + only +
				 number_of("diff", "by=thread", "fields=a_not_compared"),
			 number_of("diff", "by=thread", "fields=a_insns"));
	assert_true(only > 0);
}

static void test_all_are_asked(void **state)
{
	(void)state;
	for (unsigned i = 0; questions[i]; i++) {
		bool asked = false;

		for (size_t j = 0; j < LENGTH(questions_asked); j++)
			asked |= !strcmp(questions_asked[j].name, questions[i]->name);
		for (size_t j = 0; j < LENGTH(accesses_asked); j++)
			asked |= !strcmp(accesses_asked[j].name, questions[i]->name);
		asked |= !strcmp(boot_asked[0].name, questions[i]->name);
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
	refuse("hott", NULL, "there is no question \"hott\"; did you mean \"hot\"?");
	refuse("diff", NULL, "with which trace?");
	refuse("events", "only=no_such_event", "no event is called \"no_such_event\"");
	refuse("hot", "by=heat",
	       "by takes function, block, line, loop, method, bytecode or source, not \"heat\"");
	refuse("hot", "warmth=heat", "hot has no option \"warmth\"");
	refuse("hot", "bye=heat", "hot has no option \"bye\"; did you mean \"by\"?");
	refuse("hot", "jobbs=2", "hot has no option \"jobbs\"; did you mean \"jobs\"?");
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_same_as_commands),
	cmocka_unit_test(test_accesses_same_as_commands),
	cmocka_unit_test(test_boot_same_as_command),
	cmocka_unit_test(test_graph_adds_up),
	cmocka_unit_test(test_ways_add_up),
	cmocka_unit_test(test_all_are_asked),
	cmocka_unit_test(test_refusals),
	cmocka_unit_test(test_warnings),
};

int main(void)
{
	int failed = cmocka_run_group_tests_name("question", tests, NULL, NULL);

	wm_trace_close(trace);
	return failed;
}
