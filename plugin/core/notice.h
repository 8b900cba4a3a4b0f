/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of the plugin to the user, on stderr. Once a guest has run in this process,
 * the guest may have opened a file of its own as descriptor 2. So from then on a message
 * is written only if the descriptor still leads where it led when the recording was
 * started.
 */
#ifndef PLUGIN_CORE_NOTICE_H
#define PLUGIN_CORE_NOTICE_H

#include <stdbool.h>

#include "base/outlet.h"

/* A guest has run here, or is about to. `launch` is where stderr led before. */
void notice_guest(const struct outlet *launch);
/* The same when that is not known: nothing is written any more. */
void notice_nobody(void);
/* Writes "waymark: ", the text, and a newline. */
void notice(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether there was one in this process. */
bool notice_was_given(void);

#endif
