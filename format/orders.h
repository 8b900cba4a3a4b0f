/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recorder wants the plugins to record: a part of the board (format/arena.h)
 * that the collector writes and the plugins of all processes read.
 *
 * The collector resolves names, because the plugin cannot read ELF. A plugin that finds a
 * mapped file reports it (MESSAGE_MODULE) and waits for the collector (link_settle()).
 * The collector first appends the functions, lines and ranges of that file that the user
 * named, as offsets in the file. So it does not matter where, when, or by which process a
 * file is mapped.
 *
 * A *window* is the code that runs between two *points*: from the instruction of `from`,
 * included, to the instruction of `to`, excluded. A point is reached when its instruction
 * is about to run (for a system call: when the call is made). It counts how often it was
 * reached since the process began, by any thread. A window opens when `from` is reached
 * for the n-th time. Once open, it closes when `to` is reached and its count, which
 * includes the time before the opening, is at least that of `to`. It opens and closes
 * once. A forked child continues its parent's counts and windows. Code is recorded while
 * any window is open; without windows, all code is.
 */
#ifndef FORMAT_ORDERS_H
#define FORMAT_ORDERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WINDOWS_MAX 32
#define ORDER_VALUES_MAX 64
#define ORDER_ITEMS_MAX 16
#define ORDER_PLACES_MAX (1u << 18)

enum point_kind {
	POINT_NONE = 0,	 /* the beginning or the end of the run */
	POINT_PLACE = 1, /* one or more instructions: see struct order_place */
	POINT_INSN = 2,	 /* value: instructions that the thread executed earlier */
	POINT_TIME = 3,	 /* value: nanoseconds since begin_ns, approximate */
	POINT_MARKER =
		4, /* value: its id. `from`: a point or begin, `to`: a point or end */
	POINT_SYSCALL = 5, /* value: its number in the guest's ABI */
};

struct order_point {
	uint32_t kind;	/* enum point_kind */
	uint32_t times; /* the n-th time that it is reached counts: from 1 */
	uint64_t value;
};

struct order_window {
	struct order_point from, to;
};

/*
 * A range in a file, or of guest addresses, and its use: a point of a window, or a range
 * to record or not. Where ranges overlap, EXCEPT takes precedence over ONLY.
 */
enum order_sense {
	ORDER_FROM = 1, /* start is a place of window[window].from */
	ORDER_TO = 2,
	ORDER_ONLY = 3,	  /* start..end is recorded */
	ORDER_EXCEPT = 4, /* start..end is not recorded */
	ORDER_VALUE = 5,  /* at start, value[window] is recorded */
};

/* Whether it is about one instruction, and not about a range. */
static inline bool order_is_point(uint32_t sense)
{
	return sense != ORDER_ONLY && sense != ORDER_EXCEPT;
}

/* What to record before an instruction at a place. */
struct order_value {
	uint32_t items;
	struct order_item {
		uint8_t kind;	 /* enum value_kind: VALUE_REGISTER, _MEMORY, _RETURNED */
		uint8_t size;	 /* of memory: log2 of the bytes */
		uint16_t number; /* of the register, of memory the address's */
		int64_t offset;	 /* of memory: to be added */
	} item[ORDER_ITEMS_MAX];
};

/*
 * In place of a device: `ino` is the number that the plugin has given to a file of a machine's
 * process, or to a module of its kernel.
 */
#define ORDER_MACHINE UINT64_MAX

struct order_place {
	uint64_t dev, ino;   /* of the file, from stat(); both 0: guest addresses */
	uint64_t start, end; /* bytes in the file, or guest addresses; end is exclusive */
	uint32_t sense;	     /* enum order_sense */
	uint32_t window;     /* index, for ORDER_FROM, ORDER_TO and ORDER_VALUE */
};

/* What the user requests while the recording runs. */
enum wish {
	WISH_WINDOWS = 0, /* follow the windows: the initial state */
	WISH_ON = 1,	  /* record everything, regardless of windows */
	WISH_OFF = 2,	  /* record nothing for the moment */
	WISH_STOP = 3,	  /* record nothing any more; final */
};

struct orders {
	/* Constant: written before the guest starts. */
	uint64_t begin_ns;     /* CLOCK_MONOTONIC: when the recorder began */
	uint64_t max_insns;    /* of each thread, recorded; 0: no limit */
	uint32_t then_exit;    /* end the process with status 0 when all is recorded */
	uint32_t has_only;     /* an ORDER_ONLY range exists: other code is left out */
	uint32_t program_only; /* files other than the program are left out */
	uint32_t by_file; /* there may be places in files that are yet to be mapped */
	uint32_t windows; /* used entries of window[] */
	struct order_window window[WINDOWS_MAX];
	uint32_t values; /* used entries of value[] */
	struct order_value value[ORDER_VALUES_MAX];

	/* May change at any time. */
	_Alignas(64) _Atomic uint32_t wish; /* enum wish */
	_Atomic uint64_t events;	    /* bit n: events of kind n are wanted */
	_Atomic uint32_t places; /* complete entries of place[]; it only grows */
	struct order_place place[ORDER_PLACES_MAX];
};

#endif
