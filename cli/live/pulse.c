// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rates are differences between two answers of the recorder, divided by the recorder's
 * own time between them, so a delayed answer does not distort them. For the first answer
 * the difference is to zeros, which gives the average since the recording began.
 *
 * A thread is identified by process, vCPU and thread id together: QEMU reuses vCPU
 * indexes.
 */
#include "cli/live/pulse.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define PATIENCE_SECONDS 5 /* to wait for a recorder that may be stopped */

void pulse_init(struct pulse *pulse, struct recorder *recorder)
{
	*pulse = (struct pulse){ .recorder = recorder };
}

void pulse_fini(struct pulse *pulse)
{
	status_fini(&pulse->status);
	sample_fini(&pulse->sample);
	free(pulse->threads);
}

/* Status and sample come in one answer, so they are of the same moment. */
static int ask(struct pulse *pulse, struct status *status, struct sample *sample,
	       struct wm_error *err)
{
	struct buf answer = BUF_INIT;
	struct span rest;
	int ret = recorder_ask(pulse->recorder, REQUEST_SAMPLE, "", PATIENCE_SECONDS,
			       &answer, &rest, err);

	/* Zeros, so that status_fini() is safe whatever happened. */
	*status = (struct status){ 0 };
	if (!ret && (!status_get(&rest, status) || !sample_get(&rest, sample))) {
		status_fini(status);
		ret = wm_fail(err, WM_E_FORMAT, 0,
			      "the recorder's answer makes no sense");
	}
	buf_fini(&answer);
	return ret;
}

/*
 * Units per second. 0 when a value has shrunk: the file may have been replaced by a
 * shorter one.
 */
static double rate(uint64_t now, uint64_t before, double seconds)
{
	return seconds > 0 && now > before ? (double)(now - before) / seconds : 0;
}

/* 0 for a thread that was not there: all its instructions are new. */
static uint64_t insns_before(const struct status *before,
			     const struct status_thread *thread)
{
	for (uint32_t i = 0; i < before->n_threads; i++) {
		const struct status_thread *it = &before->threads[i];

		if (it->process == thread->process && it->vcpu == thread->vcpu &&
		    it->tid == thread->tid)
			return it->insns;
	}
	return 0;
}

/* The fastest first; of equal ones in a fixed order, so that idle threads do not move. */
static int compare_threads(const void *a, const void *b)
{
	const struct pulse_thread *one = a, *other = b;

	if (one->rate != other->rate)
		return one->rate < other->rate ? 1 : -1;
	if (one->process != other->process)
		return one->process < other->process ? -1 : 1;
	return one->vcpu < other->vcpu ? -1 : one->vcpu > other->vcpu;
}

static struct pulse_thread *rate_threads(const struct status *now,
					 const struct status *before, double seconds)
{
	struct pulse_thread *threads = calloc(now->n_threads + 1ul, sizeof(*threads));

	for (uint32_t i = 0; threads && i < now->n_threads; i++) {
		const struct status_thread *it = &now->threads[i];

		threads[i] = (struct pulse_thread){
			it->process,
			it->vcpu,
			it->tid,
			it->insns,
			rate(it->insns, insns_before(before, it), seconds),
			recorder_thread_name(now, it),
		};
	}
	if (threads)
		qsort(threads, now->n_threads, sizeof(*threads), compare_threads);
	return threads;
}

/*
 * Computes the rates since the previous answer. Before the first answer pulse->status is
 * all zeros, so the interval is the time since the recording began.
 */
static void set_rates(struct pulse *pulse, const struct status *now)
{
	const struct status *before = &pulse->status;
	double seconds = 0;

	if (now->elapsed_ns > before->elapsed_ns)
		seconds = (double)(now->elapsed_ns - before->elapsed_ns) / 1e9;
	pulse->seconds = seconds;
	pulse->insns = rate(now->insns, before->insns, seconds);
	pulse->blocks = rate(now->blocks, before->blocks, seconds);
	pulse->bytes = rate(now->bytes, before->bytes, seconds);
	/* The newest comes first; the oldest is dropped. */
	memmove(pulse->history + 1, pulse->history,
		(PULSE_HISTORY - 1) * sizeof(*pulse->history));
	pulse->history[0] = pulse->insns;
	pulse->n_history += pulse->n_history < PULSE_HISTORY;
}

/* The old status is freed last: rates are differences from it. */
int pulse_update(struct pulse *pulse, struct wm_error *err)
{
	struct pulse_thread *threads;
	struct status status;
	struct sample sample;
	int ret = ask(pulse, &status, &sample, err);

	if (ret)
		return ret;
	set_rates(pulse, &status);
	threads = rate_threads(&status, &pulse->status, pulse->seconds);
	if (!threads) {
		status_fini(&status);
		sample_fini(&sample);
		return wm_fail_nomem(err, "the list of threads");
	}
	/* The last answer is freed only now: rates were computed from it above. */
	pulse_fini(pulse);
	pulse->status = status;
	pulse->sample = sample;
	pulse->threads = threads;
	return 0;
}
