// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes parts of threads as lines, at the speed of memcpy. The lines of each block exist
 * as text (cli/list/lines.h); what differs from one execution to the next is the ordinal
 * before them, which is counted up in its decimal digits (cli/list/ordinal.h). A format
 * without ordinals copies a whole block at once, and in a listing of blocks short lines in
 * three words each: 65 to 85 million lines of `blocks --format pc` a second of one core.
 *
 * Two rare cases have functions of their own, so that the common path has no test for
 * them: a block that did not run completely, and an event.
 *
 * Invariant: a thread's `ordinal` holds the digits of `next`, the ordinal of its next
 * line. Whoever prints a line advances both. set_ordinal() corrects them after blocks
 * that were not printed, such as those of another --from.
 */
#include "cli/list/printer.h"

#include "base/error.h"
#include "cli/list/detail.h"
#include "managed/methods.h"

#include <stdlib.h>
#include <string.h>

static const char order_remark[] =
	"# threads are in the order of the clock as well as it is known: approximate "
	"between\n# threads, exact within each\n";

/* Lines are shared by threads unless the format names the vCPU in each line. */
int printer_init(struct printer *printer, struct wm_error *err)
{
	struct wm_summary summary;
	int ret = lines_new(&printer->lines, printer->source->trace, printer->per_insn,
			    printer->mixed && printer->format->by_vcpu, printer->print,
			    printer->cookie, err);

	if (ret)
		return ret;
	wm_trace_summary(printer->source->trace, &summary);
	printer->threads = calloc(summary.streams, sizeof(*printer->threads));
	if (!printer->threads)
		return wm_fail_nomem(err, "lines of the listing");
	printer->isa = wm_trace_meta(printer->source->trace, "guest-isa");
	printer->events.source = printer->source;
	printer->events.format = printer->format->events;
	printer->events.output = &printer->output;
	printer->events.mixed = printer->mixed;
	output_init(&printer->output);
	if (printer->with_labels)
		ret = units_read(&printer->units, printer->source->trace, err);
	if (!ret && printer->with_labels && !printer->units.n)
		ret = methods_missing(printer->source->trace, "the trace ", err);
	return !ret && printer->with_events ? event_writer_init(&printer->events, err) :
					      ret;
}

void printer_fini(struct printer *printer)
{
	struct wm_summary summary;

	wm_trace_summary(printer->source->trace, &summary);
	for (unsigned i = 0; printer->threads && i < summary.streams; i++)
		detail_fini(&printer->threads[i]);
	event_writer_fini(&printer->events);
	lines_free(printer->lines);
	units_fini(&printer->units);
	free(printer->threads);
}

/* For texts that are constants of a format. */
static void put_text(struct printer *printer, const char *text)
{
	output_put(&printer->output, text, strlen(text));
}

/*
 * The remark about the order is a comment line, so only formats that show events, which
 * have comments, get it.
 */
void printer_header(struct printer *printer)
{
	const struct line_format *format = printer->format;

	if (printer->mixed && format->shows_events)
		put_text(printer, order_remark);
	if (format->header && printer->mixed)
		put_text(printer, format->thread_header);
	if (!format->header)
		return;
	/* Columns go before its newline. */
	output_put(&printer->output, format->header, strlen(format->header) - 1);
	if (printer->with_labels && format->labels->columns)
		put_text(printer, format->labels->columns);
	if (printer->with_accesses && format->accesses->columns)
		put_text(printer, format->accesses->columns);
	put_text(printer, "\n");
}

/* ---- threads ------------------------------------------------------------- */

/* The text before the ordinal: constant for a thread, so it is formatted once. */
static void set_lead(const struct printer *printer, unsigned thread,
		     struct printed_thread *printed)
{
	const struct line_format *format = printer->format;

	if (printer->mixed && format->before_thread)
		snprintf(printed->lead, sizeof(printed->lead), "%s%*u%s",
			 format->before_thread, (int)format->thread_width, thread,
			 format->after_thread);
	else if (format->before_ordinal)
		snprintf(printed->lead, sizeof(printed->lead), "%s",
			 format->before_ordinal);
	printed->lead_bytes = (unsigned)strlen(printed->lead);
}

/*
 * The state of a thread, for a part that ran in `space`. The lines of a block depend on
 * the space, so a thread that moves to another space by execve() changes its group of
 * lines and keeps its ordinal. NULL when there is no memory.
 */
