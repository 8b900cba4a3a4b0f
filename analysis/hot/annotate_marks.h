/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the instructions that ran a listing of functions has, and for which of them. */
#ifndef ANALYSIS_HOT_ANNOTATE_MARKS_H
#define ANALYSIS_HOT_ANNOTATE_MARKS_H

#include "analysis/hot/annotate.h"
#include "analysis/insn_counts.h"

struct annotate_marks {
	const struct annotate *annotate;
	const struct insn_counts *insns;
	uint32_t *functions; /* [insns->n] whose code each is; 0: it is not listed */
	/* [insns->n] the inlined call that it is listed for; .number 0: for `functions` */
	struct inlined_function *inlined;
	uint64_t *totals; /* by the function it is listed for: executions of all of it */
	uint8_t *fits;	  /* [n_fits] by function, whether it is to be listed */
	uint32_t n_fits;
};

/*
 * Marks insns[], which must outlive the marks; so must `annotate`. The marks are the
 * caller's to annotate_marks_fini() in any case. WM_E_RANGE when none is listed, WM_E_NOMEM.
 */
int annotate_marks_gather(struct annotate_marks *marks, const struct annotate *annotate,
			  const struct insn_counts *insns, struct wm_error *err);
void annotate_marks_fini(struct annotate_marks *marks);

/*
 * Finds the innermost of the calls inlined around an instruction, which need not have run,
 * whose function is to be listed; .number 0: no such place. WM_E_NOMEM.
 */
int annotate_marks_inlined(struct annotate_marks *marks, const struct insn_count *insn,
			   struct inlined_function *found);

/* The function that an instruction is listed for. */
static inline uint32_t annotate_marks_for(const struct annotate_marks *marks,
					  size_t index)
{
	uint32_t inlined = marks->inlined[index].number;

	return inlined ? inlined : marks->functions[index];
}

#endif
