// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A box for one errand. Whoever asks puts it in and waits for `changed` until it has
 * been taken out again; the worker looks with one atomic load, which is all that an
 * empty box costs it. Closing wakes whoever still waits, and refuses everybody who comes
 * later.
 */
#include "collect/mailbox.h"

void mailbox_init(struct mailbox *mailbox)
{
	pthread_mutex_init(&mailbox->turn, NULL);
	pthread_mutex_init(&mailbox->lock, NULL);
	pthread_cond_init(&mailbox->changed, NULL);
	atomic_store(&mailbox->errand, NULL);
	mailbox->closed = false;
}

void mailbox_fini(struct mailbox *mailbox)
{
	pthread_cond_destroy(&mailbox->changed);
	pthread_mutex_destroy(&mailbox->lock);
	pthread_mutex_destroy(&mailbox->turn);
}

bool mailbox_ask(struct mailbox *mailbox, struct errand *errand,
		 void (*ring)(void *cookie), void *cookie)
{
	bool done = false;

	pthread_mutex_lock(&mailbox->turn);
	pthread_mutex_lock(&mailbox->lock);
	if (!mailbox->closed) {
		/* The errand before the ring: whoever is woken finds it. */
		atomic_store(&mailbox->errand, errand);
		ring(cookie);
		while (mailbox_look(mailbox) && !mailbox->closed)
			pthread_cond_wait(&mailbox->changed, &mailbox->lock);
		/*
		 * After a close the errand may have been run all the same: then the box
		 * is empty.
		 */
		done = !mailbox_look(mailbox);
	}
	pthread_mutex_unlock(&mailbox->lock);
	pthread_mutex_unlock(&mailbox->turn);
	return done;
}

void mailbox_done(struct mailbox *mailbox)
{
	pthread_mutex_lock(&mailbox->lock);
	atomic_store(&mailbox->errand, NULL);
	pthread_cond_signal(&mailbox->changed);
	pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_close(struct mailbox *mailbox)
{
	pthread_mutex_lock(&mailbox->lock);
	mailbox->closed = true;
	pthread_cond_signal(&mailbox->changed);
	pthread_mutex_unlock(&mailbox->lock);
}
