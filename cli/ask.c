// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of all commands that ask a question. A parser is put together from
 * what a command takes: its own options, those of the scope, and groups that each command
 * may leave out (-j, --function, -n -s -f, --format).
 *
 * Whatever its group, an option's value goes to query_set() under its long name, which
 * checks it. So a command line and a program that uses the library accept the same
 * values, and this file knows no question. Example: `hot -n 5` becomes query_set("rows",
 * "5"), and an error in it names the option as it was typed, "-n".
 */
#include "cli/ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/options.h"
#include "cli/table_output.h"
#include "cli/values.h"
#include "format/tape.h"
#include "query/several.h"
#include "query/undivided.h"

enum { OPTION_FUNCTION = 1024, OPTION_FORMAT };
enum { GROUPS = 6, SHARE = GROUPS - 1 }; /* child parsers: the scope and five groups */

static const struct argp_option jobs_options[] = {
	{ "jobs", 'j', "THREADS", 0,
	  "Compute with this many threads (one for each processor)", 0 },
	{ 0 },
};

static const struct argp_option function_options[] = {
	{ "function", OPTION_FUNCTION, "NAME", 0,
	  "Only functions with this name; wildcards are allowed", 0 },
	{ 0 },
};

static const struct argp_option table_options[] = {
	{ "rows", 'n', "N", 0, "Print at most N rows", 0 },
	{ "sort", 's', "COLUMN", 0, "Sort by this column", 0 },
	{ "fields", 'f', "COLUMNS", 0, "Print these columns, separated by commas", 0 },
	{ 0 },
};

static const struct argp_option format_options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text, csv or json (text)", 0 },
	{ 0 },
};

/* ---- options ------------------------------------------------------------- */

void ask_set_or_end(struct ask *ask, const char *name, const char *value,
		    const char *shown, struct argp_state *state)
{
	struct wm_error err;

	if (query_set(&ask->query, name, value, shown, &err))
		argp_error(state, "%s", err.text);
}

/* argp reports keys, a query wants names: the option table has both. */
static const struct argp_option *find(const struct argp_option *options, int key)
{
	while (options && options->name && options->key != key)
		options++;
	return options && options->name ? options : NULL;
}

/*
 * Parses the options that every question has. Those of jobs_options and table_options are
 * shown in errors by their letters, as most people type them.
 */
