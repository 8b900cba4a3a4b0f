/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the recorder for the shared memory's descriptor: see format/handout.h. */
#ifndef PLUGIN_USER_HANDOUT_H
#define PLUGIN_USER_HANDOUT_H

/* A descriptor, which execve() closes; -1: none was to be had. */
int handout_ask(void);

#endif
