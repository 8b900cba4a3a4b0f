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

static bool is_rv128(const char *cpu)
{
	return !strncmp(cpu, "x-rv128", 7);
}

/* The dialect when the user chose a CPU. */
static enum riscv_dialect dialect_of(enum riscv_dialect dialect, const char *cpu)
{
	if (is_rv128(cpu))
		return RISCV_NO_TEXT;
	return dialect == RISCV_QEMU_10 ? RISCV_QEMU_10_CPU : dialect;
}

/*
 * The same, by this process's arguments. A guest's own argument may look like -cpu; then
 * QEMU is asked more often than needed.
 */
static enum riscv_dialect by_arguments(enum riscv_dialect dialect, FILE *file)
{
	bool is_cpu = false;
	char *word = NULL;
	size_t size = 0;

	while (getdelim(&word, &size, 0, file) > 0) {
		if (is_cpu)
			dialect = dialect_of(dialect, word);
		is_cpu = !strcmp(word, "-cpu") || !strcmp(word, "--cpu");
	}
	free(word);
	return dialect;
}

enum riscv_dialect dialect_here(const char *qemu_version)
{
	enum riscv_dialect dialect = riscv_dialect(qemu_version);
	const char *cpu = getenv("QEMU_CPU");
	FILE *file = fopen("/proc/self/cmdline", "re");

	if (cpu)
		dialect = dialect_of(dialect, cpu);
	/* Without the arguments any CPU is possible, so QEMU is asked for every text. */
	if (!file)
		return RISCV_NO_TEXT;
	dialect = by_arguments(dialect, file);
	fclose(file);
	return dialect;
}