static struct printed_thread *find_thread(struct printer *printer, unsigned thread,
					  uint32_t space)
{
	struct printed_thread *printed = &printer->threads[thread];
	struct wm_stream stream;

	if (printed->known && printed->space == space)
		return printed;
	if (wm_trace_stream(printer->source->trace, thread, &stream))
		return NULL;
	printed->group = lines_group(printer->lines, &stream, space);
	printed->space = space;
	printed->index = thread;
	/* UINT64_MAX is no ordinal, so the first part sets the digits. */
	if (printed->group >= 0 && !printed->known) {
		printed->next = UINT64_MAX;
		set_lead(printer, thread, printed);
		printed->known = true;
	}
	return printed->group >= 0 ? printed : NULL;
}

/*
 * Digits are made from scratch only when the part does not follow the last one directly.
 */
static void set_ordinal(const struct printer *printer, struct printed_thread *thread,
			uint64_t ordinal)
{
	if (thread->next != ordinal)
		ordinal_init(&thread->ordinal, ordinal, printer->format->ordinal_width);
	thread->next = ordinal;
}

uint64_t printer_next(const struct printer *printer, unsigned thread)
{
	const struct printed_thread *printed = &printer->threads[thread];

	return printed->known ? printed->next : 0;
}

/* ---- blocks -------------------------------------------------------------- */

/*
 * Prints lines first..end of a block. ends[i] is where line i ends in the text, so a
 * range of lines is one run of bytes. Without ordinals these are copied at once.
 */
static void put_lines(struct printer *printer, struct printed_thread *thread,
		      const struct block_lines *block, uint32_t first, uint32_t end)
{
	uint32_t at = first ? block->ends[first - 1] : 0;

	thread->next += end - first;
	printer->left -= end - first;
	if (!printer->format->before_ordinal) {
		if (end > first)
			output_put(&printer->output, block->text + at,
				   block->ends[end - 1] - at);
		return;
	}
	for (uint32_t i = first; i < end; i++) {
		printer_lead(printer, thread);
		output_put(&printer->output, block->text + at, block->ends[i] - at);
		at = block->ends[i];
	}
}

/*
 * Prints blocks whose lines are short and have no ordinal; returns how many. Each line is
 * copied with what stands behind it, which the next line overwrites.
 */
static size_t put_short(struct printer *printer, struct printed_thread *thread,
			const uint32_t *ids, size_t n)
{
	const struct short_line *shorts = lines_short(printer->lines, thread->group);
	char *at = output_room(&printer->output, sizeof(*shorts));
	size_t room = output_left(&printer->output) / sizeof(*shorts), i;

	if (n > room)
		n = room;
	for (i = 0; i < n && shorts[ids[i]].bytes; i++) {
		memcpy(at, &shorts[ids[i]], sizeof(*shorts));
		at += shorts[ids[i]].bytes;
	}
	output_take(&printer->output, at);
	thread->next += i;
	printer->left -= i;
	return i;
}

/*
 * `most` limits lines, and a block of an instruction listing has several: the last block
 * may be printed in part. It is at most printer->left, so put_lines() never makes that
 * negative.
 */
static int put_blocks(struct printer *printer, struct printed_thread *thread,
		      const uint32_t *ids, size_t n, uint64_t most, struct wm_error *err)
{
	bool is_short = !printer->per_insn && !printer->format->before_ordinal;

	for (size_t i = 0; i < n && most; i++) {
		const struct block_lines *block;
		uint32_t end;

		if (is_short) {
			size_t done = put_short(printer, thread, ids + i,
						n - i < most ? n - i : most);

			i += done;
			most -= done;
			if (i == n || !most)
				break;
		}
		block = lines_get(printer->lines, thread->group, ids[i]);
		if (!block)
			return wm_fail_nomem(err, "lines of the listing");
		end = block->n < most ? block->n : (uint32_t)most;
		put_lines(printer, thread, block, 0, end);
		most -= end;
	}
	return WM_OK;
}

/* ---- a block by itself --------------------------------------------------- */

/*
 * One line. For an instruction that may not have run, the format's mark replaces the tail
 * of the line: in text the newline becomes "  ?" and a newline.
 */
static void put_line(struct printer *printer, struct printed_thread *thread,
		     const char *text, size_t bytes, bool uncertain)
{
	const struct line_format *format = printer->format;

	if (format->before_ordinal)
		printer_lead(printer, thread);
	if (uncertain && format->uncertain) {
		output_put(&printer->output, text, bytes - strlen(format->tail));
		put_text(printer, format->uncertain);
	} else {
		output_put(&printer->output, text, bytes);
	}
	thread->next++;
	printer->left--;
}

/* The line here is only for formats that have comments. */
void printer_remark_uncertain(struct printer *printer, uint32_t insns)
{
	char text[96];

	printer->uncertain += insns;
	if (!printer->with_events || !printer->format->shows_events)
		return;
	if (insns == 1)
		snprintf(text, sizeof(text),
			 "# the last instruction may not have run (uncertain)\n");
	else
		snprintf(text, sizeof(text),
			 "# the last %u instructions may not have run (uncertain)\n",
			 insns);
	put_text(printer, text);
}

