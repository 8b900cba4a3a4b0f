/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drains the arenas of a recording's images into one .wmk file.
 *
 * One thread runs collector_run(); another calls collector_ended() when the first process
 * has ended. When collector_run() has returned, collector_finish() completes the
 * file.
 */
#ifndef COLLECT_COLLECTOR_H
#define COLLECT_COLLECTOR_H

#include "base/error.h"
#include "collect/facts.h"
#include "collect/memory.h"
#include "collect/record.h"

struct collector;
struct errand;

/*
 * Opens `output` (under a temporary name until a plugin reports, and until it is certain
 * that it is to be kept) for the memory, which must outlive the collector.
 */
int collector_new(struct collector **collector, struct memory *memory, const char *output,
		  const struct collector_facts *facts, struct wm_error *err);
/* Where QEMU is to write its own trace; NULL: nowhere. */
const char *collector_qemu_path(const struct collector *collector);
/* The first process is `pid`. To be called before its end is, or never. */
void collector_follow(struct collector *collector, uint32_t pid);
/*
 * Works until the first process has ended, or with wait_all every image, or until the
 * recording is stopped.
 */
void collector_run(struct collector *collector);
/*
 * The first process ended; `status` as waitpid() gives it, -1: not known. Any thread.
 * Only the first call counts.
 */
void collector_ended(struct collector *collector, int status);
/*
 * The first process becomes a program that is not recorded. True when nothing else is
 * recorded either: that is the end of the recording, and the process counts as ended. For any
 * other thread.
 */
bool collector_left(struct collector *collector);
/* Makes collector_run() return soon. For any thread, and for signal handlers. */
void collector_stop(struct collector *collector);
/* The progress so far. For any thread. */
void collector_progress(const struct collector *collector,
			struct record_progress *progress);
/*
 * Runs an errand (collect/mailbox.h) on the collector's thread, after everything that ran
 * so far has been taken, and waits for it. False when it will never run, because the
 * recording has ended. For any other thread.
 */
bool collector_ask(struct collector *collector, struct errand *errand);
/*
 * Completes the file before the guest has ended; `until` is the reason, in FORMAT.md's
 * words. What is put later is dropped. For errands.
 */
int collector_seal(struct collector *collector, const char *until, struct wm_error *err);
/*
 * Takes what is left, completes the file and frees the collector. *result may be NULL; it
 * has whether the guest ran under the plugin and whether the file was kept. A file that is
 * not kept is removed.
 */
int collector_finish(struct collector *collector, struct record_result *result,
		     struct wm_error *err);

#endif
