// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One number for whatever memory is accessed in: variables, heap objects, stacks, frames.
 * A dense number indexes sums directly, and is a group of struct mem_pages.
 *
 * A variable comes before a heap object, because what a file has loaded cannot be on the
 * heap. What is neither gets number 0 during the walk. Pages decide afterwards whether it
 * is a stack: those that were accessed relative to the stack pointer, and those between
 * two of them that are less than STACK_GAP pages apart.
 *
 * Example: 3 objects, 2 heap objects, 4 functions. Numbers 1 to 3 and 4 to 5; the stack
 * is 6, what is not known 7, frames are 8 to 11.
 */
#include "analysis/mem/owners.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"

/*
 * 256 KiB: a large array on the stack may be accessed by other registers only. Stacks of
 * different threads are farther apart, as a rule.
 */
enum { STACK_GAP = 64 };

int mem_owners_init(struct mem_owners *owners, const struct wm_trace *trace,
		    struct symbols *symbols, struct functions *functions,
		    unsigned threads, struct wm_error *err)
{
	int ret;

	*owners = (struct mem_owners){ .functions = functions };
	ret = objects_new(&owners->objects, trace, symbols, err);
	if (!ret)
		ret = heap_new(&owners->heap, trace, functions, threads, err);
	if (ret)
		return ret;
	/*
	 * The heap comes first above, because it numbers functions that had none: frames
	 * follow.
	 */
	owners->heap_first = objects_count(owners->objects);
	owners->stack = owners->heap_first + heap_count(owners->heap) + 1;
	owners->frames = owners->stack + 1;
	owners->n = owners->frames + functions_count(functions);
	return 0;
}

void mem_owners_fini(struct mem_owners *owners)
{
	objects_free(owners->objects);
	heap_free(owners->heap);
}

/*
 * Looks up the heap for what is no variable. The range becomes the part of both: no
 * variable begins or ends in it, and no heap object.
 */
static void find_heap(const struct mem_owners *owners, const struct heap_view *view,
		      uint64_t address, struct mem_range *range, uint64_t *at)
{
	struct heap_range found;

	heap_view_find(view, address, &found);
	if (found.start > range->start)
		range->start = found.start;
	if (found.last < range->last)
		range->last = found.last;
	if (!found.number)
		return;
	range->number = owners->heap_first + found.number;
	*at = found.start;
}

void mem_owners_find(const struct mem_owners *owners, const struct heap_view *view,
		     uint32_t space, uint64_t address, struct mem_range *range,
		     uint64_t *at)
{
	struct object_range found;
	uint64_t start;

	objects_at(owners->objects, space, address, &found);
	*range = (struct mem_range){ found.start, found.last, found.number };
	start = found.at;
	if (!found.number && view)
		find_heap(owners, view, address, range, &start);
	if (at)
		*at = start;
}

const char *mem_owner_name(const struct mem_owners *owners, uint32_t number,
			   char text[MEM_OWNER_TEXT], const char **module)
{
	const struct function *function = NULL;
	const struct heap_object *object;

	*module = NULL;
	if (number > owners->frames) {
		function = functions_get(owners->functions, number - owners->frames);
		snprintf(text, MEM_OWNER_TEXT, "frames of %s", function->name);
	} else if (number >= owners->stack) {
		snprintf(text, MEM_OWNER_TEXT, "%s",
			 number == owners->stack ? "[stack]" : "[anonymous]");
	} else if (number > owners->heap_first) {
		object = heap_get(owners->heap, number - owners->heap_first);
		function = functions_get(owners->functions, object->function);
		/* The name is cut to leave room for the size: 4000 + 6 + 23 < 4096. */
		snprintf(text, MEM_OWNER_TEXT, "heap: %.4000s (%" PRIu64 ")",
			 function->name, object->bytes);
	} else {
		const char *name = objects_name(owners->objects, number);

		snprintf(text, MEM_OWNER_TEXT, "%s", name ? name : "");
		*module = objects_get(owners->objects, number)->module;
	}
	/* Frames and heap objects belong to the file of their function. */
	if (function)
		*module = function->module;
	return text;
}

/* ---- stacks ------------------------------------------------------------------------ */

/* By space, then page: mem_is_stack() compares neighbours. */
static int by_place(const void *left, const void *right)
{
	const struct mem_stack_page *a = left, *b = right;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	return a->page < b->page ? -1 : a->page > b->page;
}

bool mem_stacks_init(struct mem_stacks *stacks, const struct mem_pages *pages)
{
	stacks->n = 0;
	stacks->pages = calloc(pages->n + 1, sizeof(*stacks->pages));
	if (!stacks->pages)
		return false;
	for (size_t i = 0; i < pages->n; i++)
		if (pages->all[i].by_stack)
			stacks->pages[stacks->n++] = (struct mem_stack_page){
				pages->all[i].space,
				pages->all[i].page,
			};
	qsort(stacks->pages, stacks->n, sizeof(*stacks->pages), by_place);
	return true;
}

bool mem_is_stack(const struct mem_stacks *stacks, uint32_t space, uint64_t page)
{
	const struct mem_stack_page key = { space, page };
	const struct mem_stack_page *all = stacks->pages;
	size_t at = BISECT(stacks->n, i, by_place(&all[i], &key) < 0);

	/* `at` is the first stack page that is not below: above it there is none. */
	if (at == stacks->n || all[at].space != space)
		return false;
	if (all[at].page == page)
		return true;
	return at && all[at - 1].space == space &&
	       all[at].page - all[at - 1].page < STACK_GAP;
}
