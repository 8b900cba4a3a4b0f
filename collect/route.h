/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A route is the thread to which a lane's ids belong, from a position on.
 *
 * In user mode a lane's route is set when its thread begins, and stays until that ends.
 * Where the guest's kernel switches threads, a message is sent for each switch: a
 * thread's stream then receives from several lanes, one after the other. Messages are
 * written under one lock, so they are in the order of the switches, whichever lanes they
 * are about.
 */
#ifndef COLLECT_ROUTE_H
#define COLLECT_ROUTE_H

#include "collect/lanes.h"

/*
 * From a position on, the ids of a lane belong to a thread that has begun, or to nobody
 * (THREAD_NONE); those before it are taken first. False, and nothing is changed,
 * when the message cannot be true: no such lane, ids before the position that were taken
 * already or that are not there, no such thread, or a thread that is on another lane.
 */
bool route_switch(struct lanes *lanes, const struct message_route *message);
/* The same with the message in a span. */
bool route_message(struct lanes *lanes, struct span *span);
/* Gives a lane, emptied up to now, to a thread that is about to begin and is on no lane. */
void route_give(struct lanes *lanes, uint32_t vcpu, uint32_t number);
/* Takes the thread off its lane, if it is on one. */
void route_take(struct lanes *lanes, uint32_t number);

#endif
