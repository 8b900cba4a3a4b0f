/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Doing what is asked of a recording that runs, and the answers. */
#ifndef COLLECT_COMMANDS_H
#define COLLECT_COMMANDS_H

#include "collect/collector.h"
#include "collect/requests.h"

/*
 * Does what the request says and makes the answer. `file` is the recording's file as an
 * absolute path, `asker` the process that asks. Not on the collector's thread, which it may
 * wait for.
 */
void command_run(struct collector *collector, const char *file, uint32_t asker,
		 const struct request *request, struct buf *answer);

#endif
