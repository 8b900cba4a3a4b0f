/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linux futexes, shared between processes. */
#ifndef BASE_FUTEX_H
#define BASE_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word == value, at most timeout_ms. May wake early: check again. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, unsigned timeout_ms);
void futex_wake_all(_Atomic uint32_t *word);

#endif
