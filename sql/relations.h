/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All relations. */
#ifndef SQL_RELATIONS_H
#define SQL_RELATIONS_H

#include "sql/relation.h"

extern const struct relation relation_accesses; /* sql/accesses.c */
extern const struct relation relation_blocks;	/* sql/blocks.c */
extern const struct relation relation_events;	/* sql/events.c */
extern const struct relation relation_insns;	/* sql/insns.c */

/* sql/facts.c */
extern const struct relation relation_meta, relation_modules, relation_processes,
	relation_threads;

/* sql/machine.c */
extern const struct relation relation_modes, relation_turns;

/* sql/answers.c */
extern const struct relation relation_calls, relation_edges, relation_functions,
	relation_lines, relation_loops, relation_marks, relation_profile;

#endif
