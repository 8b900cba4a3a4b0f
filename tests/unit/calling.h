/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up program whose functions call each other, for tests of the parts of call graphs.
 * Whatever goes wrong ends the test.
 */
#ifndef TESTS_CALLING_H
#define TESTS_CALLING_H

#include "analysis/calls/callpart.h"

/*
 * Functions 1 to FUNCTIONS have the same blocks: PLACES places of 10 bytes, one block each,
 * which is number function * PLACES + place. Number STUB is a stub, FAR is longjmp(), ONWARD
 * is what lets an exception go on; from NAMELESS on they are files without symbols, whose
 * code is an entity at each place, and was called directly at SECOND. The blocks ON of
 * INTO_MIDDLE and INTO_ENTRY run on into the function after them.
 */
enum {
	FUNCTIONS = 11,
	INTO_MIDDLE = 4,
	INTO_ENTRY = 5,
	ONWARD = 7,
	STUB = 8,
	FAR = 9,
	NAMELESS = 10,
	PLACES = 6,
	BLOCKS = (FUNCTIONS + 1) * PLACES,
	ROWS = BLOCKS + 3,
	ENTITIES = FUNCTIONS + (FUNCTIONS - NAMELESS + 1) * PLACES,
};
enum { ENTRY, CALL_1, CALL_2, ON, JUMP, RETURN };
enum { SECOND = ON };

extern struct site rows[ROWS];
extern const struct site_table table; /* of these rows */

uint32_t block(uint32_t function, uint32_t place);
/* Code without symbols, when it is called there. */
uint32_t nameless(uint32_t function, uint32_t place);
/* Fills in rows[]; for cmocka, before all tests. */
int make_rows(void **state);
/* The same with inlined calls in functions 2, 3, 5 and 6, and its undoing. */
int make_inlined_rows(void **state);
int drop_inlined_rows(void **state);
/*
 * Those of make_rows(), as a JVM has them: INTERPRETER is one, and BLOB of no method; at JUMP it
 * goes to who handles an exception. MOUNT calls virtual threads, which method 3 unmounts at JUMP,
 * and THAW puts back, at JUMP one frame more.
 */
enum { INTERPRETER = 2, BLOB = 6, THAW = 5, MOUNT = 9 };
int make_jvm_rows(void **state);
/* Those of make_rows(), of which three are traces that LuaJIT compiled. */
enum { TRACE = 2, NEXT_TRACE = 3, LAST_TRACE = 6 };
int make_trace_rows(void **state);
/*
 * Those of make_rows(), of which two are functions of JavaScript. THROWER goes to handlers at JUMP,
 * and REPLACER returns, or into a function's better code.
 */
enum { FUNCTION = 2, BETTER = 3, THROWER = 6, REPLACER = 5 };
int make_v8_rows(void **state);
/*
 * Those of make_rows(), where SWITCH goes on with another stack at JUMP and at RETURN, and so does
 * SET, to which it may jump for that.
 */
enum { SWITCH = 6, SET = 9 };
int make_switch_rows(void **state);
/* Whose instructions those of a row are: an entity. */
uint32_t owner_of(const struct site *row);

/* Of the inlined calls. */
const struct strands *calling_strands(void);

/* What happens: a block that is entered, or with a high bit something before it. */
enum {
	SIGNAL = 1 << 30,
	SIGRETURN = 1 << 29,
	LEFT_EARLY = 1 << 28,
	GAP = 1 << 27,
	NUMBER = 0xffff
};

/* `next` is the block that goes on after a signal; 0: not known. */
void feed_one(struct callpart *part, uint32_t what, uint32_t next, uint64_t *insn);
/* A signal's own number is the block that goes on afterwards; 0: not known. */
void feed(struct callpart *part, const uint32_t *what, size_t n, uint64_t *insn);
/* A part, at the start of a thread if `first`. */
void begin(struct callpart *part, uint32_t most_contexts, bool first);

/* Random numbers below `below`, from a seed that tests set. */
extern uint32_t walk_seed;
uint32_t walk_draw(uint32_t below);
/*
 * A random walk what[n]: sensible, but for `wild` of a thousand steps, with signals, and with
 * gaps if wanted.
 */
void make_walk(uint32_t *what, size_t n, uint32_t wild, bool gaps);

/* Begins a thread, feeds it, and ends it. */
void run_calls(struct callpart *part, const uint32_t *what, size_t n);
#define RUN(part, ...)                                     \
	run_calls(part, (const uint32_t[]){ __VA_ARGS__ }, \
		  sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))
/* What happens next: a block. */
#define B(function, place) ((function)*PLACES + (place))

/* Of the calls from one entity to another. */
uint64_t calls_of(struct callpart *part, uint32_t caller, uint32_t callee);
uint64_t total_of(struct callpart *part, uint32_t caller, uint32_t callee);
/* Instructions of a block. */
uint64_t insns_of(uint32_t function, uint32_t place);

#endif
