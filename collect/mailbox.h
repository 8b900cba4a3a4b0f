/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread asks another to do something between two steps of its own work, and waits
 * until that is done. An empty box costs the worker one load. Threads that ask at once take turns.
 */
#ifndef COLLECT_MAILBOX_H
#define COLLECT_MAILBOX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct live;

/* Something to do; a member of a struct that the asking thread owns. */
struct errand {
	void (*run)(struct errand *errand, const struct live *live);
};

struct mailbox {
	pthread_mutex_t turn; /* of those that ask */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	_Atomic(struct errand *) errand;
	bool closed;
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_fini(struct mailbox *mailbox);
/*
 * Puts the errand in, calls ring(cookie), and waits until it has run; false when it will
 * never run.
 */
bool mailbox_ask(struct mailbox *mailbox, struct errand *errand,
		 void (*ring)(void *cookie), void *cookie);

/* The worker's side: what is in the box, or NULL; and that it has been done. */
static inline struct errand *mailbox_look(struct mailbox *mailbox)
{
	return atomic_load_explicit(&mailbox->errand, memory_order_acquire);
}
void mailbox_done(struct mailbox *mailbox);
/* The worker ends: nobody will run errands any more. */
void mailbox_close(struct mailbox *mailbox);

#endif
