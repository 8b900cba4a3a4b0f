/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that end a command while it writes a file. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/*
 * From now on `tidy` is called before SIGINT, SIGTERM or SIGHUP ends the process; it must do
 * with system calls alone. Signals that were ignored stay so. SIGXFSZ is ignored: then write()
 * fails with EFBIG, which is reported. There is one `tidy`, the last.
 */
void signals_tidy(void (*tidy)(void));

#endif
