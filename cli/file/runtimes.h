/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waymark info: which runtime of a language ran, and how exactly its program is known. */
#ifndef CLI_FILE_RUNTIMES_H
#define CLI_FILE_RUNTIMES_H

#include "analysis/methods/unguided.h"
#include "out/json.h"
#include "waymark.h"

/* A runtime, as it told of itself; malloc()ed, its mode may be "". */
struct runtime {
	char *name, *version, *mode;
	bool strange; /* its guide does not know this release */
};

/* How code of such a program ran. */
enum runtime_region { REGION_INTERPRETER, REGION_COMPILED, REGION_OPTIMISED, REGIONS };

struct runtimes {
	char guides[128]; /* by which they were followed, as "cpython, v8"; "": none */
	unsigned n_guides;
	bool awaited; /* by one of them a runtime tells of itself and its bytecodes */
	char unguided[UNGUIDED_TEXT]; /* a sentence of programs that have none; or "" */
	struct runtime *all;	      /* [n] each once */
	size_t n;
	bool has_bytecodes;
	bool has_regions; /* an interpreter or compilers told where their code is */
	uint64_t insns[REGIONS]; /* of the code itself, not of what it calls */
	uint64_t total;		 /* of the trace */
};

/*
 * Fills in *runtimes, which runtimes_fini() frees; notes that are malformed tell of none.
 * Errors: of units_read(), counts_gather().
 */
int runtimes_read(struct runtimes *runtimes, const struct wm_trace *trace,
		  struct wm_error *err);
void runtimes_fini(struct runtimes *runtimes);

/* Prints nothing without a runtime. */
void runtimes_print_text(const struct runtimes *runtimes);
void runtimes_print_json(const struct runtimes *runtimes, struct json *json);

#endif
