/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that works for another one, which has the process's signals to itself. */
#ifndef BASE_HELPER_THREAD_H
#define BASE_HELPER_THREAD_H

#include <pthread.h>

/* Runs run(cookie) on a thread in which all signals are blocked. 0, or the error as an errno. */
int helper_thread_start(pthread_t *thread, void *(*run)(void *cookie), void *cookie);

#endif
