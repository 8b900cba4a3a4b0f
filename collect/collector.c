// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread serves all images: it drains what their plugins left in the shared memory,
 * admits new images, and reaps those that are no more (collect/images.c). This file is
 * its loop, when the loop sleeps, and when it ends.
 *
 * Two other threads talk to it. The warden reports that the first process has ended
 * (collector_ended), the control socket asks for errands (collector_ask); both ring the
 * same doorbell as the plugins do, so one futex wakes the loop for any reason.
 *
 * Invariant: nobody rings unheard. The loop sets board->sleeping, drains once more, and
 * only then sleeps; a plugin stores its ids before it reads `sleeping`. NAP_MS bounds
 * the sleep of a loop whose board a guest has scribbled over.
 */
#include "collect/collector.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/pid.h"
#include "collect/budget.h"
#include "collect/images.h"
#include "collect/live.h"
#include "collect/mailbox.h"
#include "collect/recording.h"

#define LEAVE_NS 200000000ull	/* time for programs to end by themselves */
#define NAP_MS 20		/* how long to sleep when there is nothing to do */
#define GRACE_NS 200000000ull	/* for processes that end together with the first */
#define REMARK_NS 2000000000ull /* after which the user hears who is waited for */

struct collector {
	struct board *board;	      /* of the memory */
	struct collector_facts facts; /* copies, ours */
	struct images images;
	struct recording recording;
	bool reported; /* a plugin has */
	struct mailbox mailbox;

	/* Limits of the recording: see mind_limits(). */
	uint64_t recorded_ns; /* when the first block came; 0: none came */
	uint64_t enough_ns;   /* when a limit was reached; 0: none was */

	_Atomic uint32_t first_pid; /* 0 when it is not known */
	_Atomic bool first_ended, stop;
	_Atomic int first_status;
	uint64_t alone_ns; /* when only other processes were left; 0: not yet */
	bool remarked;	   /* the user was informed of the processes waited for */
};

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void copy_facts(struct collector_facts *to, const struct collector_facts *facts)
{
	*to = *facts;
	if (!to->memory_bytes)
		to->memory_bytes = to->machine ? BUDGET_MACHINE_BYTES : BUDGET_BYTES;
	to->command = copy(facts->command);
	to->qemu = copy(facts->qemu);
	to->qemu_version = copy(facts->qemu_version);
	to->qemu_args = copy(facts->qemu_args);
	to->qemu_environment = copy(facts->qemu_environment);
	to->last_text = copy(facts->last_text);
}

static void collector_free(struct collector *c)
{
	images_fini(&c->images); /* streams leave the recording's pool */
	recording_fini(&c->recording);
	mailbox_fini(&c->mailbox);
	free((char *)c->facts.command);
	free((char *)c->facts.qemu);
	free((char *)c->facts.qemu_version);
	free((char *)c->facts.qemu_args);
	free((char *)c->facts.qemu_environment);
	free((char *)c->facts.last_text);
	free(c);
}

/*
 * Divides the memory between rings and encoders again, by what the guest uses: rings that
 * hold pages leave less for encoders.
 */
static void divide_memory(struct collector *c)
{
	struct recording *rec = &c->recording;

	rings_look(&rec->rings, c->images.memory);
	rec->chunks.encoders.bound =
		budget_encoders(c->facts.memory_bytes, rec->rings.bytes);
}

int collector_new(struct collector **out, struct memory *memory, const char *output,
		  const struct collector_facts *facts, struct wm_error *err)
{
	struct collector *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return wm_fail_nomem(err, "the collector");
	c->board = memory->board;
	c->images.memory = memory;
	c->images.recording = &c->recording;
	mailbox_init(&c->mailbox);
	/* -1: how the first process ended is not known. */
	c->first_status = -1;
	copy_facts(&c->facts, facts);
	snprintf(c->board->qemu_version, sizeof(c->board->qemu_version), "%s",
		 facts->qemu_version ? facts->qemu_version : "");
	c->board->rings_bytes = budget_rings(c->facts.memory_bytes);
	c->board->hold.judges = facts->judges;
	ret = recording_init(&c->recording, c->board, output, &c->facts, err);
	/*
	 * Without the output nothing may run: the caller reports the error before it
	 * starts QEMU.
	 */
	if (ret)
		collector_free(c);
	else
		*out = c;
	return ret;
}

const char *collector_qemu_path(const struct collector *c)
{
	return eventlog_qemu_path(&c->recording.events);
}

void collector_follow(struct collector *c, uint32_t pid)
{
	atomic_store(&c->first_pid, pid);
}

/* ---- the loop ------------------------------------------------------------ */

static struct first_process first_of(const struct collector *c)
{
	/* The status is stored before the flag. */
	bool ended = atomic_load(&c->first_ended);

