// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What code that LuaJIT compiled means to a stack of calls, as far as its last instruction does
 * not say that. It is known by the names that the guide's agent gives to it.
 *
 * A trace is no function: it goes on in another trace, or leaves by one of its exits for the
 * interpreter, in whose place it ran. An exit calls, and so does what all exits of a trace
 * have in common, to tell the interpreter where they are by the address of return. Neither
 * comes back.
 *
 * Example: the interpreter's loop is compiled, and its trace 7 leaves by its second exit.
 *
 *	lua_pcall, interpreter, trace 7		a jump into the trace
 *	lua_pcall, interpreter, its exits	jal ra, where they have in common
 *	lua_pcall, interpreter			jalr ra, the interpreter
 */
#include "analysis/calls/sites-data.h"
#include "base/affix.h"

void sites_note_luajit(const struct maker *maker, struct found *found,
		       const struct wm_block *block)
{
	const struct functions *functions = maker->sites->functions;
	const char *name = functions_get(functions, found->function)->name;

	if (!begins_with(name, "TRACE:") ||
	    !functions_is_made(functions, found->space, block->address, found->id))
		return;
	found->role = SITE_PIECE;
	if (!ends_with(name, " [exits]"))
		return;
	if (found->flow.kind == FLOW_CALL)
		found->flow.kind = FLOW_JUMP;
	else if (found->flow.kind == FLOW_CALL_INDIRECT)
		found->flow.kind = found->flow.has_target ? FLOW_JUMP : FLOW_INDIRECT;
}
