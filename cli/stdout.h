/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard output, and whether what was written to it arrived. All output goes through
 * stdout_write(), so one place knows of a failure and reports it, whichever command wrote.
 */
#ifndef CLI_STDOUT_H
#define CLI_STDOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Makes stdio's stdout write by stdout_write(), with ? for control characters, whatever
 * stdout is: a name in a trace may be made to be an order to the terminal. From now on the
 * process exits with EXIT_ERROR and a sentence on stderr when a write failed, unless only
 * the reader went away (EPIPE). Call it before anything else that uses atexit().
 */
void stdout_init(void);

/* Writes all of it, in order; false when this or an earlier write failed. */
bool stdout_write(const char *text, size_t bytes);

/*
 * Forgets a failure, so that more can be written: for who has put another file behind standard
 * output for a while. Returns its errno, or 0.
 */
int stdout_forgive(void);

/*
 * Sends standard output to the file `path`, which outlives the process's results: it is put
 * in its place by stdout_settle(), complete, or not at all. Ends the process when it cannot
 * be opened. Call it before anything is written.
 */
void stdout_to_file_or_end(const char *path);
/* What messages call standard output: that file, if there is one. */
const char *stdout_name(void);
/* The exit status of a command that returned `status`: another one when that file fails. */
int stdout_settle(int status);

/*
 * A second stream to standard output that keeps control characters, for colours. The
 * caller's to fclose(); flush stdout first. NULL: no memory.
 */
FILE *stdout_open_raw(void);

/*
 * What comes is in a format of that name, which is binary. Who is about to write such bytes calls
 * stdout_refuse_terminal() before, which ends the process when a terminal would get them: they may
 * be orders to it, and nobody can read them.
 */
void stdout_is_binary(const char *format);
void stdout_refuse_terminal(void);
/* From now on it does not: the terminal is a launcher's, which passes all bytes on. */
void stdout_is_relayed(void);
/* Whether what is written appears on a terminal that is not such a one. */
bool stdout_is_terminal(void);

/* From now on nothing is written, and no pager is started: the answer is not wanted here. */
void stdout_mute(void);
bool stdout_is_mute(void);

#endif
