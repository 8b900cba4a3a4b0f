/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What compilers take to optimize a program by how it ran: how often lines of its functions
 * ran and which functions they called. A line is counted from the line where its function is
 * declared, so an edit above the function does not change it. A function has a *body* of its
 * own, and another one at each call where it was inlined.
 */
#ifndef ANALYSIS_FEEDBACK_FEEDBACK_H
#define ANALYSIS_FEEDBACK_FEEDBACK_H

#include "analysis/cfg/cfg.h"
#include "base/intern.h"
#include "program/srclines.h"

/* A place in a body. */
struct feedback_place {
	uint32_t body;
	uint32_t line; /* from the function's declaration, 16 bits; it may wrap */
	uint32_t path; /* of several on the line: see enum feedback_paths */
};

struct feedback_line {
	struct feedback_place at;
	uint64_t count; /* of the instruction of that place that ran most often */
};

struct feedback_call {
	struct feedback_place at;
	uint32_t callee; /* a name */
	uint64_t count;
};

struct feedback_body {
	/* Where it was inlined; at.body is 0: nowhere, it is the function's own. */
	struct feedback_place at;
	uint32_t name;
	uint64_t entries; /* calls of the function; 0 for what was inlined */
	uint64_t total;	  /* counts of its lines, and of bodies inlined into it */
	/* lines[first_line ...], calls[first_call ...], inlined[first_inlined ...] */
	size_t first_line, lines, first_call, calls, first_inlined, inlined;
};

struct feedback {
	struct feedback_body *bodies; /* [n_bodies] by number, of which 0 is unused */
	struct feedback_line *lines;  /* [n_lines] by place, each once */
	struct feedback_call *calls;  /* [n_calls] by place and callee, each once */
	/* Numbers of bodies: functions, by total; and what was inlined, by place. */
	uint32_t *functions, *inlined;
	size_t n_bodies, n_lines, n_calls, n_functions;
	struct interner names; /* with their NUL */
};

/* How the paths of a line are distinguished, by the discriminators of the line tables. */
enum feedback_paths {
	FEEDBACK_NO_PATHS, /* not: a line is one place */
	/*
	 * As LLVM has it, which packs more into a discriminator: by how many copies of the
	 * line an instruction stands for counts are multiplied.
	 */
	FEEDBACK_LLVM_PATHS,
};

struct feedback_subject {
	const struct wm_trace *trace;
	struct symbols *symbols;
	const struct functions *functions;
	struct srclines *lines;
	const struct cfg *cfg;
	const bool *picked; /* [cfg->n] which blocks count */
	enum feedback_paths paths;
};

/*
 * Fills in *feedback, which is the caller's to feedback_fini(), also after a failure. Code
 * without debugging information has none. Lines of a function that ran which did not run
 * themselves are there, with a count of 0. WM_E_NOMEM; WM_E_RANGE: code ran, and none of it
 * has any.
 */
int feedback_gather(struct feedback *feedback, const struct feedback_subject *subject,
		    struct wm_error *err);
void feedback_fini(struct feedback *feedback);

/* A name, as the compiler calls the function. */
const char *feedback_name(const struct feedback *feedback, uint32_t name);

#endif
