// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of names that the user gives, for code that is made at run time. The recorder finds
 * those of its guests by itself (collect/made.c), where they were written at their usual
 * places.
 *
 * A table names code of one guest process. A process that called execve() keeps its pid,
 * and then the pid has several spaces. The table does not say which of them it is for, so
 * its extents are placed into each of them. Forked children find their parent's names
 * (program/extents.h).
 *
 * Example: /tmp/perf-812.map has "40018200 80 LazyCompile:~f". In every space of pid 812
 * the name covers 0x40018200 to 0x4001827f.
 *
 * Invariant: `what` of an extent is the number of a piece.
 */
#include "program/given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "program/elf/file.h"
#include "program/made/list.h"
#include "program/made/traced.h"

/* A larger file is cut there: no compiler writes that much. */
#define TABLE_BYTES_MAX (1u << 30)

void given_fini(struct given *given)
{
	extents_fini(&given->extents);
	made_fini(&given->made);
	free(given->path);
}

/* ---- reading ------------------------------------------------------------- */

/* No form is that of the text. */
static int unknown(const char *path, struct wm_error *err)
{
	char known[160] = "";
	size_t used = 0;

	for (unsigned i = 0; made_forms[i] && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s (%s)",
					 used ? ", " : "", made_forms[i]->name,
					 made_forms[i]->what);
	return wm_fail(err, WM_E_FORMAT, 0,
		       "%s is no table of names; what is known is %s", path, known);
}

/* Reads the whole file: such tables have some megabytes. */
static int read_table(struct given *given, const struct wm_trace *trace,
		      struct wm_error *err)
{
	int fd = elf_file_open(given->path), ret;
	struct buf text = BUF_INIT;

	/* As for ELF files: no FIFO is waited for, and no device is opened. */
	if (fd < 0)
		return wm_fail(err, WM_E_IO, 0, "%s: cannot be read", given->path);
	ret = made_read(&given->made, &text, fd, TABLE_BYTES_MAX, err);
	close(fd);
	if (!ret && !made_settle_traced(&given->made, (const char *)text.data, trace))
		ret = wm_fail_nomem(err, "names of code");
	buf_fini(&text);
	return ret == WM_END ? unknown(given->path, err) : ret;
}

/* ---- whose it is --------------------------------------------------------- */

/* Whether a process of that pid was recorded. */
static bool has_process(const struct wm_trace *trace, uint32_t spaces, uint32_t pid)
{
	struct wm_process process;

	for (uint32_t i = 0; i < spaces; i++)
		if (!wm_trace_process(trace, i, &process) && process.pid == pid)
			return true;
	return false;
}

/* The pid in "/tmp/perf-PID.map", as perf(1) names such maps; 0: the name is another one. */
static uint32_t pid_in_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	unsigned pid = 0;
	int end = 0;

	path = slash ? slash + 1 : path;
	return sscanf(path, "perf-%9u.map%n", &pid, &end) == 1 && end && !path[end] ?
		       pid :
		       0;
}

/* The pid that all processes of the trace have; 0: they have several. */
static uint32_t only_pid(const struct wm_trace *trace, uint32_t spaces)
{
	struct wm_process process;
	uint32_t pid = 0;

	/* A machine below the processes has no pid. */
	for (uint32_t i = 0; i < spaces; i++) {
		if (wm_trace_process(trace, i, &process))
			continue;
		if (pid && process.pid != pid)
			return 0;
		pid = process.pid;
	}
	return pid;
}

/*
 * The process that a table is for. The user's choice comes first, then the pid in the
 * file's name, then the only process of the trace. A map may have been renamed or copied,
 * so a pid in its name that was not recorded is no error as long as there is one process
 * only.
 */
static int find_pid(uint32_t *pid, const struct wm_trace *trace, uint32_t spaces,
		    const char *path, struct wm_error *err)
{
	if (*pid)
		return has_process(trace, spaces, *pid) ?
			       0 :
			       wm_fail(err, WM_E_RANGE, 0,
				       "there is no process %u in the trace", *pid);
	*pid = pid_in_name(path);
	if (!has_process(trace, spaces, *pid))
		*pid = only_pid(trace, spaces);
	return *pid ? 0 :
		      wm_fail(err, WM_E_RANGE, 0,
			      "of which process are the names in %s? Say %s:PID", path,
			      path);
}

/*
 * What is left out are pieces that did not run, of a table with their code. Of others that
 * is not known where a block has several.
 */
static bool is_of_use(const struct made_piece *piece)
{
	return piece->ran || piece->code == MADE_NO_CODE;
}

/* Makes an extent of each piece for each space of that process. */
static int place_names(struct given *given, const struct wm_trace *trace, uint32_t spaces,
		       uint32_t pid, struct wm_error *err)
{
	const struct made *made = &given->made;
	struct wm_process process;
	bool good = true;

	for (uint32_t space = 0; good && space < spaces; space++) {
		if (wm_trace_process(trace, space, &process) || process.pid != pid)
			continue;
		for (uint32_t i = 0; good && i < made->n; i++) {
			const struct made_piece *piece = &made->pieces[i];
			struct extent extent = {
				.start = piece->start,
				.end = piece->end,
				.space = space,
				.order = i,
				.from = piece->known,
				.until = EXTENT_FOREVER,
				.what = i,
			};

			if (is_of_use(piece))
				good = extents_add(&given->extents, &extent);
		}
	}
	extents_sort(&given->extents);
	return good ? 0 : wm_fail_nomem(err, "names of code");
}

int given_open(struct given *given, const struct wm_trace *trace, const char *path,
	       uint32_t pid, struct wm_error *err)
{
	struct wm_summary summary;
	int ret;

	*given = (struct given){ .path = strdup(path) };
	if (!given->path)
		return wm_fail_nomem(err, "names of code");
	wm_trace_summary(trace, &summary);
	/* Before the file is read, because a wrong pid is the cheaper error to find. */
	ret = find_pid(&pid, trace, summary.spaces, path, err);
	if (!ret)
		ret = read_table(given, trace, err);
	if (!ret)
		ret = place_names(given, trace, summary.spaces, pid, err);
	if (ret)
		given_fini(given);
	return ret;
}

bool given_find(const struct given *given, const struct wm_trace *trace, uint32_t space,
		uint64_t address, uint32_t id, struct symbol *out)
{
	const struct extent *extent =
		extents_find(&given->extents, trace, space, address, id);
	const struct made_piece *piece;

	if (!extent)
		return false;
	piece = &given->made.pieces[extent->what];
	/* Code without a file has its address in place of a byte of the file. */
	*out = (struct symbol){
		.name = (const char *)given->made.texts.data + piece->name,
		.offset = address - piece->start,
		.module = given->path,
		.file_off = address,
	};
	return true;
}
