// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guide comes into the program that `waymark record` starts, and stays in what forks from it.
 * What execve() begins has the arguments and the environment that its parent gave it, and so no
 * agent that tells of its methods. Who reads counts of methods must know that some are missing.
 *
 * Example: python3.13 runs "subprocess.run([sys.executable, ...])" twice: 2.
 */
#include "analysis/methods/unguided.h"

#include <stdio.h>
#include <string.h>

#include "out/text.h"

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether it replaced its parent, which had the same pid. */
static bool is_executed(const struct wm_trace *trace, const struct wm_process *process)
{
	struct wm_process parent;

	return !wm_trace_process(trace, process->parent, &parent) &&
	       parent.pid == process->pid;
}

static unsigned count(const struct wm_trace *trace)
{
	struct wm_process first, process;
	struct wm_summary summary;
	unsigned n = 0;

	wm_trace_summary(trace, &summary);
	if (!wm_trace_meta(trace, "guide") || wm_trace_process(trace, 0, &first))
		return 0;
	for (unsigned i = 1; i < summary.spaces; i++)
		n += !wm_trace_process(trace, i, &process) &&
		     is_executed(trace, &process) &&
		     !strcmp(name_of(process.path), name_of(first.path));
	return n;
}

bool unguided_tell(const struct wm_trace *trace, char text[static UNGUIDED_TEXT])
{
	unsigned n = count(trace);
	struct wm_process first;

	if (!n || wm_trace_process(trace, 0, &first))
		return false;
	snprintf(
		text, UNGUIDED_TEXT,
		"execve() began %.80s %u time%s more, which no guide follows: the methods of "
		"%s are not known",
		name_of(first.path), n, n == 1 ? "" : "s",
		n == 1 ? "that process" : "those processes");
	text_make_line(text);
	return true;
}
