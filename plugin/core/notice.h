/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugin has to say, on stderr. That is the user's until the first program runs;
 * from then on it is the guest's, which may have made a file of its own of it: nothing is
 * written there unless it still leads where it led when the recording was started.
 */
#ifndef PLUGIN_CORE_NOTICE_H
#define PLUGIN_CORE_NOTICE_H

#include "base/outlet.h"

/* A guest has run in this process, or runs now; `launch` is where stderr led before. */
void notice_guest(const struct outlet *launch);
/* The same when that is not known: nothing is said. */
void notice_nobody(void);
/* One line, that the plugin begins with its name, and ends. */
void notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
