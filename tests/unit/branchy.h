/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of a few branches, made by hand, for tests of what the library explains. Whatever
 * goes wrong ends the test.
 */
#ifndef TESTS_BRANCHY_H
#define TESTS_BRANCHY_H

#include "tests/unit/sample.h"
#include "waymark.h"

enum { LOOP = 0x1000, AFTER = 0x1008, FUNCTION = 0x2000, HANDLER = 0x3000 };

extern struct sample sample;
extern struct wm_trace *trace;
/* Blocks: a loop, a call, what it calls, a handler of signals; a gap. */
extern uint32_t loop, after, function, handler, gap;

/* Opens the trace, and closes it: for cmocka, before and after all tests. */
int set_up(void **state);
int tear_down(void **state);

/* "bne a0,a1,-4"; "jal ra" to FUNCTION; "ret"; "mret" stands for what goes on. */
void put_code(void);
/* A signal of the next chunk. */
void put_signal(uint64_t position, uint64_t pc);

struct outcome {
	uint64_t block, insn, address, target;
	uint32_t id, index, flow;
	bool taken;
};

extern struct outcome wanted[5]; /* of the trace's branches */
/* Fills in wanted[]. */
void want(void);
/* It is the i-th one. */
void check_branch(const struct wm_branch *branch, size_t i);

#endif
