/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is the same in every line of a listing, whatever it lists. */
#ifndef EXPORT_LINE_FORMAT_H
#define EXPORT_LINE_FORMAT_H

#include "export/access_format.h"
#include "export/event_format.h"
#include "export/label_format.h"

#include <stdbool.h>

/*
 * A line is: lead, thread, after_thread, ordinal, rest. The thread is there only when
 * several are mixed. A format without a place for it may show the vCPU (by_vcpu).
 */
struct line_format {
	struct format format;	    /* first: formats[] knows it by this */
	const char *header;	    /* the first line of a listing, or NULL */
	const char *before_ordinal; /* a line begins with this and the ordinal; or NULL */
	unsigned ordinal_width;	    /* of the ordinal, blanks on its left */

	const char *thread_header; /* comes before the header when threads are mixed */
	const char *before_thread; /* a line begins with this and the thread; or NULL */
	unsigned thread_width;
	const char *after_thread; /* and then this and the ordinal */
	bool by_vcpu;		  /* the rest of a line names the vCPU */
	bool lines;		  /* an instruction may have its source line */

	const char *tail; /* what all lines end with; NULL: nothing comes before that */
	const char *uncertain; /* instead, where instructions may not have run; or NULL */

	/*
	 * The rest of the line of a gap, ordinal included; `insns` ran unrecorded (0: not
	 * known). Returns what snprintf() does; NULL: gaps are left out.
	 */
	int (*gap)(char *text, size_t size, uint64_t ordinal, uint64_t insns);

	const struct event_format *events;    /* how events are shown between; or NULL */
	bool shows_events;		      /* even when nobody asks for it */
	const struct line_accesses *accesses; /* how these are shown; or NULL */
	const struct line_labels *labels;     /* how bytecodes are shown; or NULL */
};

#endif
