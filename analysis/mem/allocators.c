// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recognises allocators among the places whose values were recorded.
 *
 * A line of "value_places" is a place and registers, such as "malloc:a0,ret" or
 * "libc.so.6:calloc:a0,a1,ret". The name before the registers, without a module, decides.
 * Names of C++ are mangled, or begin as people write them: "_Znwm", "operator
 * new(unsigned long)". Lines are numbered from 1, and a value carries the number of its
 * line.
 *
 * Example: "realloc:a0,a1,ret" frees argument 0 and allocates as many bytes as argument 1
 * says; "calloc:a0,a1,ret" allocates the product of its arguments.
 */
#include "analysis/mem/allocators.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "isa/registers.h"

/*
 * { name, bytes, count, freed }: indexes of arguments, -1 for none. A name that ends in
 * '*' stands for all that begin so.
 */
static const struct allocator known[] = {
	{ "malloc", 0, -1, -1 },
	{ "calloc", 0, 1, -1 },
	{ "realloc", 1, -1, 0 },
	{ "reallocarray", 1, 2, 0 },
	{ "aligned_alloc", 1, -1, -1 },
	{ "memalign", 1, -1, -1 },
	{ "valloc", 0, -1, -1 },
	{ "operator new*", 0, -1, -1 },
	{ "_Znw*", 0, -1, -1 },
	{ "_Zna*", 0, -1, -1 },
	{ "free", -1, -1, 0 },
	{ "cfree", -1, -1, 0 },
	{ "operator delete*", -1, -1, 0 },
	{ "_Zdl*", -1, -1, 0 },
	{ "_Zda*", -1, -1, 0 },
};

static bool is_named(const char *pattern, const char *name, size_t n)
{
	size_t length = strlen(pattern);

	if (pattern[length - 1] == '*')
		return n >= length - 1 && !strncmp(pattern, name, length - 1);
	return n == length && !strncmp(pattern, name, n);
}

/* The allocator of a line of n bytes; NULL: it is a place of something else. */
static const struct allocator *find(const char *line, size_t n)
{
	const char *end = memrchr(line, ':', n), *colon;

	if (!end)
		return NULL;
	/* Another colon ends the module. */
	colon = memrchr(line, ':', (size_t)(end - line));
	if (colon)
		line = colon + 1;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (is_named(known[i].name, line, (size_t)(end - line)))
			return &known[i];
	return NULL;
}

/*
 * The registers of arguments, by the first ISA that has such names. Any unknown one is
 * -1, which no value has.
 */
static void find_registers(struct allocators *allocators, const char *isa)
{
	static const char *const names[][ALLOCATOR_ARGUMENTS] = {
		{ "a0", "a1", "a2" },	 /* RISC-V */
		{ "x0", "x1", "x2" },	 /* AArch64 */
		{ "rdi", "rsi", "rdx" }, /* x86-64, System V */
	};
	unsigned of = 0;

	while (of < 2 && register_number(isa, names[of][0]) < 0)
		of++;
	for (unsigned i = 0; i < ALLOCATOR_ARGUMENTS; i++)
		allocators->argument[i] = register_number(isa, names[of][i]);
	allocators->returned = register_returned(isa);
}

int allocators_init(struct allocators *allocators, const struct wm_trace *trace,
		    struct wm_error *err)
{
	const char *line = wm_trace_meta(trace, "value_places");
	const char *isa = wm_trace_meta(trace, "guest-isa");

	*allocators = (struct allocators){ .n = 0 };
	if (isa)
		find_registers(allocators, isa);
	while (line && *line) {
		size_t n = strcspn(line, "\n");
		const struct allocator *allocator = find(line, n);

		/* NULL too: the index is the line's number. */
		if (!APPEND(allocators->of, allocators->n, allocator))
			return wm_fail_nomem(err, "names of the heap");
		allocators->any |= allocator != NULL;
		line += n + (line[n] != 0);
	}
	return 0;
}

void allocators_fini(struct allocators *allocators)
{
	free(allocators->of);
}

const struct allocator *allocator_of(const struct allocators *allocators,
				     const struct wm_access *access)
{
	/* A damaged trace may have more places than lines. */
	if (!access->place || access->place > allocators->n)
		return NULL;
	return allocators->of[access->place - 1];
}

unsigned allocator_argument(const struct allocators *allocators, uint64_t number)
{
	unsigned i = 0;

	while (i < ALLOCATOR_ARGUMENTS && allocators->argument[i] != (int)number)
		i++;
	return i;
}
