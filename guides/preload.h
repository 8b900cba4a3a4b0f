/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD, by which agents for the dynamic loader come into a guest: an agent takes itself out,
 * so that the program and its children find what the user set.
 */
#ifndef GUIDES_PRELOAD_H
#define GUIDES_PRELOAD_H

#include <stdlib.h>
#include <string.h>

/* Leaves in the environment what is behind the agent in LD_PRELOAD: that is the program's own. */
static inline void preload_hide(void)
{
	const char *preload = getenv("LD_PRELOAD");
	const char *others = preload ? strchr(preload, ':') : NULL;

	if (others && others[1])
		setenv("LD_PRELOAD", others + 1, 1);
	else
		unsetenv("LD_PRELOAD");
}

#endif
