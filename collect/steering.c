// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Orders are what the plugins of all images read: which places open and close windows,
 * which code is left out. Orders only ever grow, and `places` is what releases those
 * before it. A plugin sees all orders about a file before it translates code of that
 * file, because it waits until its message about the file has been acted on.
 *
 * Guests can write to the board, so what was ordered is kept here, and nothing is read
 * back.
 *
 * Example: --only func:parse, and the guest maps libp.so. The plugin reports the file and
 * waits. parse() is found at bytes 0x4a0 to 0x520 of it: place[0] becomes { dev, ino,
 * 0x4a0, 0x520, ORDER_ONLY }, then `places` becomes 1, then the plugin goes on. Only now
 * does it translate code of libp.so, and records the blocks in that range.
 *
 * Invariant: place[0..places) are complete and never change.
 */
#include "collect/steering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "base/pattern.h"

enum { FILES_MAX = 4096 }; /* remembered; others are searched again */

/* ---- orders -------------------------------------------------------------- */

/*
 * Appends places to the board's. They are complete before the count that includes them is
 * stored, so a plugin that reads the count first never sees half an order.
 */
static void order(struct steered *steered, const struct order_place *places, size_t n)
{
	/* The rest is dropped and reported; what fits still holds. */
	if (n > ORDER_PLACES_MAX - steered->places) {
		steered->outcome.overflow = true;
		n = ORDER_PLACES_MAX - steered->places;
	}
	if (n)
		memcpy(steered->orders->place + steered->places, places,
		       n * sizeof(*places));
	steered->places += (uint32_t)n;
	atomic_store_explicit(&steered->orders->places, steered->places,
			      memory_order_release);
}

/* Landmarks that are plain addresses need no file. */
static void order_addresses(struct steered *steered)
{
	for (size_t i = 0; i < steered->is->n_landmarks; i++) {
		const struct landmark *landmark = &steered->is->landmarks[i];
		struct order_place place = {
			.start = landmark->value,
			.end = landmark->end,
			.sense = landmark->sense,
			.window = landmark->window,
		};

		if (landmark->kind == LANDMARK_ADDRESS)
			order(steered, &place, 1);
	}
}

/*
 * Places that were found before the guest started are ordered at once: so the guest does
 * not wait when it maps those files.
 */
static bool order_foreseen(struct steered *steered, const struct foresight *foresight)
{
	if (!foresight || !foresight->finds)
		return true;
	for (size_t i = 0; i < foresight->n; i++) {
		const struct foreseen_file *from = &foresight->files[i];
		struct steered_file file = { from->dev, from->ino, from->mtime_ns };

		/*
		 * Files that were searched are remembered, so their mapping needs no
		 * second search.
		 */
		if (!APPEND(steered->files, steered->n_files, file))
			return false;
	}
	memcpy(steered->outcome.finds, foresight->finds,
	       steered->is->n_landmarks * sizeof(*foresight->finds));
	order(steered, foresight->places, foresight->n_places);
	return true;
}

/* With an --only landmark, code that is named nowhere is left out. */
static bool has_only(const struct steering *steering)
{
	for (size_t i = 0; i < steering->n_landmarks; i++)
		if (steering->landmarks[i].sense == ORDER_ONLY)
			return true;
	return false;
}

bool steering_has_names(const struct steering *steering)
{
	for (size_t i = 0; i < steering->n_landmarks; i++)
		if (steering->landmarks[i].kind != LANDMARK_ADDRESS)
			return true;
	return false;
}

