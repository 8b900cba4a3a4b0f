/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scenarios in which memory runs out, at every allocation. */
#ifndef TESTS_EXHAUST_H
#define TESTS_EXHAUST_H

#include <stdbool.h>

/*
 * Runs the scenario with every allocation failing once, and with all failing from there
 * on. It returns 0 or WM_E_NOMEM and must leak nothing. `check`, when not NULL, looks at
 * what one that went well has left behind.
 */
void exhaust(int (*scenario)(void), void (*check)(void));
/* Whether all allocations fail now, not only one. */
bool exhaust_onward(void);

#endif