	return (struct first_process){ .pid = atomic_load(&c->first_pid),
				       .ended = ended,
				       .status = atomic_load(&c->first_status) };
}

/* The first plugin is there. */
static void begin(struct collector *c, const struct arena_header *header)
{
	c->reported = true;
	if (!images_begin(&c->images))
		output_cut(&c->recording.out, output_no_memory);
	recording_begin(&c->recording, &c->facts, c->board, header);
}

static bool admit(struct collector *c)
{
	struct arena *arena = c->reported ? NULL : images_oldest(&c->images);

	/*
	 * Facts of the file, such as the guest's ISA, come from the first image that is
	 * ready.
	 */
	if (arena) {
		begin(c, &arena->header);
		memory_unmap(arena);
	}
	return c->reported && images_admit(&c->images);
}

/*
 * The first process exits. When it waits for the file to be complete, it counts as ended:
 * its warden would otherwise wait for an end that comes only after the file.
 */
static void take_first_leave(struct collector *c, const struct image *image)
{
	const struct arena_header *header = &image->arena->header;
	bool held = atomic_load(&c->board->hold.state) == HOLD_GIVEN;
	bool exits = atomic_load(&header->exits);
	bool waits = c->facts.judges == JUDGES_END || atomic_load(&c->board->hold.waits);

	if (held && !(exits && waits))
		return; /* its warden sees how it ends */
	collector_ended(c, exits ? (int)(atomic_load(&header->exit_status) & 0xff) << 8 :
				   -1);
}

/* The image's plugin has sent its last message. */
static void take_leave(struct collector *c, struct image *image)
{
	if (image->life.pid == atomic_load(&c->first_pid)) {
		take_first_leave(c, image);
		return;
	}
	image_end(image, &c->recording, -1);
}

/* Drains all images; false when there was nothing to take. */
static bool drain(struct collector *c, enum drain how)
{
	bool worked = admit(c);

	/* Before the drain, so that the drain works with the present bounds. */
	divide_memory(c);
	for (uint32_t i = 0; i < c->images.top; i++) {
		struct image *image = images_live(&c->images, i);

		if (!image)
			continue;
		/*
		 * Drained before its leave is taken: what it wrote before must not be
		 * lost.
		 */
		worked |= image_drain(image, &c->recording, how);
		if (atomic_load(&image->arena->header.state) == ARENA_EXITED)
			take_leave(c, image);
	}
	recording_publish(&c->recording);
	return worked;
}

/* Upper bound of the file's bytes, if everything taken so far were written now. */
static uint64_t count_bytes(const struct collector *c)
{
	uint64_t bytes = writer_bytes(c->recording.out.writer) +
			 definitions_bytes(&c->recording.defs);

	for (uint32_t i = 0; i < c->images.top; i++)
		if (c->images.at[i])
			bytes += threads_bytes(&c->images.at[i]->threads);
	return bytes;
}

/*
 * The same, but exact near the limit: what has been gathered is compressed first, because
 * its compressed size cannot be predicted.
 */
static uint64_t count_bytes_well(struct collector *c, uint64_t enough)
{
	uint64_t bytes = count_bytes(c), written = writer_bytes(c->recording.out.writer);

	/*
	 * Compressing early costs compression, so it happens only when the upper bound
	 * has reached the limit, and not again in the last 16th, where the bound is close
	 * enough.
	 */
	if (bytes < enough || written >= enough - enough / 16)
		return bytes;
	for (uint32_t i = 0; i < c->images.top; i++)
		if (c->images.at[i])
			threads_cut(&c->images.at[i]->threads);
	definitions_put(&c->recording.defs, &c->recording.out);
	return written;
}

/*
 * The signal that ends a process whose threads all sleep in system calls. A signal that
 * QEMU catches interrupts the system call, and the plugin, which sees the call return,
 * ends the process with status 0. QEMU 7.2 catches every signal that is fatal by default;
 * 10.2 only some that dump core, so SIGTERM would kill it on the spot. SIGQUIT is ignored
 * in the background jobs of a shell; SIGTRAP is not.
 */
