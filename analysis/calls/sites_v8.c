// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What V8's code means to a stack of calls, as far as its last instruction does not say that. It
 * is known by the names that V8 lists: functions are "JS:" and the compiler's sign, a file's own
 * code may be "Script:", and that of a text "Eval:" or "Function:"; V8's own code is "Builtin:" or
 * "BytecodeHandler:". The names here are those of Node.js 20 and 24.
 *
 * - What executes a bytecode jumps to what executes the next one.
 * - CEntry calls C++. When that throws, it jumps to the handler.
 * - The builtins of on-stack replacement take the function's frame away, and return into code of
 *   it that a compiler has made meanwhile. If there is no such code, they return to their caller.
 */
#include "analysis/calls/sites-data.h"
#include "base/affix.h"

/*
 * Each function has a copy of the builtin that interprets it, of its name. In Node.js 24 those of
 * the runtime's snapshot have none: which function the builtin itself interprets is not known.
 */
static bool is_function(const char *name)
{
	static const char *const kinds[] = { "JS:", "Script:", "Eval:", "Function:",
					     "Builtin:InterpreterEntryTrampoline" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (begins_with(name, kinds[i]))
			return true;
	return false;
}

void sites_note_v8(const struct maker *maker, struct found *found,
		   const struct wm_block *block)
{
	const struct functions *functions = maker->sites->functions;
	const char *name = functions_get(functions, found->function)->name;
	bool is_js = is_function(name), is_piece = begins_with(name, "BytecodeHandler:");

	if ((!is_js && !is_piece && !begins_with(name, "Builtin:")) ||
	    !functions_is_made(functions, found->space, block->address, found->id))
		return;
	found->role = is_js ? SITE_JS : is_piece ? SITE_PIECE : SITE_METHOD;
	found->catches = begins_with(name, "Builtin:CEntry_");
	found->replaces = begins_with(name, "Builtin:InterpreterOnStackReplacement") ||
			  begins_with(name, "Builtin:BaselineOnStackReplacement");
}
