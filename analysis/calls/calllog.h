/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls and returns of a part of a thread, one by one and in order. A part that is not the
 * first one does not know the stack at its beginning: calllog_append() supplies it, and the
 * log is the same as without a cut.
 */
#ifndef ANALYSIS_CALLS_CALLLOG_H
#define ANALYSIS_CALLS_CALLLOG_H

#include "analysis/calls/callbytes.h"
#include "analysis/calls/callspans.h"

enum { CALLLOG_ONLY = 1, CALLLOG_NOT = 2 };

/*
 * What readers of the log want to see. The rest is left out as soon as it is certain that it
 * is not part of that, which bounds the log.
 */
struct calllog_wanted {
	const uint8_t *matches; /* [entities + 1] CALLLOG_ONLY, CALLLOG_NOT */
	bool only;	 /* just calls of functions that match, and those inside them */
	bool without;	 /* none of functions that match, nor those inside them */
	uint64_t levels; /* of these at most, from the outermost wanted call on */
	uint64_t calls;	 /* at most: the log ends at the call behind them */
	/*
	 * Not 0: the log keeps only this many calls, the longest ones, in `spans`. It has no list
	 * of single calls and no causes, and the members above are ignored.
	 */
	uint64_t longest;
	const bool *hidden; /* [entities + 1] calls that it has not; NULL: none */
};

struct calllog {
	struct callstack stack;
	const struct calllog_wanted *wanted;
	struct callbytes of; /* what its bytes refer to */
	struct buf items;
	uint64_t at;	     /* instruction of the last item */
	uint64_t first_insn; /* ordinals, */
	uint64_t insn;	     /* of the next one */
	bool begun;	     /* these are known */
	uint64_t sure;	     /* calls that are certainly wanted */
	bool full;	     /* these are more than enough: nothing is added any more */
	struct callspans spans;
	uint32_t stays;	    /* steps in the log */
	uint64_t stay_insn; /* of the last one */
	int error;
};

enum calllog_kind { CALLLOG_ENTER, CALLLOG_LEAVE, CALLLOG_CAUSE, CALLLOG_STEP };

struct calllog_item {
	enum calllog_kind kind;
	uint64_t insn; /* of CALLLOG_LEAVE the ordinal after the last instruction */
	/* CALLLOG_ENTER: */
	uint32_t entity;
	enum frame_kind how;
	bool entered;
	uint64_t level; /* calls that are open, this one included */
	/* CALLLOG_CAUSE: what event came, see callcauses.h. */
	uint32_t event;
	uint64_t number;
	struct span text;
};

/* `first`: nothing was before. What is wanted, and rows and strands, must outlive the log. */
void calllog_init(struct calllog *log, const struct calllog_wanted *wanted,
		  const struct callbytes *of, bool first);
void calllog_fini(struct calllog *log);

/* Called before the stack is followed: what comes next is instruction `insn`. */
void calllog_begin(struct calllog *log, uint64_t insn);
/* The error so far, with its sentence; or 0. */
int calllog_check(const struct calllog *log, struct wm_error *err);
/* An event that readers want to know of, because calls follow from it. */
void calllog_cause(struct calllog *log, uint32_t event, uint64_t number, const char *text,
		   size_t bytes);

/*
 * Appends `next`, the part that follows; it can only be freed afterwards. WM_E_FORMAT when its
 * bytes came from elsewhere and are no such part.
 */
int calllog_append(struct calllog *log, const struct calllog *next, struct wm_error *err);

/* The bytes of a log, by the rules of analysis/analysis.h; get() right after init(). */
void calllog_put(struct calllog *log, struct buf *out);
int calllog_get(struct calllog *log, struct span *in, struct wm_error *err);

/*
 * Reads the items of a log from a span that begins as all of its items. *insn is that of the
 * item before, 0 at first. CALLLOG_STEP is only in the log of a part that is not the first, and
 * left to calllog_append(). False: there are no more, or in->failed.
 */
bool calllog_next(struct span *in, uint64_t *insn, struct calllog_item *item);

#endif
