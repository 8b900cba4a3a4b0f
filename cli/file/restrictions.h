/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The restrictions of a recording: windows, filters and limits, and what they left out. */
#ifndef CLI_FILE_RESTRICTIONS_H
#define CLI_FILE_RESTRICTIONS_H

#include "out/json.h"
#include "waymark.h"

/* Lines of `info`; none when all of the run was to be recorded. */
void restrictions_print(const struct wm_trace *trace);
/* Its keys, into the object that is open. */
void restrictions_json(struct json *json, const struct wm_trace *trace);

#endif
