/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the Linux of a machine did until its first program ran. */
#ifndef ANALYSIS_BOOT_BOOT_H
#define ANALYSIS_BOOT_BOOT_H

#include "analysis/calls/sites.h"

/* A call that the kernel's start made, or the thread of an initcall. */
struct boot_step {
	uint64_t begin_ns, end_ns; /* equal when it has not come back */
	uint64_t insn, insns;	   /* where it began, and all until it came back */
	unsigned thread;
	uint32_t entity;  /* of boot.sites */
	const char *kind; /* start, init, initcall, async */
	bool open;	  /* it has not come back */
};

struct boot {
	uint64_t begin_ns;	 /* of the recording */
	struct boot_step *steps; /* [n] in the order in which they began */
	size_t n;
	struct sites *sites;
	bool has_program;
	const char *program; /* the first process; the trace's */
	uint64_t program_ns; /* when it began */
};

/*
 * Fills in *boot. The caller frees it with boot_fini(), also after a failure. WM_E_RANGE: the
 * trace is of a program.
 */
int boot_gather(struct boot *boot, const struct wm_trace *trace,
		struct functions *functions, const struct selection *selection,
		struct wm_error *err);
void boot_fini(struct boot *boot);

#endif