static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	static const struct argp_option *const groups[] = { jobs_options, table_options };
	struct ask *ask = state->input;
	/* Only used for options of these two groups, whose keys are letters. */
	char shown[3] = { '-', (char)key, 0 };

	if (key == OPTION_FUNCTION) {
		ask_set_or_end(ask, "function", arg, NULL, state);
		return 0;
	}
	if (key == OPTION_FORMAT) {
		ask->format = choice_or_end(arg, "format", table_formats, state);
		return 0;
	}
	for (unsigned i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		const struct argp_option *option = find(groups[i], key);

		if (!option)
			continue;
		ask_set_or_end(ask, option->name, arg, shown, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static bool takes_files(const struct ask *ask)
{
	return ask->command->takes & (ASK_SEVERAL | ASK_FILES);
}

static void add_file(struct ask *ask, const char *file, struct argp_state *state)
{
	if (!APPEND(ask->files, ask->n_files, file))
		argp_failure(state, EXIT_ERROR, 0, "no memory");
}

/* At the end of the command line: the names are known, and how many they are. */
static void settle_files(struct ask *ask, struct argp_state *state)
{
	size_t n = 0;
	const char **traces = share_options_traces(&n);

	/* A command line that is run again has no names. */
	if (n && !takes_files(ask))
		ask->query.scope.file = traces[0];
	for (size_t i = 0; takes_files(ask) && i < n; i++)
		add_file(ask, traces[i], state);
	if (ask->n_files)
		ask->query.scope.file = ask->files[0];
	if (ask->command->takes & ASK_SEVERAL && ask->n_files > 1 &&
	    ask->query.traces == TRACES_ONE)
		ask->query.traces = TRACES_ADDED;
}

bool ask_take_by_trace(struct ask *ask, const char *word)
{
	if (strcmp(word, "trace") != 0)
		return false;
	ask->query.traces = TRACES_APART;
	return true;
}

bool ask_is_several(const struct ask *ask)
{
	return ask->query.traces != TRACES_ONE;
}

static void settle_or_end(struct ask *ask, struct argp_state *state)
{
	struct wm_error err;

	if (query_settle(&ask->query, &err))
		argp_error(state, "%s", err.text);
}

/* Options of the question. A flag has no argument, which query_set() gets as "". */
static error_t parse_own(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	const struct argp_option *option = find(ask->command->options, key);
	char shown[64];

	if (!option)
		return ARGP_ERR_UNKNOWN;
	if (ask->command->takes & ASK_SEVERAL && !strcmp(option->name, "by") &&
	    ask_take_by_trace(ask, arg))
		return 0;
	snprintf(shown, sizeof(shown), "--%s", option->name);
	ask_set_or_end(ask, option->name, arg ? arg : "", shown, state);
	return 0;
}

/*
 * At ARGP_KEY_SUCCESS the command's parse() comes before the query is settled, so that it
 * can still set options, such as a limit that follows from others.
 */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct ask *ask = state->input;
	error_t ret = ARGP_ERR_UNKNOWN;

	if (key == ARGP_KEY_INIT) {
		/*
		 * The scope takes itself; the groups share parse_common(), which takes
		 * all of it.
		 */
		state->child_inputs[0] = &ask->query.scope;
		for (unsigned i = 1; i < SHARE; i++)
			state->child_inputs[i] = ask;
		state->child_inputs[SHARE] = &ask->shared;
		return 0;
	}
	/* In place of the scope's parser, which takes one. */
	if (key == ARGP_KEY_ARG && takes_files(ask)) {
		add_file(ask, arg, state);
		return 0;
	}
	if (key == ARGP_KEY_SUCCESS)
		settle_files(ask, state);
	/* The command first: it may handle an option that the question has as well. */
	if (ask->command->parse)
		ret = ask->command->parse(ask, key, arg, state);
	if (key == ARGP_KEY_SUCCESS) {
		settle_or_end(ask, state);
		return 0;
	}
	return ret == ARGP_ERR_UNKNOWN ? parse_own(ask, key, arg, state) : ret;
}

/*
 * Under MPI: the processes answer together, or the first one does. With a thread for each
 * process, as there is a process for each core.
 */
static void join_team(struct ask *ask)
{
	const struct team *team;

	if (!(ask->command->takes & ASK_SHARE) || ask->alone ||
	    question_parts(&ask->query) == QUESTION_WHOLE) {
		team_leave_to_first();
		return;
	}
	team = team_of_job();
	if (!team)
		return;
	ask->together = team_runner(team);
	ask->query.runner = &ask->together.runner;
	if (!ask->query.threads)
		ask->query.threads = 1;
}

/*
 * Groups that the command does not take are still children, without options, so that the
 * indexes of child_inputs are the same for all commands.
 */
void ask_parse(struct ask *ask, const struct ask_command *command, void *cookie, int argc,
	       char **argv)
{
	static const struct argp_option none[] = { { 0 } };
	const unsigned takes = command->takes;
	/* The groups can share a parser because their keys differ. */
	const struct argp jobs = { jobs_options, parse_common };
	const struct argp function = { takes & ASK_FUNCTION ? function_options : none,
				       parse_common };
	const struct argp table = { takes & ASK_TABLE ? table_options : none,
				    parse_common };
	const struct argp format = { takes & ASK_FORMAT ? format_options : none,
				     parse_common };
	const struct argp share = { takes & ASK_SHARE ? share_argp.options : none,
				    share_argp.parser };
	const struct argp_child children[GROUPS + 1] = {
		{ &scope_argp }, { &jobs },   { &function },
		{ &table },	 { &format }, { &share },
	};
	const struct argp argp = { command->options, parse, command->args, command->doc,
				   children };

	*ask = (struct ask){
		.command = command,
		.cookie = cookie,
		.format = TABLE_AS_TEXT,
	};
	query_init(&ask->query,
		   command->question ? question_find(command->question) : NULL,
		   &ask->watch.listener);
	share_options_begin(&ask->shared, argc, argv);
	command_parse(&argp, argc, argv, 0, ask);
	ask->only = ask->query.scope.file;
	share_options_settle(&ask->shared, ask->n_files ? ask->files : &ask->only,
			     ask->n_files ? ask->n_files : 1);
	ask->shared.share.counted = question_parts(&ask->query) == QUESTION_COUNTED;
	if (!share_options_is_on(&ask->shared))
		join_team(ask);
	else if (!ask_is_several(ask) && ask->n_files < 2 && !ask->alone &&
		 !question_is_undivided(&ask->query))
		ask->query.runner = &ask->shared.share.runner;
}

void ask_fini(struct ask *ask)
{
	query_fini(&ask->query);
	free(ask->files);
	share_options_fini(&ask->shared);
}

/* ---- answers ------------------------------------------------------------- */

/*
 * Of a team, one process says why. What does not depend on chunks, each of them finds out for
 * itself: that a function did not run, or that nothing of the sort was recorded.
 */
static bool is_said_elsewhere(const struct team_runner *together)
{
	return together->team &&
	       (together->elsewhere || !together->team->claim(together->team));
}

/* watch_end() is called a second time after what printed a table: it does nothing then. */
int ask_end(struct ask *ask, int ret, struct wm_error *err)
{
	watch_end(&ask->watch);
	ret = share_options_end(&ask->shared, ret, err);
	if (!ret)
		return EXIT_OK;
	return is_said_elsewhere(&ask->together) ? EXIT_ERROR :
						   fail_on(ask->query.scope.file, err);
}

int ask_open_query(struct ask *ask, struct query *query, struct wm_error *err)
{
	const struct team *team = ask->together.team;
	struct tape tape = { .plays = false };
	int ret, all;

	if (!team)
		return query_open(query, err);
	/* The file's definitions are read once: the first process reads, the others get it. */
	query->tape = &tape;
	if (team->rank) {
		team->broadcast(team, &tape.bytes);
		tape_play(&tape);
	}
	ret = query_open(query, err);
	if (!team->rank)
		team->broadcast(team, &tape.bytes);
	query->tape = NULL;
	buf_fini(&tape.bytes);
	all = team_agree(&ask->together, ret, err);
	if (all && !ret)
		query_close(query);
	return all;
}

int ask_open(struct ask *ask, struct wm_error *err)
{
	return ask_open_query(ask, &ask->query, err);
}

/* Under MPI: each trace is opened and answered by all processes together. */
static int add_together(struct ask *ask, struct several *several, const char *file,
			struct wm_error *err)
{
	struct answer answer;
	int ret;

	ask->query.scope.file = file;
	ret = ask_open(ask, err);
	if (ret)
		return ret;
	answer_init(&answer, several->asked, several->n);
	ret = several_ask(several, &ask->query, &answer, err);
	if (!ret)
		ret = several_take(several, &answer, file, err);
	answer_fini(&answer);
	query_close(&ask->query);
	return ret;
}

static int add_all(struct ask *ask, struct several *several, struct wm_error *err)
{
	/* Without FILE it is the one that the scope's parser has set. */
	const struct several_traces traces = {
		ask->n_files ? ask->files : &ask->only,
		ask->n_files ? ask->n_files : 1,
	};
	int ret = 0;

	if (share_options_is_on(&ask->shared))
		return several_share(several, &traces, &ask->shared.share, err);
	if (!ask->together.team)
		return several_ask_all(several, &traces, err);
	for (size_t i = 0; !ret && i < traces.n; i++)
		ret = add_together(ask, several, traces.files[i], err);
	return ret;
}

static int answer_several(struct ask *ask, struct wm_error *err)
{
	struct several several;
	int ret;

	several_init(&several, &ask->query);
	ret = add_all(ask, &several, err);
	if (!ret)
		ret = ask_print_query(&ask->query, &ask->watch, ask->format, several_fill,
				      &several, err);
	several_fini(&several);
	return ret;
}

static int answer_one(struct ask *ask,
		      int (*answer)(struct ask *ask, struct wm_error *err),
		      struct wm_error *err)
{
	int ret = ask_open(ask, err);

	if (ret)
		return ret;
	ret = (answer ? answer : ask_print)(ask, err);
	query_close(&ask->query);
	return ret;
}

int ask_run(struct ask *ask, int (*answer)(struct ask *ask, struct wm_error *err))
{
	struct wm_error err;
	int ret;

	watch_init(&ask->watch);
	ret = share_options_start(&ask->shared, &err);
	if (!ret)
		ret = ask_is_several(ask) ? answer_several(ask, &err) :
					    answer_one(ask, answer, &err);
	return ask_end(ask, ret, &err);
}

int ask_command(const struct ask_command *command, int argc, char **argv)
{
	struct ask ask;
	int status;

	ask_parse(&ask, command, NULL, argc, argv);
	status = ask_run(&ask, NULL);
	ask_fini(&ask);
	return status;
}

/* ---- a table on stdout --------------------------------------------------- */

int ask_print_query(struct query *query, struct watch *watch, enum table_format format,
		    int (*fill)(void *cookie, struct table *table, struct wm_error *err),
		    void *cookie, struct wm_error *err)
{
	struct table_output output;
	int ret;

	table_output_init(&output, format, watch);
	output.may_omit = !query->view.columns;
	/* Without `fill` the question fills the table. */
	ret = fill ? query_answer(query, &output.sink, fill, cookie, err) :
		     query_ask(query, &output.sink, err);
	table_output_fini(&output);
	return ret;
}

/* All rows of one part, or those that it has written. */
static int print_undivided(struct ask *ask, struct wm_error *err)
{
	struct query *query = &ask->query;
	struct answer answer;
	int ret;

	answer_init(&answer, query->columns, query->n_columns);
	ret = undivided_find(&answer, query, ask->files + (ask->n_files > 0),
			     ask->n_files ? ask->n_files - 1 : 0, &ask->shared.share,
			     err);
	if (!ret)
		ret = ask_print_query(query, &ask->watch, ask->format, answer_fill,
				      &answer, err);
	answer_fini(&answer);
	return ret;
}

int ask_print_rows(struct ask *ask,
		   int (*fill)(void *cookie, struct table *table, struct wm_error *err),
		   void *cookie, struct wm_error *err)
{
	if (share_options_is_on(&ask->shared) && question_is_undivided(&ask->query))
		return print_undivided(ask, err);
	return ask_print_query(&ask->query, &ask->watch, ask->format, fill, cookie, err);
}

int ask_print(struct ask *ask, struct wm_error *err)
{
	return ask_print_rows(ask, NULL, NULL, err);
}
