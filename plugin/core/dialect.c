// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From QEMU 10.0 on, some text depends on the extensions of the guest's CPU: the names of
 * FP registers with Zfinx, other instructions in the encodings that Zcmp takes. The
 * default CPU's extensions are known. When the user chose a CPU (-cpu or QEMU_CPU), the
 * affected instructions are RISCV_QEMU_10_CPU's: QEMU is asked for their text. A CPU of
 * 128 bits has other instructions in many encodings, in every version, so QEMU is asked
 * for all.
 */
#include "plugin/core/dialect.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"

static bool is_rv128(const char *cpu)
{
	return !strncmp(cpu, "x-rv128", 7);
}

/* The CPU when the user chose one; `before` by an earlier choice. */
static enum dialect_cpu chosen(enum dialect_cpu before, const char *cpu)
{
	return before == CPU_ANY || is_rv128(cpu) ? CPU_ANY : CPU_CHOSEN;
}

/*
 * The same, by this process's arguments. A guest's own argument may look like -cpu; then
 * QEMU is asked more often than needed.
 */
static enum dialect_cpu by_arguments(enum dialect_cpu cpu, FILE *file)
{
	bool is_cpu = false;
	char *word = NULL;
	size_t size = 0;

	while (getdelim(&word, &size, 0, file) > 0) {
		if (is_cpu)
			cpu = chosen(cpu, word);
		is_cpu = option_is(word, "cpu");
	}
	free(word);
	return cpu;
}

enum dialect_cpu dialect_cpu(void)
{
	const char *variable = getenv("QEMU_CPU");
	enum dialect_cpu cpu = variable ? chosen(CPU_DEFAULT, variable) : CPU_DEFAULT;
	FILE *file = fopen("/proc/self/cmdline", "re");

	/* Without the arguments any CPU is possible. */
	if (!file)
		return CPU_ANY;
	cpu = by_arguments(cpu, file);
	fclose(file);
	return cpu;
}

enum riscv_dialect dialect_here(const char *qemu_version)
{
	enum riscv_dialect dialect = riscv_dialect(qemu_version);

	switch (dialect_cpu()) {
	case CPU_DEFAULT:
		return dialect;
	case CPU_CHOSEN:
		return dialect == RISCV_QEMU_10 ? RISCV_QEMU_10_CPU : dialect;
	default: /* QEMU is asked for every text */
		return RISCV_NO_TEXT;
	}
}
