/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The progress of a recording: totals, and rates since the last update.
 */
#ifndef CLI_LIVE_PULSE_H
#define CLI_LIVE_PULSE_H

#include "cli/live/recordings.h"

#define PULSE_HISTORY 256 /* rates that are kept */

/* A running thread and its speed. */
struct pulse_thread {
	uint32_t process, vcpu, tid;
	uint64_t insns;	  /* so far */
	double rate;	  /* instructions a second since the last update */
	const char *name; /* owned by the status; the program's if it has none */
};

struct pulse {
	struct recorder *recorder;
	struct status status;	       /* the latest */
	struct sample sample;	       /* what ran since the one before */
	double seconds;		       /* since then; the first time, since it began */
	double insns, blocks, bytes;   /* a second, since then */
	struct pulse_thread *threads;  /* [status.n_threads] the fastest first */
	double history[PULSE_HISTORY]; /* of insns, the latest first */
	unsigned n_history;
};

void pulse_init(struct pulse *pulse, struct recorder *recorder);
void pulse_fini(struct pulse *pulse);
/* Asks the recorder. WM_E_IO or WM_E_RANGE when it has ended or does not answer. */
int pulse_update(struct pulse *pulse, struct wm_error *err);

#endif
