// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the lines of `waymark doctor`, each with a mark for its kind, and counts them:
 * the number of wrong ones decides the exit status.
 */
#include "cli/doctor/report.h"

#include <stdarg.h>
#include <stdio.h>

static unsigned counts[REPORT_WRONG + 1];

void report_part(const char *title)
{
	puts(title);
}

/* The line is flushed by stdout's own rules; a trial flushes before it starts a child. */
void report(enum report_kind kind, const char *format, ...)
{
	static const char *const marks[] = { "ok", "note", "WRONG" };
	va_list args;

	counts[kind]++;
	printf("  %-6s", marks[kind]);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

unsigned report_count(enum report_kind kind)
{
	return counts[kind];
}
