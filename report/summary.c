// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "summary", "provenance", "processes" and "threads": what the trace is, where it comes
 * from, and what ran in it.
 *
 * Lists are cut: a trace may have any number of processes, threads and facts, and texts
 * of any length. The true numbers of processes and threads are in "summary".
 *
 * Counts of instructions and blocks are those of the selection. What was not recorded is
 * counted for the whole run, because code in a gap has no ordinal and so belongs to no
 * part of it.
 *
 * A value that is not known is null, for example "to" without an end of the selection.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "analysis/gaps.h"
#include "report/section.h"

/* The most entries of each list. */
enum { PROCESSES_MAX = 200, THREADS_MAX = 500, FACTS_MAX = 60 };
/* Texts of a trace may have any length. */
enum { TEXT_MAX = 8192 };

/* NULL stays null: the page distinguishes a missing text from an empty one. */
static void put_text(struct json *json, const char *key, const char *text)
{
	char room[TEXT_MAX + 4];

	json_string(json, key, text ? label_cut(room, text, TEXT_MAX) : NULL);
}

/* Whether a selected thread has instructions from its end on. */
static bool leaves_out(const struct report *report)
{
	const struct selection *selection = report->ask->selection;
	struct wm_stream stream;

	for (unsigned i = 0; i < selection->n; i++)
		if (!wm_trace_stream(report->ask->trace, selection->streams[i],
				     &stream) &&
		    stream.insns > selection->to)
			return true;
	return false;
}

/* The counts of gaps are those of the whole run: see above. */
static int put_summary(struct report *report, struct wm_error *err)
{
	const struct selection *selection = report->ask->selection;
	struct json *json = &report->json;
	struct wm_summary all;
	struct gaps gaps;
	int ret = gaps_count(&gaps, report->ask->trace, err);

	if (ret)
		return ret;
	wm_trace_summary(report->ask->trace, &all);
	json_object(json, "summary");
	json_uint(json, "insns", report->counts->insns);
	json_uint(json, "blocks", report->counts->blocks);
	json_uint(json, "uncertain", report->counts->uncertain);
	/* Of the whole run, so that a reader sees what part the selection is. */
	json_uint(json, "all_insns", all.insns);
	json_uint(json, "gaps", gaps.all);
	json_uint(json, "passed", gaps.passed);
	json_bool(json, "passed_exact", gaps.exact);
	/* Gaps are ids, too, but no code. */
	json_uint(json, "known_blocks", all.known_blocks - gaps.ids);
	json_uint(json, "threads", all.streams);
	json_uint(json, "asked_threads", selection->n);
	json_uint(json, "processes", all.processes);
	json_uint(json, "bytes", all.bytes);
	json_uint(json, "from", selection->from);
	if (leaves_out(report))
		json_uint(json, "to", selection->to);
	else
		json_null(json, "to");
	json_bool(json, "complete", all.complete);
	json_string(json, "cut", all.cut);
	if (report->ask->seconds < 0)
		json_null(json, "seconds");
	else
		json_real(json, "seconds", report->ask->seconds, 6);
	json_string(json, "made_by", "Waymark " WAYMARK_VERSION);
	json_close(json);
	gaps_fini(&gaps);
	return 0;
}

/* "provenance": the facts that the recorder noted, as pairs of a key and a value. */
static void put_provenance(struct report *report)
{
	const struct wm_trace *trace = report->ask->trace;
	struct json *json = &report->json;
	const char *key, *value;

	json_array(json, "provenance");
	for (unsigned i = 0;
	     i < FACTS_MAX && wm_trace_meta_at(trace, i, &key, &value) == WM_OK; i++) {
		json_array(json, NULL);
		put_text(json, NULL, key);
		put_text(json, NULL, value);
		json_close(json);
	}
	json_close(json);
}

static void put_processes(struct report *report)
{
	struct json *json = &report->json;
	struct wm_summary summary;
	struct wm_process process;

	wm_trace_summary(report->ask->trace, &summary);
	json_array(json, "processes");
	/*
	 * Not every space is a process: `i` counts spaces and `n` the processes among
	 * them.
	 */
	for (unsigned i = 0, n = 0; n < PROCESSES_MAX && i < summary.spaces; i++) {
		if (wm_trace_process(report->ask->trace, i, &process))
			continue;
		n++;
		json_object(json, NULL);
		json_uint(json, "pid", process.pid);
		/* The first process has no parent in the recording. */
		if (process.parent == UINT32_MAX)
			json_null(json, "parent");
		else
			json_uint(json, "parent", process.parent);
		put_text(json, "path", process.path);
		json_int(json, "status", process.status);
		if (process.status != -1 && WIFSIGNALED(process.status))
			put_text(json, "signal", strsignal(WTERMSIG(process.status)));
		json_close(json);
	}
	json_close(json);
}

/*
 * All threads of the trace, selected or not: other sections refer to a thread by its
 * index here.
 */
static void put_threads(struct report *report)
{
	struct json *json = &report->json;
	struct wm_stream stream;

	json_array(json, "threads");
	for (unsigned i = 0;
	     i < THREADS_MAX && !wm_trace_stream(report->ask->trace, i, &stream); i++) {
		json_object(json, NULL);
		json_uint(json, "process", stream.space);
		json_uint(json, "tid", stream.tid);
		put_text(json, "name", stream.name);
		json_uint(json, "insns", stream.insns);
		json_close(json);
	}
	json_close(json);
}

int report_summary(struct report *report, struct wm_error *err)
{
	int ret = put_summary(report, err);

	if (ret)
		return ret;
	put_provenance(report);
	put_processes(report);
	put_threads(report);
	return 0;
}
