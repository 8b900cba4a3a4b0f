/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which part of a run is recorded: what the user wants (struct steering), and its state
 * while the guest runs (struct steered). The plugins do most of the work, following the
 * orders on the board (format/orders.h), which are written here.
 */
#ifndef COLLECT_STEERING_H
#define COLLECT_STEERING_H

#include <stdbool.h>
#include <stddef.h>

#include "collect/foresight.h"
#include "collect/output.h"
#include "format/arena.h"
#include "program/kernel/loaded.h"
#include "program/landmarks.h"
#include "waymark.h"

struct steering_window {
	struct order_window bounds; /* a bound that is a place is a landmark's */
	const char *text;	    /* as the user wrote it */
};

/* A pattern for threads or processes to record, or to leave out. */
struct steering_name {
	bool is_process, is_except;
	const char *pattern; /* of fnmatch(3), for its name */
	bool is_number;	     /* `number` matches, too: one of `info`, or a pid */
	uint64_t number;
};

/* Whatever it points at must outlive the recording. */
struct steering {
	struct steering_window windows[WINDOWS_MAX];
	uint32_t n_windows;
	struct landmark *landmarks; /* [n_landmarks] code that is named */
	size_t n_landmarks;
	const struct foresight *foresight; /* where they have been looked for, or NULL */
	struct steering_name *names;	   /* [n_names] */
	size_t n_names;
	bool program_only;			     /* not its loader and libraries */
	struct order_value values[ORDER_VALUES_MAX]; /* at landmarks of ORDER_VALUE */
	uint32_t n_values;

	/* Limits; 0: none. */
	uint64_t max_insns; /* of each thread */
	uint64_t max_bytes; /* of the file, about */
	uint64_t max_ns;    /* since the first window opened */
	bool then_exit;	    /* then the program ends, too */

	/* All of it in the user's words, for the file; NULL: nothing. */
	const char *window_words, *filter_words, *limit_words;
	const char *value_places; /* a line for each of `values` */
	const char *guide;	  /* of the first program, its name; NULL: none */
	bool guide_fetches;	  /* by it bytecodes that are fetched are recorded */
};

/* What became of it. */
struct steering_outcome {
	struct landmark_find *finds; /* [n_landmarks] in the files that ran; free()d by
					steering_outcome_fini() */
	uint64_t opened[WINDOWS_MAX], closed[WINDOWS_MAX]; /* how many times */
	uint32_t threads_out, processes_out;		   /* how many were left out */
	uint64_t insns;					   /* recorded */
	bool overflow; /* ORDER_PLACES_MAX was reached */
	bool enough;   /* a limit of bytes or time was reached, */
	bool ended;    /* and the program was ended for it */
};

/* Whether a place needs a file to be found in: anything but an address does. */
bool steering_has_names(const struct steering *steering);
/* Whether a window never opened. */
bool steering_missed(const struct steering *steering,
		     const struct steering_outcome *outcome, uint32_t window);
void steering_outcome_fini(struct steering_outcome *outcome);

/* ---- in the collector ---------------------------------------------------- */

struct steered_file {
	uint64_t dev, ino, mtime_ns;
};

struct steered {
	const struct steering *is;  /* NULL: everything is recorded */
	struct orders *orders;	    /* on the board; never read back */
	uint32_t places;	    /* orders given so far */
	struct steered_file *files; /* [n_files] that were looked through */
	size_t n_files;
	struct steering_outcome outcome; /* so far; of blocks, none */
};

/*
 * Writes the orders, which the plugins read once the guest starts; `steering` may be
 * NULL. WM_E_NOMEM.
 */
int steered_init(struct steered *steered, const struct steering *steering,
		 struct orders *orders, uint64_t begin_ns, struct wm_error *err);
void steered_fini(struct steered *steered);

/* Whether a file that is mapped is to be looked through. */
bool steered_needs(const struct steered *steered, const struct message_module *module);
/*
 * Such a file, open at `fd` (-1: it cannot be read), which stays the caller's: gives
 * orders for the landmarks in it.
 */
void steered_module(struct steered *steered, const struct message_module *module, int fd,
		    const char *path, const char *build_id);
/* The same of a module of a machine's kernel, which is file number `file` in messages. */
void steered_loaded(struct steered *steered, uint32_t file,
		    const struct loaded_module *module);
/* An event WM_EVENT_WINDOW has come, with these fields. */
void steered_window(struct steered *steered, uint64_t change, uint64_t window);

/* Whether a process is wanted: by its number in the file, its pid, its program's path. */
bool steered_wants_process(const struct steered *steered, uint32_t number, uint32_t pid,
			   const char *program);
/* Whether a thread is: by its number and name, where that is "" its program's. */
bool steered_wants_thread(const struct steered *steered, uint32_t number,
			  const char *name, const char *program);

/* Whether any window has opened, if there are windows. */
bool steered_has_begun(const struct steered *steered);
/* Whether a limit of bytes or time is reached. */
bool steered_has_enough(const struct steered *steered, uint64_t bytes, uint64_t ns);

/* Whether unrecorded instructions were counted to the end of the run. */
bool steered_counts(const struct steered *steered);

/* Puts facts that do not show otherwise: windows that never opened, limits reached. */
void steered_put(const struct steered *steered, struct output *out);

#endif
