/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about the recording in the file: what is known at the start, and how it ended. */
#ifndef COLLECT_FACTS_H
#define COLLECT_FACTS_H

#include "collect/eventlog.h"
#include "collect/guest/files.h"
#include "collect/keep.h"
#include "collect/newest.h"
#include "collect/output.h"
#include "collect/steering.h"
#include "format/arena.h"

struct recording;

/* What is known before the guest runs; strings are copied. NULLs are left out. */
struct collector_facts {
	const char *command; /* as a shell would take it */
	const char *qemu, *qemu_version;
	/* QEMU's options and what of its environment it heeds, as a shell takes them. */
	const char *qemu_args, *qemu_environment;
	uint64_t pack_bytes; /* limit of packed names of code; 0: none are packed */
	bool no_pack;	     /* nor is what is known of code that ran */
	bool code_in_files; /* code is left in the program's files, as far as they have it */
	uint64_t memory_bytes; /* memory of the recording, see collect/budget.h; 0: default */
	struct newest_wish last;
	const char *last_text;
	struct keep_rules keep;
	const struct steering *steering; /* the caller's; NULL: everything is recorded */
	const struct event_options *events; /* NULL: the default; must outlive the guest */
	enum hold_judges judges;	    /* of the first process's exit status */
	bool machine;			    /* the guest is one, not a process */
	const struct kernel_file *kernels; /* of its code; see collect/kernels.h; or NULL */
	struct guest_files files;	   /* what has its files, if anything */
	const struct guest_linux *layout; /* of its kernel; NULL: not known */
	const char *unfollowed; /* what is not followed, and why; NULL: nothing */
	bool wait_all;		/* for processes that the first one leaves behind */
	/* Called once when such waiting lasts: `who` lists them. NULL: not wanted. */
	void (*waiting)(void *cookie, const char *who);
	void *cookie;
};

/*
 * The first sections of the file. Bit n of `events`: events of kind n are wanted. The
 * image of `header` is the first that reported.
 */
void facts_begin(struct output *out, uint64_t events, const struct collector_facts *facts,
		 const struct board *board, const struct arena_header *header);

/* Which values (enum values_wanted) the file has, once a process records them. */
void facts_values(struct output *out, uint32_t values);

/*
 * The last sections of a file that has the recording so far: of *out, the recording's own
 * or that of a copy. `until` is the reason why it ends before the guest, one of FORMAT.md;
 * or NULL.
 */
void facts_end(const struct recording *recording, const struct board *board,
	       struct output *out, const char *until);

#endif
