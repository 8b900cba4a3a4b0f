// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From 10.0 on, some text depends on the extensions of the guest's CPU: the names of FP
 * registers with Zfinx, another instruction in an encoding that Zcmp takes over. We know
 * the default CPU's; when the user chose one, no text is known and QEMU is asked for all.
 */
#include "plugin/dialect.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether QEMU was told to. The guest's own arguments may look so: asking is no harm. */
static bool cpu_is_chosen(void)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	bool chosen = !file || getenv("QEMU_CPU");
	char *word = NULL;
	size_t size = 0;

	while (!chosen && getdelim(&word, &size, 0, file) > 0)
		chosen = !strcmp(word, "-cpu") || !strcmp(word, "--cpu");
	free(word);
	if (file)
		fclose(file);
	return chosen;
}

enum riscv_dialect dialect_here(const char *qemu_version)
{
	enum riscv_dialect dialect = riscv_dialect(qemu_version);

	if (dialect == RISCV_QEMU_10 && cpu_is_chosen())
		return RISCV_NO_TEXT;
	return dialect;
}
