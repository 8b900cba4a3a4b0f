/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For which method of a managed program, or which line of one, each instruction of a thread runs: the
 * rule of the tables of `hot`, for who counts something else than instructions.
 */
#ifndef ANALYSIS_METHODS_RUNNING_H
#define ANALYSIS_METHODS_RUNNING_H

#include "managed/methods.h"
#include "managed/units.h"
#include "program/functions.h"

/*
 * The methods of a trace, or their lines, as functions of the program. A line's function has its
 * place as name, "app.py:2", or "" if it is not known, and the method's name as symbol.
 */
struct running_methods {
	struct units units;
	struct methods index;
	/* Of methods: [index.n] by number, that of the function, or RUNNING_OTHER. */
	uint32_t *functions;
	/* Of lines: [index.n][bytes + 1] by number and offset; NULL: not wanted. */
	uint32_t **lines;
	uint32_t none;	  /* instead, of what no method runs: 0, or RUNNING_OTHER */
	uint32_t before;  /* functions with a number up to this are native ones */
	uint32_t highest; /* number of a function */
};
#define RUNNING_OTHER UINT32_MAX /* what is not wanted */
enum running_by { RUNNING_BY_METHOD, RUNNING_BY_LINE };

/*
 * With a pattern only the methods that it fits are wanted; NULL: all, and what no method runs.
 * `functions` gets what is wanted. The caller calls running_methods_fini(), also after a failure.
 * WM_E_RANGE: the trace has no bytecodes. Other errors are those of units_read(); WM_E_NOMEM.
 */
int running_methods_init(struct running_methods *methods, const struct wm_trace *trace,
			 struct functions *functions, enum running_by by,
			 const char *pattern, struct wm_error *err);
void running_methods_fini(struct running_methods *methods);

/* Of a thread. Several threads may use the same methods, which must outlive it. */
struct running;
/* The caller frees *running, also after a failure. Errors are those of labels_new(). */
int running_new(struct running **running, const struct running_methods *methods,
		const struct wm_trace *trace, unsigned stream, struct wm_error *err);
void running_free(struct running *running); /* takes NULL */

/*
 * Sets *function to that of the method, or the line, for which the thread executes instruction
 * `insn`, or to what struct running_methods has instead. Ascending instructions that are near each
 * other cost least. Errors are those of labels_at().
 */
int running_at(struct running *running, uint64_t insn, uint32_t *function,
	       struct wm_error *err);
/* All instructions from there up to before this one have the same one. */
uint64_t running_until(const struct running *running);

#endif
