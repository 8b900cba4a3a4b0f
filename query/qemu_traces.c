// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events from files that QEMU's "simple" trace backend wrote. One event of each file is
 * held in memory and the earliest is handed out, so files of any size are merged.
 *
 * A damaged file ends at the damage; other files and the recording are listed to their
 * end, and the damage is reported after that. Names of events come from a file that QEMU
 * installs, trace-events-all, which is found relative to the emulator that recorded.
 */
#include "query/qemu_traces.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"

/* The file is opened later, when all options are known. */
bool qemu_traces_add(struct qemu_traces *traces, const char *path)
{
	struct qemu_file file = { .path = path };

	return APPEND(traces->files, traces->n, file);
}

static int open_file(struct qemu_file *file, struct wm_error *err)
{
	/* O_NONBLOCK: opening a FIFO without a writer must not block. */
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return wm_fail_errno(err, "cannot open %s", file->path);
	return simpletrace_open(&file->trace, fd, err);
}

/* One set of declarations serves all files: they are those of QEMU, not of a file. */
static int open_declarations(struct qemu_traces *traces, const char *path,
			     struct wm_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return wm_fail_errno(err, "cannot open %s", path);
	ret = declarations_read(&traces->declarations, fd, err);
	close(fd);
	for (unsigned i = 0; !ret && i < traces->n; i++)
		simpletrace_declare(traces->files[i].trace, traces->declarations);
	return ret;
}

/* For PREFIX/bin/qemu-riscv64 it is PREFIX/share/qemu/trace-events-all. Optional. */
void qemu_traces_find_declarations(struct qemu_traces *traces, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	char found[PATH_MAX];

	/* Declarations that the user named are not replaced. */
	if (!slash || traces->declarations)
		return;
	if (snprintf(found, sizeof(found), "%.*s/../share/qemu/trace-events-all",
		     (int)(slash - path), path) < (int)sizeof(found))
		(void)open_declarations(traces, found, NULL);
}

int qemu_traces_open(struct qemu_traces *traces, const char **faulty,
		     struct wm_error *err)
{
	int ret = 0;

	/* The caller's sentence names the file in *faulty. */
	for (unsigned i = 0; !ret && i < traces->n; i++) {
		*faulty = traces->files[i].path;
		ret = open_file(&traces->files[i], err);
	}
	if (ret || !traces->declared)
		return ret;
	*faulty = traces->declared;
	return open_declarations(traces, traces->declared, err);
}

void qemu_traces_fini(struct qemu_traces *traces)
{
	for (unsigned i = 0; i < traces->n; i++)
		simpletrace_close(traces->files[i].trace);
	free(traces->files);
	declarations_free(traces->declarations);
}

/* Counts events of the period as well: a file without any is of another run. */
static void look_ahead(struct qemu_traces *traces, struct qemu_file *file)
{
	/* One event is held; the next one is read when it was taken. */
	if (file->has_next || file->end)
		return;
	file->end = simpletrace_next(file->trace, &file->next, &file->why);
	file->has_next = !file->end;
	file->met += file->has_next;
	file->within += file->has_next && file->next.ns >= traces->period.begin_ns &&
			file->next.ns <= traces->period.end_ns;
}

/* The event handed out last is released only here: the caller used it until now. */
const struct simpletrace_event *qemu_traces_next(struct qemu_traces *traces)
{
	struct qemu_file *first = NULL;

	if (traces->taken)
		traces->taken->has_next = false;
	for (unsigned i = 0; i < traces->n; i++) {
		struct qemu_file *file = &traces->files[i];

		look_ahead(traces, file);
		/*
		 * Of events with the same time the one of the earlier file comes first.
		 */
		if (file->has_next && (!first || file->next.ns < first->next.ns))
			first = file;
	}
	traces->taken = first;
	return first ? &first->next : NULL;
}

/*
 * Only a file that was read to its end is judged. A recording without times has an empty
 * period, in which no event can be.
 */
static bool is_of_another_run(const struct qemu_traces *traces,
			      const struct qemu_file *file)
{
	return file->end == WM_END && file->met && !file->within &&
	       traces->period.begin_ns < traces->period.end_ns;
}

/* Notes are not errors: the events that were read are valid. */
static void warn_of_notes(const char *path, const struct simpletrace_notes *notes,
			  const struct listener *listener)
{
	if (notes->dropped)
		listener_warn(listener,
			      "%s: QEMU dropped %" PRIu64
			      " events, its buffer being full",
			      path, notes->dropped);
	if (notes->nameless)
		listener_warn(listener,
			      "%s: %" PRIu64
			      " events have an id that the file gives no name",
			      path, notes->nameless);
	if (notes->cut_off)
		listener_warn(listener,
			      "%s: ends in the middle of a record, which begins at byte "
			      "%" PRIu64,
			      path, notes->cut_off);
}

void qemu_traces_warn(const struct qemu_traces *traces, const struct qemu_file *file,
		      const struct listener *listener)
{
	warn_of_notes(file->path, simpletrace_notes(file->trace), listener);
	if (is_of_another_run(traces, file))
		listener_warn(
			listener,
			"%s: none of its events happened during the recording: is it "
			"of another run?",
			file->path);
}
