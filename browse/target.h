/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a user wants to go: words such as "parse.c:120", and where that is in a thread.
 */
#ifndef BROWSE_TARGET_H
#define BROWSE_TARGET_H

#include "browse/walk.h"
#include "kernel/kernel.h"

enum target_kind {
	TARGET_INSN,	 /* 1,000: the instruction of that number */
	TARGET_ADDRESS,	 /* 0x10566 */
	TARGET_LINE,	 /* parse.c:120 */
	TARGET_FUNCTION, /* work, ht_*: its first instruction; work+0x4 */
	TARGET_EVENT,	 /* marker, marker:7, syscall, syscall:write, signal */
	TARGET_TEXT,	 /* a part of an instruction's text or its function's name */
};

struct target {
	enum target_kind kind;
	/* An ordinal, an address, a line, bytes from a function; of an event its first field. */
	uint64_t number;
	uint32_t event; /* enum wm_event_kind */
	bool any;	/* the event, whatever its field is */
	char word[200]; /* a file, a function, a text */
	/* Of a function "MODULE:NAME", which may be all of a name, too; "": it has no such form. */
	char module[200];
	unsigned name; /* index in `word` */
};

/*
 * Reads words; a text begins with "/". WM_E_RANGE with a sentence for a call that the guest's
 * kernel does not have, and for words that are too long.
 */
int target_parse(struct target *target, const char *words, const struct kernel *kernel,
		 struct wm_error *err);
/*
 * Goes to the next such position after the walk's, or to the previous one before it. The
 * position of an event is the instruction after it. Returns what walk_step() returns.
 */
int target_go(const struct target *target, struct walk *walk, unsigned stream, bool back,
	      struct wm_error *err);

#endif
