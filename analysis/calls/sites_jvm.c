// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What code that a JVM made means to a stack of calls, as far as its last instruction does not
 * say that. HotSpot tells the names of its blobs, which are code of no method; the names here
 * are those of OpenJDK 21, and those of 25 where they differ.
 *
 * - It jumps by t0, or from OpenJDK 24 on by t1, from one piece of code to another, which is no
 *   return; and calls by a jump when it has put an address into ra.
 * - An exception leaves a method by code that asks where its call would return to, and jumps
 *   to the handler of what is there.
 * - A virtual thread runs on the stack of another one, above a frame of enterSpecial(). What
 *   unmounts it copies its frames away, and loads sp with where that frame is; sp comes from the
 *   thread's own structure there, and nowhere else.
 *
 * Example: the virtual thread's f() calls doYield(), which finds "ld sp, 1336(s7)" and returns to
 * what called enterSpecial(). When the thread is mounted again, "Cont thaw" puts f()'s frame there
 * and returns to f(), and f() to "cont return barrier", which does the same for f()'s caller.
 */
#include <string.h>

#include "analysis/calls/interpreted.h"
#include "analysis/calls/sites-data.h"
#include "base/affix.h"

/* ld sp, n(s7): s7 is the thread. */
enum { LOAD_SP_MASK = 0xfffff, LOAD_SP = 23 << 15 | 3 << 12 | 2 << 7 | 3 };

/*
 * Whether code was made by a JVM, whose interpreter is the one that is made of pieces. All that
 * HotSpot makes returns by ra.
 */
static bool is_of_jvm(const struct maker *maker, const struct found *found,
		      uint64_t address)
{
	const struct interpreted *interpreted = maker->sites->interpreted;

	return interpreted && units_has_pieces(&interpreted->units, found->space) &&
	       functions_is_made(maker->sites->functions, found->space, address,
				 found->id);
}

/* Calls that need not look at the object's class enter behind where that is done. */
static uint64_t entry_of(const struct maker *maker, const struct found *found,
			 uint64_t address)
{
	const struct compiled_space *space;
	const struct made_piece *piece =
		compiled_find(&maker->sites->interpreted->units.compiled, maker->trace,
			      found->space, address, found->id, &space);

	return piece ? piece->entry : 0;
}

static bool thaws(const char *name)
{
	return begins_with(name, "Cont thaw ") ||
	       begins_with(name, "cont return barrier ") ||
	       begins_with(name, "cont_thaw ") || begins_with(name, "cont_returnBarrier");
}

/* As compiled_tell_other() of the agent calls what is of no method. */
static enum site_role role_of(const char *name)
{
	if (ends_with(name, " [stub]"))
		return thaws(name) ? SITE_THAWS : SITE_BLOB;
	return begins_with(name, "jdk.internal.vm.Continuation.enterSpecial ") ?
		       SITE_MOUNTS :
		       SITE_METHOD;
}

/* Whether a blob jumps to who handles an exception, in what called the method that it left. */
static bool throws(const char *name)
{
	static const char *const names[] = {
		"unwind_exception Runtime1 stub [stub]", /* C1 */
		"C1 Runtime unwind_exception_blob [stub]",
		"_rethrow_Java [stub]", /* C2 */
		"C2 Runtime rethrow [stub]",
		"forward exception [stub]", /* of native code */
		"forward_exception [stub]",
		"catch exception [stub]", /* which was called by native code */
		"catch_exception [stub]",
	};
	bool is = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		is |= !strcmp(name, names[i]);
	return is;
}

/* The same of the interpreter. */
static bool interpreter_throws(const struct maker *maker, const struct found *found,
			       uint64_t address)
{
	const struct piece *piece =
		units_piece(&maker->sites->interpreted->units, found->space, address);

	return piece && !strcmp(piece->name, "exception handling");
}

/* Where a thread has to wait for a monitor, other instructions stand before. */
static bool loads_sp(const struct wm_block *block)
{
	const uint8_t *at = block->code;
	uint32_t word;

	for (uint32_t i = 0; i < block->insns; at += block->sizes[i++]) {
		if (block->sizes[i] != sizeof(word))
			continue;
		memcpy(&word, at, sizeof(word));
		if ((word & LOAD_SP_MASK) == LOAD_SP)
			return true;
	}
	return false;
}

static void note_jump(const struct maker *maker, struct found *found,
		      const struct wm_block *block)
{
	if ((found->flow.kind != FLOW_RETURN && found->flow.kind != FLOW_INDIRECT) ||
	    !leaving_by_scratch(&maker->leaving, block))
		return;
	found->link = leaving_link(&maker->leaving, block);
	found->passes = !found->link;
	found->flow.kind = found->link ? FLOW_CALL_INDIRECT : FLOW_INDIRECT;
}

void sites_note_jvm(const struct maker *maker, struct found *found,
		    const struct wm_block *block)
{
	const char *name = functions_get(maker->sites->functions, found->function)->name;

	if (!is_of_jvm(maker, found, block->address))
		return;
	found->role = role_of(name);
	found->entry = entry_of(maker, found, block->address);
	found->throws = found->inner ? interpreter_throws(maker, found, block->address) :
				       throws(name);
	found->unmounts = !found->inner && loads_sp(block);
	note_jump(maker, found, block);
}
