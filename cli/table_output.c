// SPDX-License-Identifier: GPL-2.0-or-later
/* A sink in front of a table_writer. */
#include "cli/table_output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/pager.h"
#include "cli/stdout.h"

/*
 * NO_COLOR follows no-color.org: any non-empty value turns colours off. Asked before the
 * pager takes the place of the terminal.
 */
static bool wants_colour(bool paged)
{
	const char *none = getenv("NO_COLOR");

	if (habits.colour != COLOUR_AUTO)
		return habits.colour == COLOUR_ALWAYS;
	return isatty(STDOUT_FILENO) && !terminal_is_dumb() && !(none && *none) &&
	       !(paged && pager_shows_codes());
}

static int begin(struct table_sink *sink, const struct table_column *columns, unsigned n,
		 struct wm_error *err)
{
	struct table_output *output = (struct table_output *)sink;
	bool colour = wants_colour(output->watch != NULL);
	size_t room = terminal_room();

	/* The progress line has to go before the pager takes the terminal. */
	if (output->watch) {
		watch_end(output->watch);
		pager_start();
	}
	fflush(stdout);
	/* stdout removes control characters, which colours need; cells contain none. */
	output->out = stdout_open_raw();
	if (!output->out)
		return wm_fail_nomem(err, "a table");
	table_writer_init(&output->writer, output->format, output->out, colour);
	output->writer.room = room;
	output->writer.may_omit = output->may_omit;
	output->writer.bare = output->bare;
	output->writer.separator = output->separator;
	sink = &output->writer.sink;
	return sink->begin(sink, columns, n, err);
}

static int put_row(struct table_sink *sink, const struct table_cell *cells,
		   struct wm_error *err)
{
	sink = &((struct table_output *)sink)->writer.sink;
	return sink->row(sink, cells, err);
}

static int end(struct table_sink *sink, struct wm_error *err)
{
	sink = &((struct table_output *)sink)->writer.sink;
	return sink->end(sink, err);
}

void table_output_init(struct table_output *output, enum table_format format,
		       struct watch *watch)
{
	*output = (struct table_output){ .sink = { begin, put_row, end },
					 .watch = watch,
					 .format = format };
}

static void tell_omitted(const struct table_writer *writer)
{
	struct buf names = BUF_INIT;

	for (unsigned i = 0; i < writer->n_columns; i++)
		if (writer->omitted >> i & 1) {
			buf_put(&names, ", ", names.len ? 2 : 0);
			buf_put(&names, writer->columns[i].name,
				strlen(writer->columns[i].name));
		}
	buf_put_u8(&names, 0);
	if (!names.failed)
		remark("no room for %s (-f prints them)", (const char *)names.data);
	buf_fini(&names);
}

void table_output_fini(struct table_output *output)
{
	/* NULL when no row and no heading was printed, because of an error. */
	if (!output->out)
		return;
	fclose(output->out);
	if (output->writer.omitted)
		tell_omitted(&output->writer);
	table_writer_fini(&output->writer);
}
