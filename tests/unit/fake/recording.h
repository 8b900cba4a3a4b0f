/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording of the plugin's core without a collector: the test has the shared memory,
 * sets the orders before the plugin starts, and reads what was written as text.
 *
 * The core keeps state for a whole process, so each case runs in a process of its own:
 * run_apart().
 */
#ifndef TESTS_UNIT_FAKE_RECORDING_H
#define TESTS_UNIT_FAKE_RECORDING_H

#include "base/buf.h"
#include "format/arena.h"
#include "plugin/core/emulation.h"

/* Makes the memory; the board has no orders but that all events are wanted. */
struct board *recording_open(void);
/* An emulation that does nothing; tests replace a function of a copy. */
const struct emulation *recording_emulation(void);
/* Starts the plugin's core for a guest `target`, and thread 0. */
void recording_start(const char *target);
/* The same with another emulation. */
void recording_start_with(const char *target, const struct emulation *emulation);

/*
 * Until recording_start(): code in [start, end) is of file number `file` (from 1), at
 * offset 0 of a file whose dev and ino are both `file`. Other code is of no file.
 */
void recording_map(uint64_t start, uint64_t end, uint32_t file);
/* An order about bytes start..end of file `file`, or about addresses for 0. */
void recording_order(enum order_sense sense, uint32_t file, uint64_t start, uint64_t end,
		     uint32_t window);

/*
 * The lane of `vcpu`, oldest first: "1000+3 gap 1008+1" are a block of three instructions
 * at 0x1000, something unrecorded, and a block of one at 0x1008. Valid until the next
 * call.
 */
const char *recording_lane(unsigned vcpu);
/*
 * The values of `vcpu`, oldest first, in hexadecimal: "2000 2008". Valid until the next
 * call. In the lane a firing is its instruction, "1000.2", kind (l, s, and m of memory at a
 * place) and bytes: "1000.2:l8"; of a register, kind (r, w, v) and number: "1000.2:w10". Then
 * "@" and its place's number, if it has one.
 */
const char *recording_values(unsigned vcpu);
/* The bytes of the program of the block that begins at `address`. */
struct span recording_program(uint64_t address);
/*
 * Events of a kind, in order, "position:field,field,..." in decimal each. Messages of
 * type MESSAGE_LEFT are "position:pc", as recording_left(). Valid until the next call.
 */
const char *recording_events(uint32_t kind);
const char *recording_left(void);
/* The arena, to look at its header. */
struct arena *recording_arena(void);

/* Runs `test` in a child process, and fails unless it returns there. */
void run_apart(void (*test)(void));

/* A cmocka test of that function. */
#define APART(name)                           \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		run_apart(name);              \
	}

#endif
