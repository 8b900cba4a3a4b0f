/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of `waymark browse`: a position in a thread, and what keys do to it. It draws
 * nothing, so a script can press keys as well as a person.
 */
#ifndef CLI_BROWSE_BROWSER_H
#define CLI_BROWSE_BROWSER_H

#include "analysis/methods/bytecode_text.h"
#include "browse/target.h"
#include "cli/browse/frames.h"
#include "query/query.h"

enum { BROWSER_MARKS = 26, BROWSER_TEXT = 256 };

/* The bytecodes of a managed program: for browser_methods.c. */
struct browser_methods {
	struct units units; /* .n 0: the trace has none */
	struct bytecode_names names;
	struct bytewalk bytes;
	bool any;   /* the thread executed bytecodes; */
	bool shown; /* positions are theirs */
	struct bytewalk_view
		view; /* of the position; nothing in it: none was found near it */
};

struct browser {
	const struct query *query; /* open */
	unsigned thread;	   /* index into its selection */
	unsigned stream;
	struct walk walk;
	struct target target; /* what > and < go to */
	bool has_target;
	struct {
		bool set;
		unsigned thread;
		uint64_t insn;
	} marks[BROWSER_MARKS];
	struct browser_methods methods;
	struct frames frames; /* of the position */
	size_t selected;
	bool quit;
	unsigned help;		    /* the page of keys that is shown, from 1; 0: none */
	char message[BROWSER_TEXT]; /* what came of the last key; "" nothing to say */
};

/* At the first instruction of the longest selected thread. */
int browser_init(struct browser *browser, const struct query *query,
		 struct wm_error *err);
void browser_fini(struct browser *browser);

/* What a key needs in addition: nothing, a line of text, or one letter. */
enum browser_wants { WANTS_NOTHING, WANTS_LINE, WANTS_LETTER };
enum browser_wants browser_wants(int key);
/*
 * Obeys a key with the text that it needs, or "". browser->message says what cannot be
 * done; errors of the trace are returned.
 */
int browser_key(struct browser *browser, int key, const char *text, struct wm_error *err);

/* "main+0x2" into text[BROWSER_TEXT]; returns it. */
const char *browser_place(const struct browser *browser, uint32_t id, uint32_t space,
			  uint64_t address, char *text);
/* The same of a frame, which may be inlined. */
const char *browser_frame_place(const struct browser *browser, const struct frame *frame,
				char *text);
/* The path of a frame's source; NULL: its line is not known. */
const char *browser_frame_path(const struct browser *browser, const struct frame *frame);
/* The position in one line, into text[2 * BROWSER_TEXT]. */
const char *browser_position(const struct browser *browser, char *text);

#endif
