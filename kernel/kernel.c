// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The numbers of system calls. Machines share parts of their numbering: all new calls
 * since Linux 5.1, the generic table of riscv and aarch64, and the 64-bit time calls of
 * 32-bit machines. Each shared part is one sorted table, and a machine is a list of up to
 * four, which are searched in turn.
 *
 * Example: on riscv32, 403 is not in calls_generic.def nor calls_riscv.def, but in
 * calls_time64.def: clock_gettime64.
 */
#include "kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/machine.h"

/* ---- calls --------------------------------------------------------------- */

#define CALL(name, returns, takes) CALL_##name,
enum {
#include "kernel/calls.def"
};
#undef CALL

#define CALL(name, returns, takes) [CALL_##name] = { #name, #returns[0], takes },
static const struct call calls[] = {
#include "kernel/calls.def"
};
#undef CALL

/* ---- numbers ------------------------------------------------------------- */

struct numbered {
	uint32_t number;
	uint16_t call; /* index into calls[] */
};

struct table {
	const struct numbered *rows; /* by ascending number */
	size_t n;
};

#define CALL(number, name) { number, CALL_##name },
/*
 * The generic table has calls whose name depends on the word size, such as fstat64 and
 * fstat. One list serves both widths; WIDE picks the name.
 */
#define WIDE(number, name64, name32) { number, CALL_##name64 },
static const struct numbered generic64[] = {
#include "kernel/calls_generic.def"
};
#undef WIDE
#define WIDE(number, name64, name32) { number, CALL_##name32 },
static const struct numbered generic32[] = {
#include "kernel/calls_generic.def"
};
#undef WIDE
static const struct numbered riscv[] = {
#include "kernel/calls_riscv.def"
};
static const struct numbered arm[] = {
#include "kernel/calls_arm.def"
};
static const struct numbered x86_64[] = {
#include "kernel/calls_x86_64.def"
};
static const struct numbered i386[] = {
#include "kernel/calls_i386.def"
};
static const struct numbered time64[] = {
#include "kernel/calls_time64.def"
};
static const struct numbered since_5_1[] = {
#include "kernel/calls_new.def"
};
#undef CALL

#define TABLE(rows)                                \
	{                                          \
		rows, sizeof(rows) / sizeof(*rows) \
	}

enum { TABLES = 4 };

struct kernel {
	struct machine machine;
	const char *isa;
	struct table tables[TABLES];
};

/*
 * The first table that has a number decides. The table with most of a machine's calls
 * comes first.
 */
static const struct kernel kernels[] = {
	{ { .bits = 64 },
	  "riscv64",
	  { TABLE(generic64), TABLE(riscv), TABLE(since_5_1) } },
	{ { .bits = 32 },
	  "riscv32",
	  { TABLE(generic32), TABLE(riscv), TABLE(time64), TABLE(since_5_1) } },
	{ { .bits = 64, .is_arm = true },
	  "aarch64",
	  { TABLE(generic64), TABLE(since_5_1) } },
	{ { .bits = 32, .is_arm = true, .even_pairs = true },
	  "arm",
	  { TABLE(arm), TABLE(time64), TABLE(since_5_1) } },
	{ { .bits = 64 }, "x86_64", { TABLE(x86_64), TABLE(since_5_1) } },
	{ { .bits = 32 }, "i386", { TABLE(i386), TABLE(time64), TABLE(since_5_1) } },
};

/* No tables: every call is printed by its number, with six plain arguments. */
static const struct kernel unknown = { .machine = { .bits = 64 }, .isa = "unknown" };

const struct kernel *kernel_find(const char *isa)
{
	for (size_t i = 0; isa && i < sizeof(kernels) / sizeof(*kernels); i++)
		if (!strcmp(kernels[i].isa, isa))
			return &kernels[i];
	return &unknown;
}

const struct machine *kernel_machine(const struct kernel *kernel)
{
	return &kernel->machine;
}

int64_t kernel_signed(const struct kernel *kernel, uint64_t value)
{
	return machine_signed(&kernel->machine, value);
}

static int compare(const void *key, const void *row)
{
	uint64_t number = *(const uint64_t *)key;
	uint32_t other = ((const struct numbered *)row)->number;

	return (number > other) - (number < other);
}

const struct call *kernel_call(const struct kernel *kernel, uint64_t number)
{
	for (unsigned i = 0; i < TABLES; i++) {
		const struct table *table = &kernel->tables[i];
		const struct numbered *row = table->n ? bsearch(&number, table->rows,
								table->n, sizeof(*row),
								compare) :
							NULL;

		if (row)
			return &calls[row->call];
	}
	return NULL;
}

/* Linear, because the tables are sorted by number. For start-up only. */
int32_t kernel_number(const struct kernel *kernel, const char *name)
{
	for (unsigned i = 0; i < TABLES; i++)
		for (size_t j = 0; j < kernel->tables[i].n; j++) {
			const struct numbered *row = &kernel->tables[i].rows[j];

			if (!strcmp(calls[row->call].name, name))
				return (int32_t)row->number;
		}
	return -1;
}

int kernel_string(const struct kernel *kernel, uint64_t number)
{
	const struct machine *machine = &kernel->machine;
	const struct call *call = kernel_call(kernel, number);
	int at = 0;

	for (const char *letter = call ? call->takes : ""; *letter; letter++) {
		/*
		 * The position of the string depends on how many registers the arguments
		 * before it take.
		 */
		bool pair = *letter == 'L' && machine->bits == 32;

		/* A string in the seventh register or beyond is not recorded. */
		if (*letter == 's')
			return at < KERNEL_ARGS ? at : -1;
		if (pair && machine->even_pairs)
			/*
			 * arm passes 64-bit arguments in a register pair that begins at
			 * an even register, so one may be skipped.
			 */
			at += at % 2;
		at += pair ? 2 : 1;
	}
	return -1;
}

const struct call *kernel_call_at(size_t index)
{
	return index < sizeof(calls) / sizeof(*calls) ? &calls[index] : NULL;
}