int steered_init(struct steered *steered, const struct steering *steering,
		 struct orders *orders, uint64_t begin_ns, struct wm_error *err)
{
	*steered = (struct steered){ .is = steering, .orders = orders };
	orders->begin_ns = begin_ns;
	if (!steering)
		return 0;
	steered->outcome.finds =
		calloc(steering->n_landmarks + 1, sizeof(*steered->outcome.finds));
	if (!steered->outcome.finds)
		return wm_fail_nomem(err, "what is to be recorded");
	orders->max_insns = steering->max_insns;
	orders->then_exit = steering->then_exit;
	/*
	 * Decides about all code that no order names, so it must be known before any file
	 * is searched.
	 */
	orders->has_only = has_only(steering);
	orders->program_only = steering->program_only;
	orders->by_file = steering_has_names(steering);
	orders->windows = steering->n_windows;
	for (uint32_t i = 0; i < steering->n_windows; i++)
		orders->window[i] = steering->windows[i].bounds;
	orders->values = steering->n_values;
	memcpy(orders->value, steering->values, sizeof(orders->value));
	order_addresses(steered);
	return order_foreseen(steered, steering->foresight) ?
		       0 :
		       wm_fail_nomem(err, "what is to be recorded");
}

void steering_outcome_fini(struct steering_outcome *outcome)
{
	free(outcome->finds);
	outcome->finds = NULL;
}

void steered_fini(struct steered *steered)
{
	steering_outcome_fini(&steered->outcome);
	free(steered->files);
}

/* ---- files --------------------------------------------------------------- */

/*
 * What a plugin knows a file by: as stat() has it here or, in a machine, by the number that the
 * plugin gave it.
 */
static struct steered_file file_of(const struct message_module *module)
{
	if (module->file)
		return (struct steered_file){ ORDER_MACHINE, module->file, 0 };
	return (struct steered_file){ module->dev, module->ino, module->mtime_ns };
}

bool steered_needs(const struct steered *steered, const struct message_module *module)
{
	struct steered_file file = file_of(module);

	/*
	 * Without a device and inode the file cannot be opened, and plugins could not
	 * match an order to it.
	 */
	if (!steered->is || !steered->is->n_landmarks || !module->ino)
		return false;
	for (size_t i = 0; i < steered->n_files; i++)
		if (steered->files[i].ino == file.ino &&
		    steered->files[i].dev == file.dev &&
		    steered->files[i].mtime_ns == file.mtime_ns)
			return false;
	return true;
}

static void order_found(struct steered *steered, struct order_place *places, size_t n,
			const struct steered_file *file)
{
	for (size_t i = 0; i < n; i++) {
		places[i].dev = file->dev;
		places[i].ino = file->ino;
	}
	order(steered, places, n);
}

void steered_module(struct steered *steered, const struct message_module *module, int fd,
		    const char *path, const char *build_id)
{
	const struct steering *is = steered->is;
	struct steered_file file = file_of(module);
	struct order_place *places;
	size_t n;

	if (steered->n_files < FILES_MAX)
		(void)APPEND(steered->files, steered->n_files, file);
	if (landmarks_find(is->landmarks, is->n_landmarks, fd, path, build_id,
			   steered->outcome.finds, &places, &n))
		order_found(steered, places, n, &file);
	free(places);
}

/* A module's places are ordered at the addresses of its parts. */
void steered_loaded(struct steered *steered, uint32_t number,
		    const struct loaded_module *module)
{
	const struct steering *is = steered->is;
	struct steered_file file = { ORDER_MACHINE, number, 0 };
	struct order_place *places = NULL;
	size_t n = 0;

	if (!is || !is->n_landmarks || !number ||
	    !landmarks_find_names(is->landmarks, is->n_landmarks, &module->names,
				  module->path, steered->outcome.finds, &places, &n))
		n = 0;
	for (size_t i = 0; i < n; i++)
		for (unsigned j = 0; j < LOADED_PARTS; j++) {
			struct order_place part = places[i];

			if (landmarks_load(&part, &module->parts[j]))
				order_found(steered, &part, 1, &file);
		}
	free(places);
}

void steered_window(struct steered *steered, uint64_t change, uint64_t window)
{
	if (window < WINDOWS_MAX)
		/*
		 * `window` indexes an array and comes from a guest's message;
		 * WM_WINDOW_WISH is above the limit as well.
		 */
		(change == WM_WINDOW_OPENS ? steered->outcome.opened :
					     steered->outcome.closed)[window]++;
}

