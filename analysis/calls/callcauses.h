/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a function was called that no code calls: what came before it, of a thread's events.
 * Signals, and of a whole machine traps, system calls and interrupts of devices.
 */
#ifndef ANALYSIS_CALLS_CALLCAUSES_H
#define ANALYSIS_CALLS_CALLCAUSES_H

#include "analysis/calls/callstack.h"
#include "waymark.h"

enum { CALLTRACE_SYSCALL = 1 << 16, CALLTRACE_IRQ = 1 << 24 };

/* All zeros at the begin of a thread. */
struct callcauses {
	uint32_t trap;	   /* the last one, as frames have it; 0 after a signal */
	uint32_t call;	   /* the system call at hand, as frames have it; 0: none */
	uint32_t irq;	   /* the next call handles it, as frames have it; 0: none */
	char irq_name[64]; /* its device, printable */
};

/* Whether an event is one of these, and what of it is taken besides its kind and its text. */
bool callcauses_wants(const struct wm_event *event, uint64_t *number);
/* Of an event that is wanted; text[bytes] is its text. */
void callcauses_take(struct callcauses *causes, uint32_t event, uint64_t number,
		     const char *text, size_t bytes);
/*
 * A call begins, which gets its `edge`: see struct calltrace_call. Returns the device's name, or
 * NULL.
 */
const char *callcauses_give(struct callcauses *causes, struct callstack_frame *frame);

#endif
