// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark ctl: sends a request to a running recording and prints the answer.
 *
 * The command line is TARGET COMMAND ARGUMENT, of which TARGET may be missing. A first
 * word that is a command is never a target; a file that is called "stop" can be named
 * ./stop.
 *
 * The answer comes from another process through a socket and contains names of the guest.
 * It is cleaned of control characters when it is printed, like all output (cli/stdout.c).
 */
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/habits.h"
#include "cli/list/event_list.h"
#include "cli/live/recordings.h"
#include "cli/options.h"
#include "events/patterns.h"
#include "out/json.h"
#include "out/number.h"
#include "out/text.h"

#include <argp.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char doc[] =
	"Ask a recording that runs for something: status, on, off, flush, snapshot [FILE], "
	"stop, events [list | PATTERN...]."
	"\vIt is named by its recorder's process id, by that of a process that is "
	"recorded, or by its file; when only one recording of yours runs, it need not be "
	"named. `waymark help ctl` explains the commands.";

enum { COMMANDS_TEXT = 100 };

struct arguments {
	const char *target; /* NULL: the only recording */
	bool has_command;
	enum request_kind command;
	const char *word; /* the last of n_words after the command */
	int n_words;
	char **patterns; /* [n_patterns] of events, in argv */
	int n_patterns;
	enum fact_format format; /* of status */
};

/*
 * The request of that name; REQUESTS when there is none. Samples are for `waymark top`.
 */
static enum request_kind command_of(const char *word)
{
	for (unsigned i = 0; i < REQUESTS; i++)
		if (i != REQUEST_SAMPLE && !strcmp(word, request_names[i]))
			return i;
	return REQUESTS;
}

/* The names of all of them, with a NULL at the end. Returns how many. */
static unsigned list_commands(const char *names[REQUESTS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < REQUESTS; i++)
		if (command_of(request_names[i]) == i)
			names[n++] = request_names[i];
	names[n] = NULL;
	return n;
}

/* "status, on, ... or events" */
static const char *all_commands(char text[COMMANDS_TEXT])
{
	const char *names[REQUESTS];

	list_commands(names);
	text_join(text, COMMANDS_TEXT, names);
	return text;
}

/* Two unknown words: the first may be a target, the second has to be a command. */
static void unknown(const char *word, struct argp_state *state)
{
	const char *names[REQUESTS];
	const char *near = nearest_word(word, names, list_commands(names));
	char all[COMMANDS_TEXT];

	if (near)
		argp_error(state, "there is no command \"%s\"; did you mean \"%s\"?",
			   word, near);
	else
		argp_error(state, "COMMAND is %s, not \"%s\"", all_commands(all), word);
}

/* argp runs in order here (ARGP_IN_ORDER), so words come as they were typed. */
static void take_word(struct arguments *args, char *word, struct argp_state *state)
{
	enum request_kind command = command_of(word);

	if (args->has_command) {
		/* Only the last word is kept: more than one is an error. */
		args->word = word;
		args->n_words++;
	} else if (command != REQUESTS) {
		args->has_command = true;
		args->command = command;
		/* Patterns may begin with a "-". */
		if (command == REQUEST_EVENTS) {
			args->patterns = &state->argv[state->next];
			args->n_patterns = state->argc - state->next;
			state->next = state->argc;
		}
	} else if (!args->target) {
		/* The first unknown word may be a pid or a file. */
		args->target = word;
	} else {
		unknown(word, state);
	}
}

