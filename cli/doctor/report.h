/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `waymark doctor` finds: lines on standard output, and how many of which kind. */
#ifndef CLI_DOCTOR_REPORT_H
#define CLI_DOCTOR_REPORT_H

enum report_kind {
	REPORT_FINE,
	REPORT_NOTE,  /* recording works without it, or it may be intended */
	REPORT_WRONG, /* with advice in the line */
};

/* Begins a part of the report. */
void report_part(const char *title);

__attribute__((format(printf, 2, 3))) void report(enum report_kind kind,
						  const char *format, ...);

unsigned report_count(enum report_kind kind);

#endif
