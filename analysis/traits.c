// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Properties of functions' calls and returns that follow from their names.
 *
 * The control flow of some functions cannot be understood from calls and returns alone:
 * they return to a distant frame (longjmp(), GCC's unwinder), or stand for another
 * function (stubs of the linker). They are recognised by the symbols of the C library, of
 * libgcc and of the linker. Without symbols such functions look like returns to
 * unexpected places, which a stack of calls handles less well: see callstack.h.
 *
 * Example: "parse.cold" is the rarely used part of "parse"; its home is the number of
 * "parse" in the same file, so both count as one function.
 */
#include "analysis/traits.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/error.h"

/* `names` ends with NULL. */
static bool is_one_of(const char *symbol, const char *const *names)
{
	while (*names && strcmp(symbol, *names) != 0)
		names++;
	return *names;
}

/*
 * They return to where setjmp() was called, or to the code that cleans up after an
 * exception.
 */
static bool goes_far(const char *symbol)
{
	static const char *const names[] = {
		"longjmp",
		"_longjmp",
		"__longjmp",
		"siglongjmp",
		"__libc_longjmp",
		"__libc_siglongjmp",
		"____longjmp_chk",
		"__longjmp_chk",
		"_Unwind_RaiseException",
		"_Unwind_Resume",
		"_Unwind_Resume_or_Rethrow",
		"_Unwind_ForcedUnwind",
		NULL,
	};

	return is_one_of(symbol, names);
}

/* They go on with another stack of the thread, of a coroutine, a fiber or a goroutine. */
static bool changes_stacks(const char *symbol)
{
	static const char *const names[] = {
		/* The C library's, Go's, Boost's, libcoro's, Ruby's. */
		"swapcontext",
		"__swapcontext",
		"setcontext",
		"__setcontext",
		"gogo",
		"runtime.gogo",
		"jump_fcontext",
		"ontop_fcontext",
		"coro_transfer",
		"coroutine_transfer",
		NULL,
	};

	return is_one_of(symbol, names);
}

/* A call that is too far leads through such code of Go's linker: "runtime.step-tramp0". */
static bool is_trampoline(const char *symbol, size_t length)
{
	static const char mark[] = "-tramp";
	size_t bytes = sizeof(mark) - 1, digits = length;

	while (digits && symbol[digits - 1] >= '0' && symbol[digits - 1] <= '9')
		digits--;
	return digits < length && digits > bytes &&
	       !memcmp(symbol + digits - bytes, mark, bytes);
}

/* The resolver has variants with suffixes, such as _dl_runtime_resolve_xsavec. */
static bool is_stub(const char *symbol)
{
	size_t length = strlen(symbol);

	return is_trampoline(symbol, length) ||
	       (length > 4 && !strcmp(symbol + length - 4, "@plt")) ||
	       !strncmp(symbol, "_dl_runtime_resolve", 19) ||
	       !strncmp(symbol, "_dl_runtime_profile", 19);
}

/*
 * The length of the symbol before the mark of a part: ".cold", to which GCC may add a number
 * ("parse.cold.3"), or LLVM's ".__part.3" of basic block sections. 0: it is no part.
 * ".part.3" is GCC's for a function that is called.
 */
static size_t part_stem(const char *symbol)
{
	const char *cold = strstr(symbol, ".cold");
	const char *part = strstr(symbol, ".__part.");

	if (cold && (!cold[5] || cold[5] == '.'))
		return (size_t)(cold - symbol);
	return part ? (size_t)(part - symbol) : 0;
}

/* A function that has a symbol; sorted by file and symbol. */
struct named {
	const struct function *function;
	uint32_t number;
};

/*
 * Compares with symbol[bytes], which need not be terminated. A longer symbol comes later.
 */
static int compare_names(const struct function *a, const char *module, const char *symbol,
			 size_t bytes)
{
	int order = strcmp(a->module ? a->module : "", module ? module : "");

	if (!order)
		order = strncmp(a->symbol, symbol, bytes);
	return order ? order : (unsigned char)a->symbol[bytes];
}

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const struct function *other = y->function;
	int order = compare_names(x->function, other->module, other->symbol,
				  strlen(other->symbol));

	/*
	 * Of functions with the same name, BISECT in find_named() finds the lowest
	 * number.
	 */
	return order ? order : x->number < y->number ? -1 : 1;
}

/* The function of that file whose symbol is symbol[bytes]; 0: none. */
static uint32_t find_named(const struct named *named, size_t n, const char *module,
			   const char *symbol, size_t bytes)
{
	size_t at =
		BISECT(n, i, compare_names(named[i].function, module, symbol, bytes) < 0);

	if (at == n || compare_names(named[at].function, module, symbol, bytes) != 0)
		return 0;
	return named[at].number;
}

static void judge(struct traits *traits, const struct functions *functions,
		  uint32_t number, const struct named *named, size_t n)
{
	const struct function *function = functions_get(functions, number);
	size_t stem;

	traits->home = number;
	if (!function->symbol) {
		traits->set = TRAIT_NAMELESS;
		return;
	}
	traits->set = (goes_far(function->symbol) ? TRAIT_LONG : 0) |
		      (strcmp(function->symbol, "_Unwind_Resume") ? 0 : TRAIT_BEYOND) |
		      (changes_stacks(function->symbol) ? TRAIT_SWITCHES : 0) |
		      (is_stub(function->symbol) ? TRAIT_STUB : 0);
	stem = part_stem(function->symbol);
	if (stem) {
		uint32_t home =
			find_named(named, n, function->module, function->symbol, stem);

		traits->set |= TRAIT_COLD;
		/*
		 * The main part of the function may never have been met, or may have no
		 * symbol.
		 */
		traits->home = home ? home : number;
	}
}

int traits_read(struct traits **out, const struct functions *functions,
		struct wm_error *err)
{
	uint32_t count = functions_count(functions);
	struct named *named = calloc((size_t)count + 1, sizeof(*named));
	struct traits *traits = calloc((size_t)count + 1, sizeof(*traits));
	size_t n = 0;

	*out = traits;
	if (!named || !traits) {
		free(named);
		free(traits);
		*out = NULL;
		return wm_fail_nomem(err, "functions");
	}
	for (uint32_t i = 1; i <= count; i++) {
		const struct function *one = functions_get(functions, i);

		if (one->symbol)
			named[n++] = (struct named){ one, i };
	}
	qsort(named, n, sizeof(*named), by_name);
	for (uint32_t i = 1; i <= count; i++)
		judge(&traits[i], functions, i, named, n);
	free(named);
	return 0;
}