/* A single word that is no command was taken for a target; the user meant a command. */
static void check_words(const struct arguments *args, struct argp_state *state)
{
	bool takes_one = args->command == REQUEST_SNAPSHOT;
	char all[COMMANDS_TEXT];

	if (!args->has_command && args->target)
		unknown(args->target, state);
	else if (!args->has_command)
		argp_error(state, "no command is given: %s", all_commands(all));
	else if (args->n_words > takes_one)
		argp_error(state, "%s takes %s; what names the recording comes before it",
			   request_names[args->command],
			   takes_one ? "one file" : "no argument");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->format;
		return 0;
	case ARGP_KEY_ARG:
		take_word(args, arg, state);
		return 0;
	case ARGP_KEY_END:
		check_words(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- status -------------------------------------------------------------- */

/* A status lists a bounded number of processes and threads; all_* count all of them. */
static void print_processes(const struct status *status)
{
	printf("\n%7s %8s  %s\n", "process", "pid", "program");
	for (uint32_t i = 0; i < status->n_processes; i++) {
		printf("%7" PRIu32 " %8" PRIu32 "  ", status->processes[i].index,
		       status->processes[i].pid);
		/* A path may contain anything, also a line's end. */
		text_end_line(stdout, status->processes[i].path);
	}
	if (status->n_processes < status->all_processes)
		printf("and %" PRIu32 " more\n",
		       status->all_processes - status->n_processes);
}

/* A thread without a name of its own has that of its program. */
static void print_threads(const struct status *status)
{
	char insns[NUMBER_TEXT], blocks[NUMBER_TEXT];

	printf("\n%7s %4s %8s %18s %16s  %s\n", "process", "vcpu", "tid", "instructions",
	       "blocks", "thread");
	for (uint32_t i = 0; i < status->n_threads; i++) {
		const struct status_thread *thread = &status->threads[i];

		printf("%7" PRIu32 " %4" PRIu32 " %8" PRIu32 " %18s %16s  ",
		       thread->process, thread->vcpu, thread->tid,
		       number_grouped(insns, thread->insns),
		       number_grouped(blocks, thread->blocks));
		text_end_line(stdout, recorder_thread_name(status, thread));
	}
	if (status->n_threads < status->all_threads)
		printf("and %" PRIu32 " more\n", status->all_threads - status->n_threads);
}

/* Windows and filters are mentioned only when there are any. */
static void print_text(const struct status *status)
{
	char text[NUMBER_TEXT];

	printf("%-14s process %" PRIu32 "\n", "recorder", status->pid);
	printf("%-14s ", "file");
	text_end_line(stdout, status->file);
	printf("%-14s %s\n", "state", recorder_state(status));
	printf("%-14s %s\n", "time",
	       number_seconds(text, (double)status->elapsed_ns / 1e9));
	printf("%-14s %s\n", "instructions", number_grouped(text, status->insns));
	printf("%-14s %s\n", "blocks", number_grouped(text, status->blocks));
	printf("%-14s %s\n", "written", number_bytes(text, status->bytes));
	/* 0 means that the whole run is recorded. */
	if (status->windows)
		printf("%-14s %" PRIu32 "\n", "windows", status->windows);
	if (status->filtered)
		printf("%-14s %s\n", "filtered", "yes: parts of programs are left out");
	if (status->n_processes)
		print_processes(status);
	/* A recording that has just begun has neither. */
	if (status->n_threads)
		print_threads(status);
}

/*
 * Unlike in text, the name is the thread's own: so a script can distinguish it from the
 * program's.
 */
static void json_lists(struct json *json, const struct status *status)
{
	json_array(json, "processes");
	for (uint32_t i = 0; i < status->n_processes; i++) {
		json_object(json, NULL);
		json_uint(json, "index", status->processes[i].index);
		json_uint(json, "pid", status->processes[i].pid);
		json_string(json, "path", status->processes[i].path);
		json_close(json);
	}
	json_close(json);
	json_array(json, "threads");
	for (uint32_t i = 0; i < status->n_threads; i++) {
		const struct status_thread *thread = &status->threads[i];

		json_object(json, NULL);
		json_uint(json, "process", thread->process);
		json_uint(json, "vcpu", thread->vcpu);
		json_uint(json, "tid", thread->tid);
		json_string(json, "name", thread->name);
		json_uint(json, "instructions", thread->insns);
		json_uint(json, "blocks", thread->blocks);
		json_close(json);
	}
	json_close(json);
}

/* All keys are always present. */
static void print_json(const struct status *status)
{
	struct json json;

	json_init(&json, stdout, true);
	json_object(&json, NULL);
	json_uint(&json, "recorder", status->pid);
	json_string(&json, "file", status->file);
	json_string(&json, "state", recorder_state(status));
	/* Microseconds. */
	json_real(&json, "seconds", (double)status->elapsed_ns / 1e9, 6);
	json_uint(&json, "instructions", status->insns);
	json_uint(&json, "blocks", status->blocks);
	json_uint(&json, "bytes", status->bytes);
	json_uint(&json, "windows", status->windows);
	json_bool(&json, "filtered", status->filtered);
	json_uint(&json, "all_processes", status->all_processes);
	json_uint(&json, "all_threads", status->all_threads);
	json_lists(&json, status);
	json_close(&json);
}

/* ---- asking -------------------------------------------------------------- */

/* The answer to requests that write a file. The recorder may be of another version. */
static int print_written(struct span *answer)
{
	char insns[NUMBER_TEXT], bytes[NUMBER_TEXT];
	struct written written;

	if (!written_get(answer, &written))
		return fail("the recorder's answer makes no sense");
	printf("%s: %s instructions, %s\n", written.file,
	       number_grouped(insns, written.insns), number_bytes(bytes, written.bytes));
	free(written.file);
	return EXIT_OK;
}

/* The file of a snapshot is made absolute: the recorder has another current folder. */
static int ask(const struct arguments *args, const struct recorder *recorder)
{
	char path[PATH_MAX] = "";
	struct buf answer = BUF_INIT;
	struct span rest;
	struct wm_error err;
	int ret = EXIT_OK;

	/* Only a snapshot has a word here: see check_words(). */
	if (args->word && !find_absolute(path, args->word))
		return fail("the name \"%s\" is too long", args->word);
	if (recorder_ask(recorder, args->command, path, 0, &answer, &rest, &err))
		ret = fail("%s", err.text);
	/* Switching has no answer but that it was done. */
	else if (args->command != REQUEST_ON && args->command != REQUEST_OFF)
		ret = print_written(&rest);
	buf_fini(&answer);
	return ret;
}

/* Gets the mask of events that are recorded; a non-empty `argument` changes it first. */
static int ask_mask(const struct recorder *recorder, const char *argument, uint64_t *mask,
		    struct wm_error *err)
{
	struct buf answer = BUF_INIT;
	struct span rest;
	int ret =
		recorder_ask(recorder, REQUEST_EVENTS, argument, 0, &answer, &rest, err);

	if (!ret)
		*mask = span_varint(&rest);
	buf_fini(&answer);
	return ret;
}

/*
 * Patterns are applied to the mask here rather than in the recorder, because @FILE is
 * relative to this process's folder. Two `ctl events` at the same time may undo each
 * other.
 */
static int steer_events(const struct arguments *args, const struct recorder *recorder)
{
	bool list = !args->n_patterns ||
		    (args->n_patterns == 1 && !strcmp(args->patterns[0], "list"));
	char argument[NUMBER_TEXT];
	struct wm_error err;
	uint64_t mask = 0;
	/* Asked first, because patterns change the mask that is there. */
	int ret = ask_mask(recorder, "", &mask, &err);

	if (!ret && list)
		event_list_print(stdout, mask);
	for (int i = 0; !ret && !list && i < args->n_patterns; i++)
		ret = events_apply(&mask, args->patterns[i], &err);
	/* In decimal, as the recorder parses it. */
	snprintf(argument, sizeof(argument), "%" PRIu64, mask);
	if (!ret && !list)
		ret = ask_mask(recorder, argument, &mask, &err);
	return ret ? fail("%s", err.text) : EXIT_OK;
}

int cmd_ctl(int argc, char **argv)
{
	static const struct argp_child children[] = { { &facts_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp argp = {
		NULL, parse, "[PID|FILE] COMMAND [ARGUMENT...]", doc, children,
		NULL, NULL,
	};
	struct arguments args = { 0 };
	struct recorder recorder;
	int ret = EXIT_OK;

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &args);
	/* Prints its own message. */
	if (!recorder_find(&recorder, args.target))
		return EXIT_ERROR;
	/* recorder_find() has asked for the status already. */
	if (args.command == REQUEST_EVENTS)
		ret = steer_events(&args, &recorder);
	else if (args.command != REQUEST_STATUS)
		ret = ask(&args, &recorder);
	else if (args.format == FACTS_AS_JSON)
		print_json(&recorder.status);
	else
		print_text(&recorder.status);
	recorder_fini(&recorder);
	return ret;
}
