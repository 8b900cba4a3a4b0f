// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages of the recorder at the end of a recording. They are printed by its own
 * process, while the guest's parent waits. The exit status is the guest's, with two
 * exceptions that make it 2: a part that the user named was not recorded, or with
 * --strict the trace is incomplete. STATUS_GUESTS stands for the guest's own status.
 *
 * Example: `record --stop func:end prog`, and end was never called: the window never
 * closed, which is only a remark. With --start instead, nothing was recorded: exit status
 * 2.
 */
#include "cli/record/end.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/methods/unguided.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/record/check.h"
#include "managed/strangers.h"
#include "out/number.h"
#include "out/text.h"

enum { STATUS_GUESTS = -1 };

/*
 * Whether the exit status may become 2: only with --strict, or when the user named a part
 * to record.
 */
bool record_end_judges(const struct record_end *end)
{
	const struct steering *steering = end->steering;

	return end->strict ||
	       (steering && (steering->n_windows || steering->n_landmarks ||
			     steering->n_names || steering->program_only));
}

/* One line about the new trace. */
static void summarise(const struct wm_trace *trace, const char *path)
{
	char insns[NUMBER_TEXT], bytes[NUMBER_TEXT], bits[NUMBER_TEXT];
	struct wm_summary summary;

	wm_trace_summary(trace, &summary);
	remark("%s instructions in %s (%s bits each), %s",
	       number_grouped(insns, summary.insns), number_bytes(bytes, summary.bytes),
	       number_ratio(bits, summary.bytes, summary.insns), path);
}

/* Whether there is a limit on memory that may be too low for QEMU and the plugin's variables. */
static bool is_limited(void)
{
	struct rlimit addresses, data;

	return !getrlimit(RLIMIT_AS, &addresses) && !getrlimit(RLIMIT_DATA, &data) &&
	       (addresses.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY);
}

/*
 * QEMU ended before the guest's first instruction. A missing loader is the usual reason.
 * Without the program's name (a machine, or QEMU started by hand), QEMU's own message
 * must do.
 */
static int tell_no_guest(const struct record_end *end)
{
	if (!end->program)
		return STATUS_GUESTS;
	return fail(
		"QEMU did not start %s, so nothing was recorded; a program with shared "
		"libraries needs -L SYSROOT%s",
		end->program,
		is_limited() ?
			", and QEMU more memory than a low ulimit -v or -d allows" :
			"");
}

/* The plugin has said why. The program's status is its own. */
static int tell_no_room(const struct record_end *end)
{
	remark("%s ran untraced, so nothing was recorded",
	       end->program ? end->program : "the program");
	return end->strict ? EXIT_ERROR : STATUS_GUESTS;
}

/*
 * QEMU's default CPU lacks extensions that a program may be compiled for. A status of -1
 * is not known.
 */
static void tell_illegal(const struct record_end *end, int status)
{
	if (end->program && status != -1 && WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGILL)
		remark("%s was killed by an illegal instruction: the emulated CPU may "
		       "lack it; QEMU_CPU=max chooses the one that has most (of RISC-V "
		       "before QEMU 8.2, QEMU_CPU=rv64,v=true), and `-cpu help` of QEMU "
		       "lists all",
		       end->program);
}

/* A guide that does not know the runtime's release leaves it alone. */
static void tell_stranger(const struct wm_trace *trace, const char *guide)
{
	char *stranger = stranger_find(trace);

	if (stranger) {
		text_make_line(stranger);
		remark("guide %s does not know %s: there are no methods in the trace "
		       "(--guide none records without it)",
		       guide, stranger);
	}
	free(stranger);
}

/* Nor is a guide in programs that the guest began by execve(). */
static void tell_unguided(const struct wm_trace *trace)
{
	char text[UNGUIDED_TEXT];

	if (unguided_tell(trace, text))
		remark("%s", text);
}

