/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether it is recorded what runs now: windows, and what a person asks for meanwhile. See
 * format/orders.h for what windows are.
 */
#ifndef PLUGIN_CORE_WINDOWS_H
#define PLUGIN_CORE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/orders.h"

/* How code is to be translated. */
enum code_kind {
	CODE_RECORDED, /* each block stores its id */
	CODE_WAITING, /* each piece is counted; nothing is recorded but what a point opens */
	CODE_WATCHED, /* each piece is counted, and looks whether it is recorded */
	CODE_SINGLE,  /* the same with each instruction as a piece */
	CODE_BARE,    /* QEMU is left alone: nothing will be recorded any more */
};

/* `change` is called, without locks, when code is to be translated otherwise. */
void windows_init(const struct orders *orders, void (*change)(void));
/* How code is to be translated now. */
enum code_kind windows_code_kind(void);
/* Whether what runs now is recorded, where filters let it. */
bool windows_open(void);
/* Windows have points at instructions: code is to be cut there. */
bool windows_have_points(void);

/* A thread begins on a lane: it has executed nothing yet. */
void windows_thread_begins(unsigned vcpu);
/* This is a forked child: the same for its only thread. Without any lock. */
void windows_begin_child(void);

/* What a thread reaches; it calls these itself, without link_lock(). */
void windows_reach_point(unsigned vcpu, uint32_t file, uint64_t address);
void windows_reach_marker(unsigned vcpu, uint32_t what, uint32_t id);
void windows_reach_syscall(unsigned vcpu, uint64_t number);
/*
 * When a thread has executed as much as its lane's `next` says: looks what is reached by
 * that, and sets the next such place.
 */
void windows_reach_count(unsigned vcpu);
/* Now and then: whether someone asked for something, or a time has come. */
void windows_look(unsigned vcpu);

#endif
