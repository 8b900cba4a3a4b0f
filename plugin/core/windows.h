/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the code that runs now is recorded: by windows (format/orders.h), and by what a
 * person asks for with `waymark ctl` during the recording.
 */
#ifndef PLUGIN_CORE_WINDOWS_H
#define PLUGIN_CORE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/orders.h"
#include "isa/marker.h"

/* How code is translated. */
enum code_kind {
	CODE_RECORDED, /* each block stores its id */
	CODE_WAITING,  /* each piece is counted; nothing is recorded before a point */
	CODE_WATCHED,  /* each piece is counted, and checks whether a window is open */
	CODE_SINGLE,   /* the same, with each instruction as a piece */
	CODE_BARE,     /* no callbacks: nothing will be recorded any more */
};

/* What windows ask of the guest, without locks. It is static. */
struct windows_guest {
	void (*retranslate)(void); /* all code must be translated again */
	void (*hasten)(void);	   /* this thread can see to that, who asked may sleep */
	/* In a child whose parent asked for that: it can be asked again. False: it cannot. */
	bool (*resume)(void);
	void (*end)(void); /* --then exit: all is recorded; may be called again */
};

void windows_init(const struct orders *orders, const struct windows_guest *guest);
/* The kind of code to translate now. */
enum code_kind windows_code_kind(void);
/* Whether code that no filter leaves out is recorded now. */
bool windows_open(void);
/* Whether that of this thread is, which may run older code than the state asks for. */
bool windows_record(unsigned vcpu);
/* All code will be translated again, for another reason than windows. */
void windows_code_goes(void);
/* All code is gone, and no thread runs any: what is translated now is of another kind. */
void windows_code_begins(void);
/* Whether windows may have points at instructions, before which code is cut. */
bool windows_have_points(void);

/* A thread begins on a lane, and has executed nothing yet. */
void windows_thread_begins(unsigned vcpu);
/* The same in a forked child, for its only thread. Takes no lock. */
void windows_begin_child(void);
/* When fork() returns, in parent and child. */
void windows_forked(unsigned vcpu);

/* A thread reaches a point. It calls these itself, without link_lock(). */
void windows_reach_point(unsigned vcpu, uint32_t file, uint64_t address);
/* `wanted`: no filter leaves the marker's instruction out, so there is an event, too. */
void windows_pass_marker(unsigned vcpu, const struct marker *marker, bool wanted);
void windows_reach_syscall(unsigned vcpu, uint64_t number);
/*
 * The thread has executed `next` instructions, the value in its lane: handles what is
 * reached by that, and sets `next` again.
 */
void windows_reach_count(unsigned vcpu);
/* The same in code that waits. What the thread runs there is a gap. */
void windows_wait(unsigned vcpu);
/* Checks for a new `wish` and for points in time. Cheap; called now and then. */
void windows_look(unsigned vcpu);
/*
 * The same for a thread that has stored the id of a block and not run it: if a window closes, the
 * gap comes before the thread's next block.
 */
void windows_look_in_block(unsigned vcpu);
/* Whether there is a new `wish`. */
bool windows_have_wish(void);

#endif
