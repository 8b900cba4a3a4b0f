/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets this user's other processes ask a collector for something while it works, over a
 * socket (collect/rendezvous.h, collect/requests.h). Requests are done one after the other; who is slow to make one, or
 * to take its answer, is left.
 */
#ifndef COLLECT_CONTROL_H
#define COLLECT_CONTROL_H

#include "collect/collector.h"

struct control;

/*
 * Begins, on a thread of its own. `output` is where the file is to be. NULL when that cannot
 * be, which is no reason not to record.
 */
struct control *control_start(struct collector *collector, const char *output);
/* Ends it, and frees it; NULL is taken. To be called before collector_finish(). */
void control_stop(struct control *control);

#endif
