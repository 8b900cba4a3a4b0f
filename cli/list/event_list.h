/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events there are: names, whether they are on, fields, and what is printed. */
#ifndef CLI_LIST_EVENT_LIST_H
#define CLI_LIST_EVENT_LIST_H

#include <stdint.h>
#include <stdio.h>

/* A line for each; bit n of `wanted`: events of kind n are on. */
void event_list_print(FILE *out, uint64_t wanted);

#endif
