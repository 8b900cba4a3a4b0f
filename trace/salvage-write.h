/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the new file, and describes in words what was lost. */
#ifndef TRACE_SALVAGE_WRITE_H
#define TRACE_SALVAGE_WRITE_H

#include "format/writer.h"
#include "trace/salvage-loss.h"

/*
 * Whether nothing is wrong with the file. The recording may have been cut short
 * nevertheless.
 */
bool salvage_is_whole(const struct salvage *salvage);

/*
 * Describe a place (by its index), lost ids, or a loss in one line: text[size], cut to
 * fit.
 */
void salvage_describe_place(const struct salvage *salvage, size_t place, char *text,
			    size_t size);
void salvage_describe_ids(const struct salvage_ids *ids, char *text, size_t size);
void salvage_describe_loss(const struct salvage_loss *loss, char *text, size_t size);

/*
 * Writes what is kept into the writer's new file, and at its end what was lost. When the
 * writer was resumed on the old file (prefix_bytes must not be 0), it writes only the new
 * end.
 */
int salvage_write(struct salvage *salvage, struct writer *writer, bool resumed,
		  struct wm_error *err);

/*
 * Bytes at the beginning of the old file that a complete plan leaves as they are, when
 * nothing after them is kept; 0 when the plan changes more than the end.
 */
uint64_t salvage_prefix(const struct salvage *salvage);

#endif
