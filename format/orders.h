/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recorder wants of the plugins: a part of the board (format/arena.h) that the
 * collector writes and the plugins of all processes read.
 *
 * Names are resolved in the collector, because the plugin knows no ELF: when a plugin meets
 * a mapped file it reports it (MESSAGE_MODULE) and waits until that is done (link_settle());
 * by then the collector has appended what the file has of the functions, lines and ranges
 * that were asked for, as places in the file. So it does not matter where a file is mapped,
 * when, or by which process.
 *
 * A *window* is what runs between two *points*: from the instruction that `from` names, it
 * included, to the one that `to` names, it not. A point is reached when the instruction is
 * about to run (a system call: when the call is made), and counts how often since the
 * process began; what is reached by several threads counts together. A window opens when
 * `from` is reached for the n-th time, and once open closes when `to` has been reached so
 * often: once each. A forked child goes on with its parent's counts and windows. Recorded
 * is what runs while a window is open, or everything when there are none.
 */
#ifndef FORMAT_ORDERS_H
#define FORMAT_ORDERS_H

#include <stdatomic.h>
#include <stdint.h>

#define WINDOWS_MAX 32
#define ORDER_PLACES_MAX (1u << 18)

enum point_kind {
	POINT_NONE = 0,	 /* the beginning, or the end */
	POINT_PLACE = 1, /* one or more instructions: see struct order_place */
	POINT_INSN = 2,	 /* value: instructions that the thread has executed before */
	POINT_TIME = 3,	 /* value: nanoseconds since begin_ns; about */
	POINT_MARKER =
		4, /* value: its id. `from`: a point or begin, `to`: a point or end */
	POINT_SYSCALL = 5, /* value: its number in the guest's ABI */
};

struct order_point {
	uint32_t kind;	/* enum point_kind */
	uint32_t times; /* reached so often: from 1 */
	uint64_t value;
};

struct order_window {
	struct order_point from, to;
};

/*
 * Something in a file, or at an address. Sense is what it is for: a point of a window, or a
 * range that is recorded or not. Where ranges overlap, EXCEPT goes before ONLY.
 */
enum order_sense {
	ORDER_FROM = 1, /* start is a place of window[window].from */
	ORDER_TO = 2,
	ORDER_ONLY = 3,	  /* start..end is recorded */
	ORDER_EXCEPT = 4, /* it is not */
};

struct order_place {
	uint64_t dev, ino;   /* of the file, as stat() has them; both 0: none */
	uint64_t start, end; /* bytes in the file, or guest addresses; end is exclusive */
	uint32_t sense;	     /* enum order_sense */
	uint32_t window;
};

/* What is asked for while it runs. */
enum wish {
	WISH_WINDOWS = 0, /* what the windows say: at the start */
	WISH_ON = 1,	  /* everything, whatever they say */
	WISH_OFF = 2,	  /* nothing for now */
	WISH_STOP = 3,	  /* nothing any more: no other wish comes after it */
};

struct orders {
	/* Written before the guest starts. */
	uint64_t begin_ns;     /* CLOCK_MONOTONIC: when the recorder began */
	uint64_t max_insns;    /* of each thread, recorded; 0: no limit */
	uint32_t then_exit;    /* when all is recorded, the process ends, status 0 */
	uint32_t has_only;     /* there are ranges with ORDER_ONLY: the rest is out */
	uint32_t program_only; /* other files than the process's program are out */
	uint32_t windows;      /* how many there are */
	struct order_window window[WINDOWS_MAX];

	/* At any time. */
	_Alignas(64) _Atomic uint32_t wish; /* enum wish */
	_Atomic uint64_t events;	    /* bit n: events of kind n are wanted */
	_Atomic uint32_t places;	    /* how many of place[] are whole */
	struct order_place place[ORDER_PLACES_MAX];
};

#endif
