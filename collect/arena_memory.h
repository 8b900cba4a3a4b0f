/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The collector's mapping of an arena. */
#ifndef COLLECT_ARENA_MEMORY_H
#define COLLECT_ARENA_MEMORY_H

#include "base/error.h"
#include "format/arena.h"

/* A new arena in anonymous shared memory; *fd is inherited across exec. */
int arena_create(struct arena **arena, int *fd, struct wm_error *err);
/* Maps the arena behind `fd`, and makes it ready for a plugin. */
int arena_attach(struct arena **arena, int fd, struct wm_error *err);
void arena_unmap(struct arena *arena);

#endif
