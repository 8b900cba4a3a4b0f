// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Relations of facts about the recording: "threads", "processes", "modules" and "meta".
 * Row i is what the library returns for index i; its WM_E_RANGE or WM_END ends the rows.
 *
 * All four share a struct, a counter and two functions; they differ in next() and in the
 * columns. They are small (a run of thousands of processes has thousands of rows), so
 * conditions are left to SQLite.
 *
 * A number that means "not known" becomes NULL, so that SQL's functions skip it: a tid or
 * pid of 0, a status of -1, a parent of UINT32_MAX. Example: "SELECT max(tid) FROM
 * threads" ignores threads without a known tid.
 */
#include "sql/relations.h"

struct facts {
	struct rows rows;
	unsigned next; /* index of the row after the current one */
	/* The current row; each relation uses one or two of these. */
	struct wm_stream stream;
	struct wm_space space;
	struct wm_process process;
	struct wm_module module;
	const char *key, *value; /* of meta */
};

/* sql/module.c sets the struct to zeros, so the counter is 0. */
static int open_facts(struct rows *rows, struct wm_error *err)
{
	(void)rows;
	(void)err;
	return 0;
}

static void close_facts(struct rows *rows)
{
	(void)rows;
}

/*
 * Takes the library's code for index `next`. These functions fail only because the index
 * is beyond the last, so every code but 0 is the end.
 */
static int step(struct facts *facts, int code)
{
	facts->next++;
	facts->rows.ended = code != 0;
	return 0;
}

/* The index of the current row. */
static void put_index(const struct facts *facts, sqlite3_context *context)
{
	put_number(context, facts->next - 1);
}

/* Leaves NULL for the number that means "not known". */
static void put_known(sqlite3_context *context, uint32_t number, uint32_t unknown)
{
	if (number != unknown)
		put_number(context, number);
}

/* ---- threads --------------------------------------------------------------------------- */

enum {
	THREAD,
	THREAD_PROCESS,
	THREAD_TID,
	THREAD_NAME,
	THREAD_INSNS,
	THREAD_BLOCKS, /* gaps included */
	THREAD_PASSED  /* instructions that ran unrecorded, as far as they were counted */
};

static uint64_t count_threads(const struct subject *subject)
{
	return subject->summary.streams;
}

static int next_thread(struct rows *rows, struct wm_error *err)
{
	struct facts *facts = (struct facts *)rows;

	(void)err;
	return step(facts,
		    wm_trace_stream(rows->subject->trace, facts->next, &facts->stream));
}

static int put_thread(struct rows *rows, sqlite3_context *context, int column,
		      struct wm_error *err)
{
	const struct facts *facts = (struct facts *)rows;

	(void)err;
	switch (column) {
	case THREAD:
		put_index(facts, context);
		break;
	case THREAD_PROCESS:
		/* Where the thread began; it can move to another space later. */
		put_number(context, facts->stream.space);
		break;
	case THREAD_TID:
		put_known(context, facts->stream.tid, 0);
		break;
	case THREAD_NAME:
		put_text(context, facts->stream.name);
		break;
	case THREAD_INSNS:
		put_number(context, facts->stream.insns);
		break;
	case THREAD_BLOCKS:
		put_number(context, facts->stream.blocks);
		break;
	case THREAD_PASSED:
		put_number(context, facts->stream.passed);
		break;
	}
	return 0;
}

const struct relation relation_threads = {
	.name = "threads",
	.columns = "thread INTEGER, process INTEGER, tid INTEGER, name TEXT, "
		   "insns INTEGER, blocks INTEGER, passed INTEGER",
	.rows_bytes = sizeof(struct facts),
	.count = count_threads,
	.open = open_facts,
	.next = next_thread,
	.column = put_thread,
	.close = close_facts,
};

/* ---- processes ------------------------------------------------------------------------- */

enum {
	PROCESS,
	PROCESS_PID,
	PROCESS_PARENT, /* index of a process, not a pid */
	PROCESS_NAME,
	PROCESS_STATUS, /* as waitpid() gives it */
	PROCESS_BEGIN,	/* nanoseconds since the recording began */
	PROCESS_END
};

static uint64_t count_processes(const struct subject *subject)
{
	return subject->summary.spaces;
}

/* Rows are spaces. The machine is no process: its columns of processes are NULL. */
static int next_process(struct rows *rows, struct wm_error *err)
{
	struct facts *facts = (struct facts *)rows;
	const struct wm_trace *trace = rows->subject->trace;

	(void)err;
	if (wm_trace_process(trace, facts->next, &facts->process))
		facts->process =
			(struct wm_process){ .parent = UINT32_MAX, .status = -1 };
	return step(facts, wm_trace_space(trace, facts->next, &facts->space));
}

