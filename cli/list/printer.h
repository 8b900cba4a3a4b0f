/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of threads as lines on standard output. */
#ifndef CLI_LIST_PRINTER_H
#define CLI_LIST_PRINTER_H

#include "cli/list/event_writer.h"
#include "cli/list/lines.h"
#include "cli/list/ordinal.h"
#include "cli/output.h"
#include "export/line_format.h"
#include "managed/gap_ways.h"
#include "managed/labels.h"
#include "query/source.h"
#include "trace/feed.h"

/* The begin of a thread's lines, and where the thread is. */
struct printed_thread {
	bool known;
	int group; /* of its lines (cli/list/lines.h), in this space: */
	uint32_t space;
	unsigned lead_bytes;
	char lead[48];
	uint64_t next; /* ordinal of its next line */
	struct ordinal ordinal;
	unsigned index; /* of the stream */
	/* Of managed programs, for cli/list/detail.c: the bytecodes, */
	struct labels *labels;	   /* NULL: not walked yet */
	struct walk_step labelled; /* and the text of the last one */
	char *label;		   /* [label_bytes]; NULL: none was made */
	size_t label_bytes;
	struct gap_ways *gaps; /* NULL: none was met */
	/* For gaps without a mark: it has lines, and a gap since the last of them. */
	bool begun, gap;
};

struct printer {
	/* The caller's to set. */
	const struct source *source;
	const struct line_format *format;
	bool per_insn;
	bool mixed;	    /* several threads are listed by time */
	bool with_events;   /* show events and remarks between the lines */
	bool with_accesses; /* of instructions; the format can show them */
	bool with_labels;   /* bytecodes, too */
	lines_print *print;
	void *cookie;
	uint64_t left; /* lines still to print */

	uint64_t uncertain; /* instructions that were printed and may not have run */
	uint64_t gaps;	    /* between lines, for which the format has no mark */
	struct lines *lines;
	struct printed_thread *threads; /* [streams] */
	struct units units;		/* with labels: what methods there are */
	const char *isa;		/* of the guest, for names of registers */
	struct event_writer events;
	struct output output;
};

/* Prints nothing yet. WM_E_NOMEM. */
int printer_init(struct printer *printer, struct wm_error *err);
void printer_fini(struct printer *printer);

/* The ordinal of a thread's next line; 0 when it had none. */
uint64_t printer_next(const struct printer *printer, unsigned thread);

void printer_header(struct printer *printer);
/*
 * Prints a part: at most `most` lines of it, and at most `left`. Events are not counted
 * as lines. WM_E_NOMEM.
 */
int printer_put(struct printer *printer, const struct feed_item *item, uint64_t most,
		struct wm_error *err);

/* ---- for cli/list/detail.c ------------------------------------------------ */

/* The begin of a line; advances the digits of the ordinal, not `next`. */
static inline void printer_lead(struct printer *printer, struct printed_thread *thread)
{
	if (!printer->format->before_ordinal)
		return;
	output_put(&printer->output, thread->lead, thread->lead_bytes);
	output_put(&printer->output, ordinal_text(&thread->ordinal),
		   thread->ordinal.used);
	ordinal_next(&thread->ordinal);
}

/* These many instructions that were just printed may not have run. */
void printer_remark_uncertain(struct printer *printer, uint32_t insns);

#endif
