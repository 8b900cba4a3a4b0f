/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to a collector over its socket. A request is one line: a word and, if it has
 * an argument, a blank and the argument up to the end of the line. The answer follows,
 * and the connection ends. An answer begins with ANSWER_VERSION and a byte: 0, or 1
 * when an error message follows. Integers are varints, strings as in
 * base/buf.h.
 */
#ifndef COLLECT_REQUESTS_H
#define COLLECT_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

#define REQUEST_BYTES_MAX 8192	    /* of a line, its end included */
#define ANSWER_BYTES_MAX (4u << 20) /* of an answer */
#define ANSWER_VERSION 2

enum request_kind {
	REQUEST_STATUS,	  /* struct status */
	REQUEST_SAMPLE,	  /* the same, and struct sample: what ran since the last one */
	REQUEST_ON,	  /* an answer without contents */
	REQUEST_OFF,	  /* the same */
	REQUEST_STOP,	  /* struct written */
	REQUEST_FLUSH,	  /* struct written */
	REQUEST_SNAPSHOT, /* struct written; argument: an absolute path, or none */
	REQUEST_EVENTS, /* a varint: bit n, events of kind n; argument: another, or none */
	REQUESTS,
};

extern const char *const request_names[REQUESTS];

struct request {
	enum request_kind kind;
	const char *argument; /* in the line; "" when there is none */
};

/*
 * `line` is a string without the line's end. False, with a reason, when it is no request.
 */
bool request_parse(struct request *request, const char *line, struct wm_error *err);

/* ---- answers ------------------------------------------------------------- */

enum recording_state {
	STATE_STARTING,	 /* no program has begun */
	STATE_RECORDING, /* what runs is recorded */
	STATE_WAITING,	 /* for a window to open */
	STATE_OFF,	 /* turned off by a request */
	STATE_STOPPED,	 /* the file is complete; the program runs on */
	STATES,
};

#define STATUS_PROCESSES_MAX 256 /* listed; all_processes counts all of them */
#define STATUS_THREADS_MAX 1024
#define SAMPLE_ROWS_MAX 2000

struct status_process {
	uint32_t index, pid; /* index: in the file */
	bool is_inside;	     /* of a machine: its pid is the machine's, not the host's */
	char *path;
};

struct status_thread {
	uint32_t process, vcpu, tid; /* process: index in the file */
	uint64_t insns, blocks;
	char *name;
};

struct status {
	uint32_t pid; /* the collector's */
	char *file;   /* absolute path */
	uint64_t elapsed_ns;
	uint32_t state;		       /* enum recording_state */
	uint64_t insns, blocks, bytes; /* executed; of the file */
	uint32_t windows;	       /* how many the user defined */
	bool filtered;		       /* parts of programs are left out */
	uint32_t all_processes, all_threads;
	struct status_process *processes; /* [n_processes] that run now */
	uint32_t n_processes;
	struct status_thread *threads; /* [n_threads] the same */
	uint32_t n_threads;
};

/* A block that ran `count` times, in the process that has it first. */
struct sample_block {
	uint32_t id, process, insns;
	uint64_t count;
};

struct sample {
	uint64_t insns; /* of all blocks together */
	uint32_t n;
	struct sample_block *blocks; /* [n] the heaviest first */
};

/* A file that was written or flushed, and what is in it. */
struct written {
	char *file;
	uint64_t insns, bytes;
};

/* Strings and arrays of what was got belong to the caller: the _fini() functions. */
void answer_good(struct buf *answer);
void answer_bad(struct buf *answer, const char *why);
/* Begins to read an answer; a refusal is an error, with its text. */
int answer_open(struct span *answer, struct wm_error *err);

void status_put(struct buf *answer, const struct status *status);
bool status_get(struct span *answer, struct status *status);
void status_fini(struct status *status);
void sample_put(struct buf *answer, const struct sample *sample);
bool sample_get(struct span *answer, struct sample *sample);
void sample_fini(struct sample *sample);
void written_put(struct buf *answer, const struct written *written);
bool written_get(struct span *answer, struct written *written);

/* ---- asking: client.c ---------------------------------------------------- */

/*
 * Sends a request to recorder `pid` of user `uid` and reads its answer up to what follows
 * answer_open(): *rest lies in *answer, which the caller frees in any case. Waits for at
 * most `seconds`; 0: without a limit. WM_E_RANGE: the recorder refused.
 */
int client_ask(uid_t uid, pid_t pid, enum request_kind kind, const char *argument,
	       unsigned seconds, struct buf *answer, struct span *rest,
	       struct wm_error *err);

/* Whether client_ask() failed because the time was over: a recorder that is stopped, or busy. */
bool client_waited(const struct wm_error *err);

#endif