/* Under -L a guest's /bin/sh is the host's own: its user may have expected another one. */
static void tell_foreign(const struct wm_trace *trace)
{
	const char *foreign = wm_trace_meta(trace, "foreign");
	char *text = foreign ? strdup(foreign) : NULL;

	if (text) {
		text_make_line(text);
		remark("not recorded: %s", text);
	}
	free(text);
}

/* What the new trace itself says. A summary is for a terminal, and of a trace that is whole. */
static void tell_trace(const struct record_end *end, const struct record_result *result,
		       bool whole)
{
	const char *guide = end->steering ? end->steering->guide : NULL;
	bool summed = whole && isatty(STDERR_FILENO);
	struct wm_trace *trace;

	if ((!summed && !guide && !result->foreign) ||
	    wm_trace_open(&trace, end->output, NULL))
		return;
	if (summed)
		summarise(trace, end->output);
	if (guide) {
		tell_stranger(trace, guide);
		tell_unguided(trace);
	}
	if (result->foreign)
		tell_foreign(trace);
	wm_trace_close(trace);
}

/*
 * Reports on the file and on what is missing from it. A cut file is more important than
 * an error that came after it.
 */
static int tell_file(const struct record_end *end, const struct record_result *result,
		     const struct wm_error *failed)
{
	if (*result->cut)
		remark("the trace %s is incomplete: %s", end->output, result->cut);
	else if (failed->code)
		remark("%s", failed->text);
	tell_trace(end, result, !*result->cut && !failed->code);
	if (end->keep)
		record_keep_check(end->keep, end->output);
	return end->strict && (failed->code || *result->cut) ? EXIT_ERROR : STATUS_GUESTS;
}

/* Reports on the file, or that it was not kept. */
static int tell_outcome(const struct record_end *end, const struct record_result *result,
			const struct wm_error *failed)
{
	if (result->kept)
		return tell_file(end, result, failed);
	if (isatty(STDERR_FILENO))
		remark("nothing happened that the trace was to be kept for: it is gone");
	return STATUS_GUESTS;
}

/* What was lost before the first block was read is the reason that there is no file. */
static void tell_nothing(const struct record_end *end, const struct record_result *result)
{
	remark("nothing was recorded%s%s: %s is as it was before",
	       *result->cut ? ", as " : "", result->cut, end->output);
}

/* Called once, when the file is complete or given up. */
static int on_end(void *cookie, const struct record_result *result,
		  const struct wm_error *failed)
{
	struct record_end *end = cookie;
	int status;

	bool missed;

	progress_fini(&end->progress);
	if (!result->traced)
		return result->roomless ? tell_no_room(end) : tell_no_guest(end);
	tell_illegal(end, result->status);
	status = result->recorded ? tell_outcome(end, result, failed) : STATUS_GUESTS;
	missed = end->steering &&
		 record_judge(end->steering, &result->steered) != EXIT_OK;
	/* record_judge() has already reported what was missed. */
	if (!result->recorded && !missed)
		tell_nothing(end, result);
	if (missed || (end->strict && !result->recorded))
		return EXIT_ERROR;
	return status;
}

static void on_progress(void *cookie, const struct record_progress *now)
{
	struct record_end *end = cookie;

	progress_show(&end->progress, now->elapsed_ns, now->blocks, now->insns,
		      now->file_bytes);
}

/* Explains to a user at a terminal why the prompt does not return. */
static void on_waiting(void *cookie, const char *who)
{
	const struct record_end *end = cookie;

	if (end->progress.on)
		remark("the program has ended; waiting for what it left running: %s "
		       "(waymark ctl stop ends the recording)",
		       who);
}

struct record_reports record_end_reports(struct record_end *end)
{
	progress_init(&end->progress);
	return (struct record_reports){
		.progress = end->progress.on ? on_progress : NULL,
		.waiting = on_waiting,
		.end = on_end,
		.cookie = end,
	};
}
