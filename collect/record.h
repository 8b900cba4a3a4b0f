/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records one run of a guest program: starts QEMU with the plugin, collects, writes. */
#ifndef COLLECT_RECORD_H
#define COLLECT_RECORD_H

#include "collect/eventlog.h"
#include "collect/keep.h"
#include "collect/newest.h"
#include "collect/steering.h"
#include "waymark.h"

/* What a recording has come to, for a progress line. */
struct record_progress {
	uint64_t blocks,
		insns; /* encoded so far (insns: up to the last finished chunk) */
	uint64_t file_bytes;
	uint64_t elapsed_ns;
};

struct record_options {
	const char *output;	  /* path of the .wmk file; replaced when it exists */
	const char *qemu;	  /* absolute path of the emulator */
	const char *plugin;	  /* absolute path of the plugin for its version */
	const char *qemu_version; /* for the trace's metadata, e.g. "7.2.22" */
	char *const *qemu_args; /* NULL-terminated: options for QEMU before the program */
	char *const *guest_argv; /* NULL-terminated: program and its arguments */
	bool follow;  /* record forked children, and the programs processes become */
	bool precise; /* every instruction is a block: slower, nothing is uncertain */
	uint64_t pack_bytes;	 /* that names of code may add to the trace; 0: none */
	struct newest_wish last; /* only so much is kept */
	const char *last_text; /* as the user has it, for the trace's metadata; or NULL */
	struct keep_rules keep;		    /* what it takes to be kept at all */
	const struct steering *steering;    /* what is recorded; NULL: everything */
	const struct event_options *events; /* NULL: as ever */
	/* Called a few times a second from another thread; may be NULL. */
	void (*progress)(void *cookie, const struct record_progress *progress);
	void *cookie;
};

struct record_result {
	int status;  /* the guest's, as waitpid() gives it */
	bool traced; /* false: QEMU ran but the plugin never reported */
	bool kept;   /* the file is there; false: nothing of options->keep happened */
	struct steering_outcome steered; /* to be finished by the caller */
};

/*
 * Runs the guest to its end, and waits for all processes that are followed; a signal that
 * would end this process then ends the recording. The guest's stdin, stdout, stderr and environment are the
 * caller's; terminal signals reach it directly, SIGTERM and SIGHUP sent to this
 * process are passed on. Returns 0 when the guest ran and the file is complete (or
 * as complete as the guest's end allowed); on failure before the guest started,
 * nothing is left behind.
 */
int record_run(const struct record_options *options, struct record_result *result,
	       struct wm_error *err);

#endif
