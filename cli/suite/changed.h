/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changed of a case from one folder of results to another. */
#ifndef CLI_SUITE_CHANGED_H
#define CLI_SUITE_CHANGED_H

#include "cli/suite/result.h"

struct changed_case {
	const char *name;	/* the caller's */
	struct result now, was; /* SUITE_MISSING: no result, or nothing to compare with */
	const char *
		chance; /* why the difference of its instructions is by chance; or NULL */
	bool changed;	/* its instructions did, and not by chance; it is new or gone */
};

/* `against` may be NULL. A result that cannot be read is missing. */
void changed_case_read(struct changed_case *of, const char *folder, const char *against,
		       const char *name);
/* Instructions now less those that were. */
int64_t changed_insns(const struct changed_case *of);

/* Instructions and executions of a function, now and then; 0: it did not run. */
struct changed_function {
	const char *module, *name;
	uint64_t insns, executions, insns_were, executions_were;
};

/* Whether executions are known: not of one that was inlined, which only has instructions. */
static inline bool changed_counts(uint64_t insns, uint64_t executions)
{
	return executions || !insns;
}

/* Those of a case. The texts are its own. */
struct changed_functions {
	struct changed_function *all; /* [n] by module and name */
	size_t n;
	char *now, *was;
};

/*
 * Reads those that differ; a case without results has no functions. The caller calls
 * changed_functions_fini(), also after a failure. WM_E_NOMEM.
 */
int changed_functions_read(struct changed_functions *functions, const char *folder,
			   const char *against, const char *name, struct wm_error *err);
/* Sorts them by the size of the change of their instructions, the largest first. */
void changed_functions_sort(struct changed_functions *functions);
void changed_functions_fini(struct changed_functions *functions);

#endif
