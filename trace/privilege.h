/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose code it is that one of Spike's harts runs, and which instructions were carried out.
 * A log of commits says both. One of -l says neither, but each trap has a line in it, and
 * the instructions themselves tell the rest: see privilege.c.
 */
#ifndef TRACE_PRIVILEGE_H
#define TRACE_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/spikeline.h"
#include "waymark.h"

/* Who: one of the first two, or somebody of whom it may be told later. */
enum { PRIVILEGE_KERNEL, PRIVILEGE_USER, PRIVILEGE_FIRST };

enum { PRIVILEGE_TRAPS = 16 };

/* What a trap handler has read of its cause, in a log of commits. */
struct privilege_reads {
	bool has_cause, has_epc;
	uint64_t cause, epc;
};

/* Where a trap was taken, until its handler returns there. */
struct privilege_trap {
	uint64_t epc;
	uint32_t who; /* was interrupted */
	bool known;   /* epc is */
	bool fault;   /* the instruction was not carried out, but may be by the handler */
	bool silent;  /* no line told of it: what the handler reads does */
	bool called;  /* that it was an ecall is told */
};

struct privilege_hart {
	uint32_t who;	/* runs now */
	bool begun;	/* `who` is set */
	bool pending;	/* the last instruction may yet turn out to have faulted */
	bool trapped;	/* it did, or called: traps[n - 1] */
	bool returning; /* from a trap: the next address tells whose code comes */
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
	uint8_t *groups; /* [n] who each is: PRIVILEGE_FIRST when nothing tells */
	uint32_t n;
	bool user; /* some code is known to be user mode's */
	/* Is told of each instruction, in order: 0, or an error, which is passed on. */
	int (*ran)(void *cookie, unsigned cpu, uint64_t pc, uint32_t who);
	void *cookie;
};

/* With ran() and cookie; for harts below `cpus`. WM_E_NOMEM. */
int privilege_init(struct privilege *privilege, unsigned cpus, struct wm_error *err);
void privilege_fini(struct privilege *privilege);

/* Takes the next line: of a hart below `cpus`. WM_E_NOMEM, and errors of ran(). */
int privilege_take(struct privilege *privilege, const struct spikeline *line,
		   struct wm_error *err);
/* Whether there was an instruction before, which SPIKELINE_TIMES can be about. */
bool privilege_has_last(const struct privilege *privilege, unsigned cpu);
/* At the end of the log. Errors of ran(). */
int privilege_end(struct privilege *privilege, struct wm_error *err);

/* What is known in the end: PRIVILEGE_KERNEL, _USER, or _FIRST when nothing tells. */
static inline uint32_t privilege_of(const struct privilege *privilege, uint32_t who)
{
	return privilege->groups[who];
}

#endif
