/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out which code each hart of Spike runs, user mode's or a kernel's, and which
 * instructions completed. A log of commits has both. A log of -l has neither, but it
 * has a line for each trap, and the rest follows from the instructions: see
 * privilege.c.
 */
#ifndef TRACE_PRIVILEGE_H
#define TRACE_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/spikeline.h"
#include "waymark.h"

/*
 * Who runs: one of the first two, or a group (PRIVILEGE_FIRST and above), decided later.
 */
enum { PRIVILEGE_KERNEL, PRIVILEGE_USER, PRIVILEGE_FIRST };

enum { PRIVILEGE_TRAPS = 16 };

/* What a trap handler has read about its trap, in a log of commits. */
struct privilege_reads {
	bool has_cause, has_epc;
	uint64_t cause, epc;
};

/* A trap that was taken, until its handler returns. */
struct privilege_trap {
	uint64_t epc;
	uint32_t who; /* the interrupted code */
	bool known;   /* `epc` is valid */
	bool fault;   /* the instruction did not complete; the handler may emulate it */
	bool silent;  /* without a line in the log: the handler's reads describe it */
	bool called;  /* it is known to be an ecall */
};

struct privilege_hart {
	uint32_t who;	/* runs now */
	bool begun;	/* `who` is set */
	bool pending;	/* the next line shows whether the last instruction completed */
	bool trapped;	/* it did not, or was an ecall: traps[n - 1] */
	bool returning; /* from a trap: the next address shows to which code */
	enum { PRIVILEGE_NOTHING, PRIVILEGE_INSN, PRIVILEGE_COMMIT } last; /* line */
	uint64_t pc; /* of the last instruction, and its word */
	uint32_t word;
	unsigned n;
	struct privilege_trap traps[PRIVILEGE_TRAPS];
	struct privilege_reads reads[2]; /* of a silent trap, in supervisor, machine mode */
};

struct privilege {
	struct privilege_hart *harts; /* [cpus] */
	unsigned cpus;
	uint8_t *groups; /* [n] who each is; PRIVILEGE_FIRST: undecided */
	uint32_t n;
	bool user; /* some code is known to be user mode */
	/*
	 * Called for each instruction, in order. Returns 0, or an error, which is passed
	 * on.
	 */
	int (*ran)(void *cookie, unsigned cpu, uint64_t pc, uint32_t who);
	void *cookie;
};

/* For harts below `cpus`; the caller sets ran and cookie. WM_E_NOMEM. */
int privilege_init(struct privilege *privilege, unsigned cpus, struct wm_error *err);
void privilege_fini(struct privilege *privilege);

/* Processes the next line, of a hart below `cpus`. WM_E_NOMEM, and errors of ran(). */
int privilege_take(struct privilege *privilege, const struct spikeline *line,
		   struct wm_error *err);
/* Whether there was an instruction that SPIKELINE_TIMES can refer to. */
bool privilege_has_last(const struct privilege *privilege, unsigned cpu);
/* Processes the end of the log. Errors of ran(). */
int privilege_end(struct privilege *privilege, struct wm_error *err);

/* The decision: PRIVILEGE_KERNEL, PRIVILEGE_USER, or PRIVILEGE_FIRST when undecided. */
static inline uint32_t privilege_of(const struct privilege *privilege, uint32_t who)
{
	return privilege->groups[who];
}

#endif
