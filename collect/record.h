/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records one run of a guest program: starts a recorder beside it, and becomes QEMU. */
#ifndef COLLECT_RECORD_H
#define COLLECT_RECORD_H

#include <sys/types.h>

#include "collect/eventlog.h"
#include "collect/guest/files.h"
#include "collect/keep.h"
#include "collect/newest.h"
#include "collect/steering.h"
#include "format/guest_linux.h"
#include "waymark.h"

/* The progress of a recording. */
struct record_progress {
	uint64_t blocks,
		insns; /* encoded so far (insns: up to the last finished chunk) */
	uint64_t file_bytes;
	uint64_t elapsed_ns;
};

/* How a recording ended. */
struct record_result {
	int status;    /* the guest's, as waitpid() gives it; -1: not known */
	bool traced;   /* false: QEMU ran but the plugin never reported */
	bool roomless; /* then: because there was no room for the program, which ran */
	bool recorded; /* false: nothing ran that was to be recorded: there is no file */
	bool kept;     /* false: nothing of options->keep happened: there is no file */
	bool foreign; /* processes became programs of another machine: the trace says which */
	char cut[200]; /* what the file lacks; empty: nothing */
	struct steering_outcome steered;
};

/* Where a recorder reports, in its own process; every function may be NULL. */
struct record_reports {
	/* A few times a second, on a thread of its own. */
	void (*progress)(void *cookie, const struct record_progress *progress);
	/* Once, when it waits for processes that the first one left: `who` lists them. */
	void (*waiting)(void *cookie, const char *who);
	/*
	 * At the end. `failed` is what could not be written, or has code 0. Returns the
	 * exit status that the guest is to have instead of its own, or -1.
	 */
	int (*end)(void *cookie, const struct record_result *result,
		   const struct wm_error *failed);
	void *cookie;
};

struct record_options {
	const char *output; /* path of the .wmk file; one that is there becomes .wmk.old */
	const char *qemu;   /* absolute path of the emulator */
	const char *plugin;	  /* absolute path of the plugin for its version */
	const char *qemu_version; /* for the trace's metadata, e.g. "7.2.22" */
	char *const *qemu_args; /* NULL-terminated: options for QEMU before the program */
	/*
	 * NULL-terminated: program and its arguments; of a machine QEMU's name, which
	 * stands only in the trace, and its options.
	 */
	char *const *guest_argv;
	const char *lends; /* to programs that execve() begins (format/lend.h); or NULL */
	bool machine;	   /* full-system emulation */
	const struct kernel_file *kernels; /* see collect/kernels.h; or NULL */
	struct guest_files files; /* what has the files of its guest, if anything */
	const struct guest_linux *layout; /* see collect/layout.h; or NULL */
	const char *unfollowed; /* what is not followed in it, and why; NULL: nothing */
	bool follow;	 /* record forked children, and the programs processes become */
	bool precise;	 /* every instruction is a block: slower, nothing is uncertain */
	uint32_t values; /* beside the path: enum values_wanted (format/values.h) */
	bool wait_all;	 /* also for processes that the first one leaves behind */
	bool judges;	 /* reports.end() may decide the guest's exit status */
	bool no_pack;	 /* nor is what is known of code that ran */
	bool code_in_files;	 /* code is left in the program's files */
	uint64_t pack_bytes;	 /* limit of packed names of code; 0: none are packed */
	uint64_t memory_bytes;	 /* for the recorder, see collect/budget.h; 0: default */
	struct newest_wish last; /* how much of the end of the run is kept */
	const char *last_text; /* as the user has it, for the trace's metadata; or NULL */
	struct keep_rules keep;		    /* what it takes to be kept at all */
	const struct steering *steering;    /* what is recorded; NULL: everything */
	const struct event_options *events; /* NULL: the default */
	struct record_reports reports;
};

/*
 * Starts a process that records, and becomes QEMU with the guest. So the guest has the
 * process id, parent, process group, session and terminal of the caller, and its end is
 * the caller's end; the caller's parent sees it when the file is complete. Returns only
 * when the guest cannot be started; then nothing is left behind. The caller must not have
 * other threads.
 */
int record_run(const struct record_options *options, struct wm_error *err);

/*
 * Collects for a plugin that was loaded by hand and started us (attach.c): in the memory
 * of `arena_fd`, into `output`, until process `guest` has ended, a QEMU of that
 * version (NULL: not known). Writes a byte to `ready_fd` and closes it as soon as the
 * guest may go on. The caller exits then, as after serve().
 */
int attach_run(int arena_fd, int ready_fd, pid_t guest, const char *qemu_version,
	       const char *output, const struct record_reports *reports,
	       struct wm_error *err);

#endif