/*
 * The instructions of one block that is not complete: from item->skip on, up to the last
 * one that began. Of a block of 10 of which 6 began and 2 of these are uncertain, lines 0
 * to 3 are certain, 4 and 5 are marked, and 6 to 9 do not exist.
 */
static int put_insns(struct printer *printer, struct printed_thread *thread,
		     const struct feed_item *item, uint64_t most, struct wm_error *err)
{
	const struct wm_step *step = &item->step;
	const struct block_lines *block =
		lines_get(printer->lines, thread->group, step->id);
	uint32_t end = step->insns, sure = end - step->uncertain;

	if (!block)
		return wm_fail_nomem(err, "lines of the listing");
	/*
	 * `most` may end the listing anywhere in this range, so both limits are clamped
	 * to it.
	 */
	if (end - item->skip > most)
		end = item->skip + (uint32_t)most;
	if (sure < item->skip)
		sure = item->skip;
	if (sure > end)
		sure = end;
	put_lines(printer, thread, block, item->skip, sure);
	for (uint32_t i = sure; i < end; i++) {
		uint32_t at = i ? block->ends[i - 1] : 0;

		put_line(printer, thread, block->text + at, block->ends[i] - at, true);
	}
	if (end > sure)
		printer_remark_uncertain(printer, end - sure);
	return WM_OK;
}

/*
 * The line of a block that was left early. It shows the last instruction that began, so
 * it differs from the line of the complete block and is made for this one time.
 */
static int put_block(struct printer *printer, struct printed_thread *thread,
		     const struct feed_item *item, struct wm_error *err)
{
	const struct wm_step *step = &item->step;
	char *text = lines_of_part(printer->lines, thread->group, step->id, step->insns);

	if (!text)
		return wm_fail_nomem(err, "lines of the listing");
	put_line(printer, thread, text, strlen(text), step->uncertain);
	free(text);
	if (step->uncertain)
		printer_remark_uncertain(printer, step->uncertain);
	return WM_OK;
}

/*
 * A gap takes a number among blocks, where it is an entry of the sequence, and none among
 * instructions. It is no line: -n does not count it.
 */
static int put_gap(struct printer *printer, struct printed_thread *thread,
		   const struct feed_item *item, struct wm_error *err)
{
	char text[96];
	int ret = 0;

	if (printer->with_labels) {
		ret = detail_put_gap(printer, thread, item, err);
	} else if (printer->format->gap) {
		int bytes = printer->format->gap(text, sizeof(text), thread->next,
						 item->passed);

		output_put(&printer->output, thread->lead, thread->lead_bytes);
		output_put(&printer->output, text, (size_t)bytes);
	} else {
		thread->gap = thread->begun;
	}
	if (!printer->per_insn) {
		ordinal_next(&thread->ordinal);
		thread->next++;
	}
	return ret;
}

/* ---- parts --------------------------------------------------------------- */

/*
 * An event interrupts nothing: it goes to its own writer. Any block ends a system call's
 * line that waits for its return, and so does a gap.
 */
int printer_put(struct printer *printer, const struct feed_item *item, uint64_t most,
		struct wm_error *err)
{
	struct printed_thread *thread;

	if (item->event) {
		if (printer->with_events)
			event_writer_put(&printer->events, item->thread, item->event);
		return WM_OK;
	}
	thread = find_thread(printer, item->thread, item->step.space);
	if (!thread)
		return wm_fail_nomem(err, "lines of the listing");
	if (printer->with_events)
		event_writer_break(&printer->events);
	if (most > printer->left)
		most = printer->left;
	set_ordinal(printer, thread,
		    printer->per_insn ? item->step.insn_ordinal + item->skip :
					item->step.block_ordinal);
	if (!item->step.insns) {
		/* What is not selected needs no mention, and has no place. */
		return item->step.id ? put_gap(printer, thread, item, err) : WM_OK;
	}
	printer->gaps += thread->gap;
	thread->gap = false;
	thread->begun = true;
	if (printer->with_accesses || printer->with_labels)
		return detail_put(printer, thread, item, most, err);
	/*
	 * put_blocks() handles `most` 0 by itself; the other two print at least one line.
	 */
	if (!item->broken)
		return put_blocks(printer, thread, item->ids, item->n, most, err);
	if (!most)
		return WM_OK;
	return printer->per_insn ? put_insns(printer, thread, item, most, err) :
				   put_block(printer, thread, item, err);
}
