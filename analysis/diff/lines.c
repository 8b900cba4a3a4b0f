// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of the instructions that ran, from the counts of blocks, without a walk. Example:
 * a block of 3 instructions, two of work.c:10 and one of work.c:11, ran 5 times: work.c:10 is
 * added twice with 5, work.c:11 once.
 *
 * Invariant: every instruction is added once, also where no line is known, so the sums are
 * those of the run.
 */
#include "analysis/diff/lines.h"

#include "analysis/counts.h"
#include "analysis/executed.h"
#include "base/error.h"

struct gathering {
	const struct diff_half *half;
	const char *function; /* pattern; NULL: all */
	bool (*add)(void *cookie, const struct diff_line *line, uint64_t count);
	void *cookie;
};

static int take_insn(const struct gathering *gathering, const struct executed *executed,
		     uint64_t address)
{
	const struct diff_half *half = gathering->half;
	uint32_t number = functions_at(half->functions, executed->space, address,
				       executed->id, NULL);
	struct diff_line line = { .path = NULL };
	struct origin origin;
	struct srcline found;

	if (!number)
		return WM_E_NOMEM;
	if (gathering->function &&
	    !functions_match(half->functions, number, gathering->function))
		return 0;
	if (symbols_origin(half->symbols, executed->space, address, executed->id,
			   &origin) &&
	    srclines_at(half->lines, &origin, &found)) {
		line.path = srclines_path(half->lines, found.source);
		line.line = found.number;
	}
	line.function = functions_get(half->functions, number);
	return gathering->add(gathering->cookie, &line, executed->count) ? 0 : WM_E_NOMEM;
}

static int take(void *cookie, const struct executed *executed)
{
	uint64_t address = executed->block.address;
	int ret = 0;

	for (uint32_t i = 0; i < executed->end && !ret; i++) {
		if (i >= executed->begin)
			ret = take_insn(cookie, executed, address);
		address += executed->block.sizes[i];
	}
	return ret;
}

int diff_lines_gather(const struct diff_half *half, const char *function,
		      bool (*add)(void *cookie, const struct diff_line *line,
				  uint64_t count),
		      void *cookie, struct wm_error *err)
{
	struct gathering gathering = { half, function, add, cookie };
	struct counts counts;
	int ret = counts_gather(&counts, half->trace, half->selection, err);

	if (ret)
		return ret;
	ret = executed_each(&counts, half->trace, take, &gathering);
	counts_fini(&counts);
	return ret ? wm_fail_nomem(err, "a table") : 0;
}