static int ending_signal(uint32_t pid)
{
	static const int signals[] = { SIGTERM, SIGQUIT, SIGTRAP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (pid_catches(pid, signals[i]))
			return signals[i];
	return SIGTERM;
}

/* Asks processes to end that do not do so by themselves: they sleep, or run on unseen. */
static void end_processes(struct collector *c)
{
	struct first_process first = first_of(c);

	c->recording.steered.outcome.ended = true;
	for (uint32_t i = 0; i < c->images.top; i++)
		if (c->images.at[i] && !images_is_over(&c->images, i, &first))
			life_signal(&c->images.at[i]->life,
				    ending_signal(c->images.at[i]->life.pid));
}

/* Stops recording when a limit on the file's size or on the time is reached. */
static void mind_limits(struct collector *c)
{
	const struct steering *is = c->facts.steering;
	struct recording *rec = &c->recording;
	uint64_t now_ns;

	/* The clock is read only if a limit needs it. */
	if (!is || (!is->max_bytes && !is->max_ns) || !atomic_load(&rec->chunks.blocks))
		return;
	now_ns = clock_ns();
	/*
	 * Time counts from the first block inside a window, not from the start of the
	 * program.
	 */
	if (!c->recorded_ns && steered_has_begun(&rec->steered))
		c->recorded_ns = now_ns;
	if (!c->enough_ns &&
	    steered_has_enough(&rec->steered, count_bytes_well(c, is->max_bytes),
			       c->recorded_ns ? now_ns - c->recorded_ns : 0)) {
		c->enough_ns = now_ns;
		rec->steered.outcome.enough = true;
		atomic_store(&c->board->orders.wish, WISH_STOP);
	}
	if (c->enough_ns && is->then_exit && !rec->steered.outcome.ended &&
	    now_ns - c->enough_ns >= LEAVE_NS)
		end_processes(c);
}

/* Sleeps until a plugin rings; `sleeping` is set before the last look. */
static void nap(struct collector *c)
{
	/*
	 * Read before everything else: a ring between here and futex_wait() changes the
	 * word, and the wait returns at once.
	 */
	uint32_t seen = atomic_load(&c->board->doorbell);
	bool nobody_rang = false;

	if (c->reported) {
		eventlog_tick(&c->recording.events, &c->recording.out);
		notes_tick(&c->recording.notes, &c->recording.out);
	}
	atomic_store(&c->board->sleeping, 1);
	if (!drain(c, DRAIN_MUCH) && !atomic_load(&c->stop) &&
	    !mailbox_look(&c->mailbox)) {
		futex_wait(&c->board->doorbell, seen, NAP_MS);
		nobody_rang = atomic_load(&c->board->doorbell) == seen;
	}
	atomic_store(&c->board->sleeping, 0);
	if (nobody_rang) /* idle: take small amounts, too */
		drain(c, DRAIN_ALL);
}

/* Runs an errand of another thread, after everything that ran before it was taken. */
static void serve(struct collector *c)
{
	struct errand *errand = mailbox_look(&c->mailbox);
	struct live live = { c, &c->recording, c->board, &c->images, c->reported };

	if (!errand)
		return;
	drain(c, DRAIN_ALL);
	live.reported = c->reported;
	errand->run(errand, &live);
	mailbox_done(&c->mailbox);
}

/* The first process has ended: reports once, after a while, what is still waited for. */
static void remark_waiting(struct collector *c)
{
	char *who;

	if (c->remarked || !c->facts.waiting || clock_ns() - c->alone_ns < REMARK_NS)
		return;
	c->remarked = true;
	who = images_list(&c->images, "");
	if (who)
		c->facts.waiting(c->facts.cookie, who);
	free(who);
}

/*
 * Answers processes that wait for a slot. Processes that died since the last look may hold slots and
 * not be admitted yet: whoever asked must not be refused because of those.
 */
static void answer(struct collector *c, const struct first_process *first)
{
	uint32_t asked;

	if (!images_asked(&c->images, &asked))
		return;
	admit(c);
	images_answer(&c->images, asked, first);
}

/* Whether to stop waiting for processes that the first one left behind. */
static bool is_impatient(struct collector *c)
{
	if (!c->alone_ns)
		c->alone_ns = clock_ns();
	if (!c->facts.wait_all)
		/* Processes of a pipeline often end a moment after the first one. */
		return clock_ns() - c->alone_ns >= GRACE_NS;
	remark_waiting(c);
	return false;
}

/* Whether all images have ended, and no forked child is still to come. */
static bool all_ended(struct collector *c)
{
	uint32_t expected;

	if (!atomic_load(&c->first_ended))
		return false;
	return (!images_running(&c->images, &expected) && !expected) || is_impatient(c);
}

void collector_run(struct collector *c)
{
	/*
	 * A pidfd for each image: thousands of processes exceed the usual soft limit of
	 * 1024 descriptors.
	 */
	life_lift_limits();
	while (!atomic_load(&c->stop)) {
		struct first_process first = first_of(c);

		/*
		 * The order: requests first, because people wait for them; then limits;
		 * then whoever waits for a slot. Dead images are looked for only when
		 * there was nothing to drain.
		 */
		serve(c);
		mind_limits(c);
		answer(c, &first);
		if (drain(c, DRAIN_MUCH))
			continue;
		images_reap(&c->images, &first);
		/* Something may have come since the last drain. */
		if (all_ended(c) && !drain(c, DRAIN_ALL))
			break;
		nap(c);
	}
	mailbox_close(&c->mailbox);
}

static void wake(void *collector)
{
	struct collector *c = collector;

	atomic_fetch_add(&c->board->doorbell, 1);
	futex_wake_all(&c->board->doorbell);
}

void collector_ended(struct collector *c, int status)
{
	/* The first report counts: the plugin's own at exit, or the warden's. */
	if (atomic_load(&c->first_ended))
		return;
	atomic_store(&c->first_status, status);
	/* After the status: first_of() reads them in the opposite order. */
	atomic_store(&c->first_ended, true);
	wake(c);
}

void collector_stop(struct collector *c)
{
	atomic_store(&c->stop, true);
	wake(c);
}

bool collector_ask(struct collector *c, struct errand *errand)
{
	return mailbox_ask(&c->mailbox, errand, wake, c);
}

struct leave {
	struct errand errand; /* the first member */
	struct collector *collector;
	bool is_last;
};

static void leave(struct errand *errand, const struct live *live)
{
	struct leave *it = (struct leave *)errand;
	struct first_process first = first_of(it->collector);
	uint32_t expected;

	(void)live;
	do {
		/* A process that ended just now is no longer another one. */
		images_reap(&it->collector->images, &first);
		it->is_last = images_running(&it->collector->images, &expected) <= 1 &&
			      !expected;
		/* A child that has just got its slot is expected no more, and no image yet. */
	} while (it->is_last && admit(it->collector));
	if (it->is_last)
		collector_ended(it->collector, -1);
}

bool collector_left(struct collector *c)
{
	struct leave it = { { leave }, c, false };

	return !collector_ask(c, &it.errand) || it.is_last;
}

void collector_progress(const struct collector *c, struct record_progress *progress)
{
	progress->blocks = atomic_load(&c->recording.chunks.blocks);
	progress->insns = atomic_load(&c->recording.chunks.insns);
	progress->file_bytes = atomic_load(&c->recording.chunks.bytes);
	progress->elapsed_ns = clock_ns() - c->recording.begin_ns;
}

/* ---- the end ------------------------------------------------------------- */

/* Notes what is missing when processes run on after the end of the recording. */
static void cut_short(struct collector *c)
{
	static const char stopped[] = "the recording was stopped while programs ran: ";
	static const char left[] = "the program left processes behind that ran on "
				   "(record --wait=all waits for them): ";
	char *why = images_list(&c->images, atomic_load(&c->stop) ? stopped : left);
	uint32_t expected;

	if (why)
		output_cut(&c->recording.out, why);
	free(why);
	images_running(&c->images, &expected);
	if (expected)
		output_cut(&c->recording.out,
			   "the recording ended before a child that was just forked "
			   "could be recorded (record --wait=all waits for it)");
}

static void end_all(struct collector *c)
{
	struct first_process first = first_of(c);

	drain(c, DRAIN_ALL);
	/*
	 * First those that have ended. cut_short() then lists what is left, which still
	 * runs, and which is ended here by force.
	 */
	images_end(&c->images, &first, false);
	cut_short(c);
	images_end(&c->images, &first, true);
}

int collector_seal(struct collector *c, const char *until, struct wm_error *err)
{
	return recording_seal(&c->recording, c->board, until, err);
}

/* Reports what became of windows and filters. */
static void hand_over(struct collector *c, struct steering_outcome *to)
{
	struct steering_outcome *outcome = &c->recording.steered.outcome;

	outcome->insns = atomic_load(&c->recording.chunks.insns);
	*to = *outcome;
	outcome->finds = NULL;
}

/* Fills in the result that the caller reports. */
static void tell_result(struct collector *c, struct record_result *result)
{
	result->status = atomic_load(&c->first_status);
	result->traced = c->reported;
	result->recorded = atomic_load(&c->recording.chunks.blocks);
	result->kept = c->recording.keep.wanted;
	result->foreign = atomic_load(&c->board->foreign);
	memcpy(result->cut, c->recording.out.cut, sizeof(result->cut));
	if (c->reported)
		hand_over(c, &result->steered);
	else
		result->roomless = atomic_load(&c->board->lost);
}

int collector_finish(struct collector *c, struct record_result *result,
		     struct wm_error *err)
{
	struct wm_error fault;

	end_all(c);
	keep_end(&c->recording.keep, atomic_load(&c->first_status));
	if (c->reported)
		recording_end(&c->recording, c->board);
	/* Copied before collector_free() below. */
	fault = c->recording.out.fault;
	if (fault.code && err)
		*err = fault;
	if (result) {
		*result = (struct record_result){ .status = -1 };
		tell_result(c, result);
	}
	collector_free(c);
	return fault.code;
}
