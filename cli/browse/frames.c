// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks find calls that were executed. A function that the compiler inlined was not called, but
 * its source is what is read at a position. So each real frame is preceded here by the functions
 * that were inlined around its instruction, each at the line of the call in the next one:
 *
 *	#0  square   area.c:3	inlined: the line of the instruction
 *	#1  area     area.c:9	inlined: where square() was called
 *	#2  main     area.c:20	where area() was called
 *
 * Without debugging information there are real frames only.
 */
#include "cli/browse/frames.h"

#include "base/error.h"

enum { REAL_MAX = 64 };

static void add(struct frames *frames, const struct walk_frame *at, uint32_t inlined,
		const struct srcline *line)
{
	if (frames->n < FRAMES_MAX)
		frames->all[frames->n++] = (struct frame){ .at = *at,
							   .inlined = inlined > 0,
							   .function = inlined,
							   .line = *line };
	else
		frames->whole = false;
}

static int add_real(struct frames *frames, const struct walk_names *names,
		    const struct walk_frame *at, struct wm_error *err)
{
	struct inlined_function inlined[INLINED_MAX];
	struct srcline line = { 0 };
	struct origin origin;
	int n = functions_inlined(names->functions, at->space, at->address, at->id,
				  inlined);

	if (n < 0)
		return wm_fail_nomem(err, "the stack");
	if (!symbols_origin(names->symbols, at->space, at->address, at->id, &origin) ||
	    !srclines_at(names->lines, &origin, &line))
		line = (struct srcline){ 0 };
	for (int i = 0; i < n; i++) {
		add(frames, at, inlined[i].number, &line);
		line = inlined[i].call;
		if (!line.source)
			line.number = 0;
	}
	add(frames, at, 0, &line);
	return 0;
}

int frames_read(struct frames *frames, struct walk *walk, uint64_t blocks,
		struct wm_error *err)
{
	struct walk_frame real[REAL_MAX];
	size_t n;
	int ret;

	frames->n = 0;
	ret = walk_stack(walk, blocks, real, REAL_MAX, &n, &frames->whole, err);
	for (size_t i = 0; !ret && i < n; i++)
		ret = add_real(frames, &walk->names, &real[i], err);
	return ret;
}

void frames_of_methods(struct frames *frames, const struct bytewalk_view *view,
		       uint64_t insn)
{
	frames->n = 0;
	frames->whole = view->whole;
	for (size_t i = 0; i < view->n_frames && i < FRAMES_MAX; i++) {
		const struct bytecode_at *from = &view->frames[i];

		frames->all[frames->n++] = (struct frame){
			.at.insn = i ? from->insn : insn,
			.inlined = from->inlined,
			.unit = from->unit,
			.offset = from->offset,
			.line.number = unit_line(from->unit, from->offset),
		};
	}
}
