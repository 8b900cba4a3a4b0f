/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The questions, each in a file of its own below query/questions/. */
#ifndef QUERY_QUESTIONS_H
#define QUERY_QUESTIONS_H

#include "query/question.h"

extern const struct question question_annotate, question_blocks, question_boot,
	question_bpred, question_cache, question_calls, question_diff, question_events,
	question_insns, question_cfg, question_cover, question_hot, question_marks,
	question_mem, question_mix, question_phases;

#endif
