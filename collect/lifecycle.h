/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that the collector adds by itself, without asking the guest for anything:
 * threads and processes begin and end.
 */
#ifndef COLLECT_LIFECYCLE_H
#define COLLECT_LIFECYCLE_H

#include "collect/image.h"
#include "collect/recording.h"

/*
 * A thread of the image, if it is there, begins or ends on lane `vcpu`. `ns` is the time
 * from the guest's memory; a time that cannot be becomes now.
 */
void lifecycle_thread(struct recording *recording, const struct image *image,
		      const struct thread *thread, uint32_t kind, uint64_t ns);
/* It has a name, unless it had that before. */
void lifecycle_name(struct recording *recording, const struct image *image,
		    struct thread *thread, uint64_t ns, const char *name);
/* Takes the message that another thread gave one its name; false: it is malformed. */
bool lifecycle_take_name(struct recording *recording, struct image *image,
			 struct span *span);
/* All threads that are left end now: with the image. */
void lifecycle_threads_end(struct recording *recording, const struct image *image);
/* The image forked a child with this pid. */
void lifecycle_fork(struct recording *recording, const struct image *image,
		    uint32_t child, uint64_t ns);
/* A process of a machine has begun, by fork() or by execve() of its parent. */
void lifecycle_space(struct recording *recording, const struct image_spaces *spaces,
		     const struct message_space *message, const char *path);
/* A process has become the program that the image is. */
void lifecycle_exec(struct recording *recording, const struct image *image);

#endif
