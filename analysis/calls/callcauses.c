// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events come before the calls that follow from them: a trap right before its handler, the
 * system call that an ecall is right before its trap, an interrupt's number before the function
 * that handles it. So what was seen last is enough.
 *
 * Example: a system call, number 64, and a trap by an ecall: the handler's frame gets
 * CALLTRACE_SYSCALL + 64. A trap by a page fault gets its cause plus 1, so that 0 is a signal.
 */
#include "analysis/calls/callcauses.h"

#include <ctype.h>
#include <stdio.h>

#include "analysis/calls/calls.h"

enum { TRAP_OF_CALL = 8 }; /* cause of an ecall from user mode */
enum { TRAP_CAUSE = 3 };   /* field of WM_EVENT_TRAP: see format/events.def */

bool callcauses_wants(const struct wm_event *event, uint64_t *number)
{
	uint64_t pc;

	*number = event->n_fields ? event->fields[0] : 0;
	if (event->kind == WM_EVENT_SYSCALL)
		return event->n_fields && event->fields[0] < CALLTRACE_SYSCALL;
	if (event->kind == WM_EVENT_IRQ)
		return event->n_fields;
	*number = event->kind == WM_EVENT_TRAP && event->n_fields > TRAP_CAUSE ?
			  (uint32_t)event->fields[TRAP_CAUSE] + 1 :
			  0;
	return calls_is_signal(event, &pc);
}

/* Its name is the guest's, so it may be anything. */
static void take_irq(struct callcauses *causes, uint64_t number, const char *text,
		     size_t bytes)
{
	snprintf(causes->irq_name, sizeof(causes->irq_name), "%.*s",
		 (int)(bytes < 60 ? bytes : 60), text ? text : "");
	for (char *at = causes->irq_name; *at; at++)
		if (!isprint((unsigned char)*at))
			*at = '?';
	causes->irq = CALLTRACE_IRQ + (uint32_t)(number % CALLTRACE_IRQ);
}

void callcauses_take(struct callcauses *causes, uint32_t event, uint64_t number,
		     const char *text, size_t bytes)
{
	/* Of a machine, its trap follows at the same place. */
	if (event == WM_EVENT_SYSCALL) {
		causes->call = CALLTRACE_SYSCALL + (uint32_t)number;
		return;
	}
	if (event == WM_EVENT_IRQ) {
		take_irq(causes, number, text, bytes);
		return;
	}
	causes->trap = (uint32_t)number;
	if (causes->trap == TRAP_OF_CALL + 1 && causes->call)
		causes->trap = causes->call;
	causes->call = 0;
}

const char *callcauses_give(struct callcauses *causes, struct callstack_frame *frame)
{
	const char *name = NULL;

	if (frame->kind == FRAME_RESUMED) {
		frame->edge = 0;
		return NULL;
	}
	frame->edge = frame->kind == FRAME_SIGNAL ? causes->trap : 0;
	if (causes->irq && frame->kind != FRAME_SIGNAL) {
		frame->edge = causes->irq;
		name = causes->irq_name;
	}
	causes->irq = 0;
	return name;
}
