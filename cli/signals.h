/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that end a command while it writes a file. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/*
 * From now on `tidy` is called before SIGINT, SIGTERM or SIGHUP ends the process; it must do
 * with system calls alone. Signals that are ignored or caught already stay so: who catches them
 * and ends calls signals_tidied(). SIGXFSZ is ignored: then write() fails with EFBIG, which is
 * reported. Four different ones can be given; one that was given before is called once.
 */
void signals_tidy(void (*tidy)(void));
/* Calls them all. */
void signals_tidied(void);

#endif
