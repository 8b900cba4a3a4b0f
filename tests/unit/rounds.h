/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often a test tries random cases: with sanitizers, where each takes long, fewer times. */
#ifndef TESTS_UNIT_ROUNDS_H
#define TESTS_UNIT_ROUNDS_H

#ifdef __SANITIZE_ADDRESS__
#define ROUNDS_OF(n) ((n) / 8)
#else
#define ROUNDS_OF(n) (n)
#endif

#endif
