// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark verify: checks that a trace is intact, by its checksums and counts; and with
 * --against that it is true, by QEMU's own log of the same run.
 *
 * The log may be a pipe that QEMU still writes to. The recorder completes the trace only
 * after QEMU has ended, which closes the pipe; so the log is read to its end first, and
 * then the trace is awaited for up to SETTLE_SECONDS. The other order would wait forever:
 * QEMU blocks on a full pipe.
 *
 * Exit status: 0 intact and equal, 1 damaged, cut short or different, 2 an error.
 */
#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/file/damage.h"
#include "cli/habits.h"
#include "cli/options.h"
#include "out/number.h"
#include "program/elf/search.h"
#include "trace/qemulog.h"
#include "trace/settle.h"

#include <argp.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char doc[] =
	"Check FILE (waymark.wmk): its checksums and structure, and every chunk retraced "
	"and held against its own counts."
	"\vLOG is what QEMU wrote during the same run with -d in_asm,exec,nochain -D LOG; "
	"it may be a pipe, or - for standard input.";

enum { OPTION_AGAINST = 256, OPTION_SYMFS, SETTLE_SECONDS = 60 };

static const struct argp_option options[] = {
	{ "against", OPTION_AGAINST, "LOG", 0, "Also compare with QEMU's own log", 0 },
	{ "symfs", OPTION_SYMFS, "DIR", 0,
	  "Look below DIR, too, for files with code that the trace has not", 0 },
	{ 0 },
};

struct arguments {
	const char *file, *log;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->file;
		return 0;
	case OPTION_AGAINST:
		args->log = arg;
		return 0;
	case OPTION_SYMFS:
		elf_search_below(option_symfs(state, arg));
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* "-" is standard input, which stays open. */
static int read_log(const char *path, struct qemulog **log, struct wm_error *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return wm_fail_errno(err, "cannot open %s", path);
	ret = qemulog_read(log, fd, err);
	if (!is_stdin)
		close(fd);
	return ret;
}

/* Begins a line that the caller completes with the verdict. */
static void print_checked(const char *file, const struct wm_check *check)
{
	char chunks[NUMBER_TEXT], blocks[NUMBER_TEXT], insns[NUMBER_TEXT];
	char gaps[NUMBER_TEXT], accesses[NUMBER_TEXT];

	printf("%s: %s %s retraced, %s blocks, ", file,
	       number_grouped(chunks, check->chunks),
	       check->chunks == 1 ? "chunk" : "chunks",
	       number_grouped(blocks, check->blocks - check->gaps));
	if (check->gaps)
		printf("%s %s, ", number_grouped(gaps, check->gaps),
		       check->gaps == 1 ? "gap" : "gaps");
	printf("%s instructions", number_grouped(insns, check->insns));
	if (check->accesses)
		printf(", %s values", number_grouped(accesses, check->accesses));
	printf(": ");
}

/*
 * A damaged or foreign file is a result of this command and has status 1; everything
 * else, such as a missing file, is an error.
 */
static int found_fault(const char *file, const struct wm_error *err)
{
	fail_on(file, err);
	return err->code == WM_E_DAMAGED || err->code == WM_E_FORMAT ? EXIT_DIFFERS :
								       EXIT_ERROR;
}

/* Whether the code that recovers files has found anything to repair. */
static bool has_damage(const struct salvage *salvage)
{
	return salvage->header || salvage->end || salvage->place_count || salvage->cut ||
	       !salvage->ended;
}

/*
 * Names the damage that `err` is about, and what is lost by it. The file is read again,
 * by the code that recovers files, which finds what a regular reader cannot.
 */
static int tell_damage(const char *file, const struct wm_error *err)
{
	struct salvage *salvage;
	int fd = -1;

	if (err->code == WM_E_DAMAGED || err->code == WM_E_FORMAT)
		/* O_NONBLOCK: a FIFO must not block the open. */
		fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || salvage_open(&salvage, fd, file, NULL))
		return found_fault(file, err);
	if (!has_damage(salvage)) {
		salvage_close(salvage);
		return found_fault(file, err);
	}
	damage_print(file, salvage, 1);
	print_checked(file, &salvage->kept);
	/*
	 * The sentence is about the intact part: "sound" is what can be kept, the rest
	 * says what recover would do.
	 */
	if (!salvage->ended)
		puts("sound, but cut short: waymark recover finishes the file");
	else if (salvage->place_count)
		puts("sound, the rest is damaged: waymark recover saves them");
	else if (salvage->cut)
		printf("sound as far as it goes, but cut short: %s; waymark recover "
		       "repairs the file\n",
		       salvage->cut);
	else
		puts("sound, and all there was: waymark recover repairs the file");
	salvage_close(salvage);
	return EXIT_DIFFERS;
}

