// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One line for an event, the same for every back end of text. The line is written into
 * memory first, so that a back end can hand it on in one piece; the memory is used
 * again.
 */
#include "events/line.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "events/render.h"

int event_line_init(struct event_line *line, struct wm_error *err)
{
	line->out = open_memstream(&line->text, &line->bytes);
	return line->out ? 0 : wm_fail_nomem(err, "events");
}

void event_line_fini(struct event_line *line)
{
	if (line->out)
		fclose(line->out);
	free(line->text);
}

const char *event_line_make(struct event_line *line, const struct event_info *info,
			    const struct event_record *record,
			    const struct kernel *kernel)
{
	rewind(line->out);
	if (record->tid)
		fprintf(line->out, "[%" PRIu32 "/%" PRIu32 "] ", record->pid,
			record->tid);
	else if (record->pid)
		fprintf(line->out, "[%" PRIu32 "] ", record->pid);
	fprintf(line->out, "%s: ", info->name);
	event_render(line->out, info, kernel, record->fields, record->text,
		     record->text_bytes);
	putc(0, line->out);
	return fflush(line->out) ? "" : line->text;
}