static int put_process(struct rows *rows, sqlite3_context *context, int column,
		       struct wm_error *err)
{
	const struct facts *facts = (struct facts *)rows;

	(void)err;
	switch (column) {
	case PROCESS:
		put_index(facts, context);
		break;
	case PROCESS_PID:
		put_known(context, facts->process.pid, 0);
		break;
	case PROCESS_PARENT:
		put_known(context, facts->process.parent, UINT32_MAX);
		break;
	case PROCESS_NAME:
		put_text(context, facts->space.name);
		break;
	case PROCESS_STATUS:
		/* -1, "not known", becomes UINT32_MAX; no status is negative. */
		put_known(context, (uint32_t)facts->process.status, UINT32_MAX);
		break;
	case PROCESS_BEGIN:
		put_time(context, rows->subject, facts->process.begin_ns);
		break;
	case PROCESS_END:
		put_time(context, rows->subject, facts->process.end_ns);
		break;
	}
	return 0;
}

const struct relation relation_processes = {
	.name = "processes",
	.columns = "process INTEGER, pid INTEGER, parent INTEGER, name TEXT, "
		   "status INTEGER, begin_ns INTEGER, end_ns INTEGER",
	.rows_bytes = sizeof(struct facts),
	.count = count_processes,
	.open = open_facts,
	.next = next_process,
	.column = put_process,
	.close = close_facts,
};

/* ---- modules --------------------------------------------------------------------------- */

enum {
	MODULE,
	MODULE_PROCESS,
	MODULE_START,
	MODULE_END,    /* exclusive */
	MODULE_OFFSET, /* in the file, of `start` */
	MODULE_PATH,   /* "": from then on no file is mapped there */
	MODULE_BUILD_ID,
	MODULE_NS /* when it was first seen */
};

static uint64_t count_modules(const struct subject *subject)
{
	return subject->summary.modules;
}

static int next_module(struct rows *rows, struct wm_error *err)
{
	struct facts *facts = (struct facts *)rows;

	(void)err;
	return step(facts,
		    wm_trace_module(rows->subject->trace, facts->next, &facts->module));
}

static int put_module(struct rows *rows, sqlite3_context *context, int column,
		      struct wm_error *err)
{
	const struct facts *facts = (struct facts *)rows;

	(void)err;
	switch (column) {
	case MODULE:
		put_index(facts, context);
		break;
	case MODULE_PROCESS:
		put_number(context, facts->module.space);
		break;
	case MODULE_START:
		put_number(context, facts->module.start);
		break;
	case MODULE_END:
		put_number(context, facts->module.end);
		break;
	case MODULE_OFFSET:
		put_number(context, facts->module.file_off);
		break;
	case MODULE_PATH:
		put_text(context, facts->module.path);
		break;
	case MODULE_BUILD_ID:
		put_text(context, facts->module.build_id);
		break;
	case MODULE_NS:
		put_time(context, rows->subject, facts->module.ns);
		break;
	}
	return 0;
}

const struct relation relation_modules = {
	.name = "modules",
	.columns =
		"module INTEGER, process INTEGER, start ADDRESS INTEGER, \"end\" ADDRESS INTEGER, "
		"file_off INTEGER, path TEXT, build_id TEXT, ns INTEGER",
	.rows_bytes = sizeof(struct facts),
	.count = count_modules,
	.open = open_facts,
	.next = next_module,
	.column = put_module,
	.close = close_facts,
};

/* ---- meta ------------------------------------------------------------------------------ */

/* An estimate: the library has no function that counts them. */
static uint64_t count_meta(const struct subject *subject)
{
	(void)subject;
	return 10;
}

static int next_meta(struct rows *rows, struct wm_error *err)
{
	struct facts *facts = (struct facts *)rows;

	(void)err;
	return step(facts, wm_trace_meta_at(rows->subject->trace, facts->next,
					    &facts->key, &facts->value));
}

static int put_meta(struct rows *rows, sqlite3_context *context, int column,
		    struct wm_error *err)
{
	const struct facts *facts = (struct facts *)rows;

	(void)err;
	put_text(context, column ? facts->value : facts->key);
	return 0;
}

const struct relation relation_meta = {
	.name = "meta",
	.columns = "key TEXT, value TEXT",
	.rows_bytes = sizeof(struct facts),
	.count = count_meta,
	.open = open_facts,
	.next = next_meta,
	.column = put_meta,
	.close = close_facts,
};
