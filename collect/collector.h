/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Empties a guest process's arena into a .wmk file.
 *
 * One thread runs collector_run() until another calls collector_stop() because the guest
 * has ended; then collector_finish() takes what is left and completes the file.
 */
#ifndef COLLECT_COLLECTOR_H
#define COLLECT_COLLECTOR_H

#include "base/error.h"
#include "collect/record.h"
#include "format/arena.h"

struct collector;

/* What is known before the guest runs; strings are copied. NULLs are left out. */
struct collector_facts {
	const char *command; /* as a shell would take it */
	const char *program; /* path of the guest program */
	const char *qemu, *qemu_version;
};

/*
 * Opens `output` (under a temporary name until the plugin reports) for the arena, which
 * must outlive the collector.
 */
int collector_new(struct collector **collector, struct arena *arena, const char *output,
		  const struct collector_facts *facts, struct wm_error *err);
/* Works until told to stop, or until the file cannot be written any more. */
void collector_run(struct collector *collector);
/* Makes collector_run() return soon. For any thread. */
void collector_stop(struct collector *collector);
/* How far it is. For any thread. */
void collector_progress(const struct collector *collector,
			struct record_progress *progress);
/*
 * Takes what is left, writes how the process ended (`status` as waitpid() gives it, -1
 * when not known), completes the file and frees the collector. *traced, when not NULL,
 * tells whether the guest ran under the plugin; if not, nothing is left of the file.
 */
int collector_finish(struct collector *collector, int status, bool *traced,
		     struct wm_error *err);

#endif