/* ---- threads and processes ----------------------------------------------- */

static const char *last_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

/*
 * Whether a thread or process is wanted: not if an --except pattern fits, and not if
 * there are --only patterns and none fits.
 */
static bool is_wanted(const struct steering *steering, bool is_process, uint32_t number,
		      uint32_t pid, const char *name)
{
	bool any_only = false, is_only = false;

	for (size_t i = 0; steering && i < steering->n_names; i++) {
		const struct steering_name *it = &steering->names[i];
		/*
		 * A pattern such as "12" is both: the number of a thread or process, and
		 * a name.
		 */
		bool fits = (it->is_number &&
			     (it->number == number || (pid && it->number == pid))) ||
			    pattern_fits(it->pattern, name);

		if (it->is_process != is_process)
			continue;
		/* An --except decides at once, whatever comes before or after it. */
		if (it->is_except && fits)
			return false;
		any_only |= !it->is_except;
		is_only |= !it->is_except && fits;
	}
	return is_only || !any_only;
}

bool steered_wants_process(const struct steered *steered, uint32_t number, uint32_t pid,
			   const char *program)
{
	return is_wanted(steered->is, true, number, pid, last_of(program));
}

bool steered_wants_thread(const struct steered *steered, uint32_t number,
			  const char *name, const char *program)
{
	return is_wanted(steered->is, false, number, 0, *name ? name : last_of(program));
}

/* ---- what the file has --------------------------------------------------- */

bool steering_missed(const struct steering *steering,
		     const struct steering_outcome *outcome, uint32_t window)
{
	return steering->windows[window].bounds.from.kind != POINT_NONE &&
	       !outcome->opened[window];
}

/* After the last window has closed, plugins stop counting. */
bool steered_counts(const struct steered *steered)
{
	const struct steering *is = steered->is;

	if (!is)
		return true;
	if (steered->outcome.enough || is->max_insns)
		return false;
	for (uint32_t i = 0; i < is->n_windows; i++)
		if (!steered->outcome.closed[i])
			return true;
	/*
	 * With windows that have all closed, plugins no longer count, and counts are too
	 * low.
	 */
	return !is->n_windows;
}

void steered_put(const struct steered *steered, struct output *out)
{
	const struct steering_outcome *outcome = &steered->outcome;
	struct buf missed = BUF_INIT;

	for (uint32_t i = 0; steered->is && i < steered->is->n_windows; i++) {
		const char *text = steered->is->windows[i].text;

		if (!steering_missed(steered->is, outcome, i))
			continue;
		if (missed.len)
			buf_put_u8(&missed, ' ');
		buf_put(&missed, text, strlen(text));
	}
	buf_put_u8(&missed, 0);
	if (missed.len > 1 && !missed.failed)
		output_fact(out, "windows-missed", (const char *)missed.data);
	buf_fini(&missed);
	output_number(out, "threads-left-out", outcome->threads_out);
	output_number(out, "processes-left-out", outcome->processes_out);
	if (outcome->enough)
		output_fact(out, "limit", "reached");
	if (outcome->overflow)
		output_cut(out, "more places match than can be looked for");
}

/* ---- limits -------------------------------------------------------------- */

bool steered_has_begun(const struct steered *steered)
{
	for (uint32_t i = 0; steered->is && i < steered->is->n_windows; i++)
		if (!steering_missed(steered->is, &steered->outcome, i))
			return true;
	return !steered->is || !steered->is->n_windows;
}

bool steered_has_enough(const struct steered *steered, uint64_t bytes, uint64_t ns)
{
	const struct steering *is = steered->is;

	return is && ((is->max_bytes && bytes >= is->max_bytes) ||
		      (is->max_ns && ns >= is->max_ns));
}
