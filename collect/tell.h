/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that the collector notices by itself: threads and processes that come and go. */
#ifndef COLLECT_TELL_H
#define COLLECT_TELL_H

#include "collect/process.h"

/*
 * The thread on lane `vcpu`, if there is one, begins or ends. `ns` is what the guest says of
 * the time; what cannot be is taken for now.
 */
void tell_thread(const struct process *process, uint32_t vcpu, uint32_t kind,
		 uint64_t ns);
/* It has a name, unless it had that before. */
void tell_name(struct process *process, uint32_t vcpu, uint64_t ns, const char *name);
/* All threads that are left end now: with the process. */
void tell_threads_end(const struct process *process);
/* The process forked a child with this pid. */
void tell_fork(const struct process *process, uint32_t child, uint64_t ns);
/* A process has become the program that `process` is. */
void tell_exec(const struct process *process);

#endif