/*
 * Decodes every chunk. A damaged file returns EXIT_DIFFERS with *err set, which the
 * caller reports in detail; otherwise err->code is 0.
 */
static int check_itself(const char *file, const struct wm_trace *trace,
			struct wm_error *err)
{
	struct wm_check check = { 0 };
	struct wm_summary summary;
	int ret = wm_trace_verify(trace, &check, err);

	wm_trace_summary(trace, &summary);
	if (ret == WM_E_DAMAGED)
		return EXIT_DIFFERS;
	if (ret)
		return fail_on(file, err);
	/*
	 * wm_trace_verify() checks what the reader opened, which ends at the first
	 * damage. The summary has that damage.
	 */
	err->code = 0;
	if (summary.damage_off) {
		wm_fail(err, WM_E_DAMAGED, summary.damage_off, "%s", summary.cut);
		return EXIT_DIFFERS;
	}
	print_checked(file, &check);
	if (summary.complete) {
		/* Nothing in the file is wrong, but it has what did not run. */
		puts(wm_trace_meta(trace, "faults") ?
			     "complete and sound, but where faults left blocks was not "
			     "seen: what is behind such a place is counted, too" :
			     "complete and sound");
		return EXIT_OK;
	}
	printf("sound as far as it goes, but cut short: %s\n", summary.cut);
	return EXIT_DIFFERS;
}

/* The result has a sentence whether the log differs or not. */
static int check_log(const struct arguments *args, const struct qemulog *log,
		     const struct wm_trace *trace)
{
	struct qemulog_result result;
	struct wm_summary summary;
	struct wm_error err;
	int ret = qemulog_compare(log, trace, 0, &result, &err);

	if (ret < 0)
		return fail_on(args->file, &err);
	wm_trace_summary(trace, &summary);
	printf("%s: %s\n", args->log, result.text);
	if (ret && summary.processes > 1)
		printf("%s: only process 0 is compared; the run has %u processes, and a log "
		       "does not say which of them wrote a line\n",
		       args->log, summary.processes);
	return ret ? EXIT_DIFFERS : EXIT_OK;
}

/*
 * The worse of both statuses counts: 2 over 1 over 0. The damage is described last, when
 * the trace is closed.
 */
static int verify(const struct arguments *args, const struct qemulog *log)
{
	struct wm_trace *trace;
	struct wm_error err = { 0 };
	int ret;

	if (log && trace_settle(args->file, SETTLE_SECONDS, &err))
		return fail_on(args->file, &err);
	if (wm_trace_open(&trace, args->file, &err))
		return tell_damage(args->file, &err);
	ret = check_itself(args->file, trace, &err);
	if (log && ret != EXIT_ERROR) {
		int against = check_log(args, log, trace);

		ret = against > ret ? against : ret;
	}
	wm_trace_close(trace);
	if (err.code == WM_E_DAMAGED)
		tell_damage(args->file, &err);
	return ret;
}

int cmd_verify(int argc, char **argv)
{
	static const struct argp_child children[] = { { &file_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = { options,  parse, "[FILE]", doc,
					  children, NULL,  NULL };
	struct arguments args = { 0 };
	struct qemulog *log = NULL;
	struct wm_error err;
	int ret;

	command_parse(&argp, argc, argv, 0, &args);
	if (args.log && read_log(args.log, &log, &err))
		return fail_on(args.log, &err);
	ret = verify(&args, log);
	qemulog_free(log);
	return ret;
}
