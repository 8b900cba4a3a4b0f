/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPython's bytecodes: names, lengths, and which are executed together. Like isa/riscv.h, no state. */
#ifndef ISA_PYTHON_H
#define ISA_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What bytecodes are like in one release of CPython. */
struct python;

/* By its version, as "3.14.2". NULL: that release is not known. */
const struct python *python_find(const uint8_t *version, size_t bytes);
/* "LOAD_FAST"; NULL: there is no such opcode. */
const char *python_name(const struct python *python, uint8_t opcode);
/*
 * The length of the instruction at code[at] with its caches, in bytes. 0: it has no known
 * opcode, or does not end in the code.
 */
size_t python_length(const struct python *python, const uint8_t *code, size_t bytes,
		     size_t at);
/*
 * Whether the instruction at `at` may have done the next one's work, too, when the one
 * after that was executed next: specialised forms of it do.
 */
bool python_swallows(const struct python *python, const uint8_t *code, size_t bytes,
		     size_t at);
/* Whether it extends the operand of the next instruction, which is executed with it. */
bool python_extends(const struct python *python, const uint8_t *code, size_t bytes,
		    size_t at);

/* Offsets that a branch leads to: each way to one of two places, which may be the same. */
struct python_ways {
	int64_t next, also_next;     /* not taken */
	int64_t target, also_target; /* taken */
};

/* Whether it is a branch; then *ways is filled in. */
bool python_branches(const struct python *python, const uint8_t *code, size_t bytes,
		     size_t at, struct python_ways *ways);
/* Whether it leads to the next one and runs nothing else: it neither calls nor frees. */
bool python_is_plain(const struct python *python, const uint8_t *code, size_t bytes,
		     size_t at);
/* Whether it leaves the frame that executes it: a return, or a yield. */
bool python_leaves(const struct python *python, const uint8_t *code, size_t bytes,
		   size_t at);
/* Whether it raises an exception, whatever else happens. */
bool python_raises(const struct python *python, const uint8_t *code, size_t bytes,
		   size_t at);
/* Whether it may be fetched a second time before it is executed, once it has been replaced. */
bool python_repeats(const struct python *python, const uint8_t *code, size_t bytes,
		    size_t at);
/* Where a function's own code begins: behind what makes its variables, which is of no line. */
size_t python_begins(const struct python *python, const uint8_t *code, size_t bytes);
/* Whether a frame begins or goes on with it: nothing in the frame leads there. */
bool python_enters(const struct python *python, const uint8_t *code, size_t bytes,
		   size_t at);

#endif
