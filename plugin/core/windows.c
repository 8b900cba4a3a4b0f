// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Windows change only under link_lock(), which fork() takes, too. Whether one is open is
 * read without it.
 *
 * When a change needs other code (enum code_kind), the thread that makes it has QEMU throw
 * its translations away. That thread leaves the old code at the end of its block. The others
 * run old code until all threads have stopped for the change, and what is translated until
 * then is like the old code. CODE_WATCHED and CODE_SINGLE check for open windows, so they are
 * right at once. CODE_RECORDED and CODE_WAITING do not, so the few pieces in them that could
 * (those with a point or a marker) do in another thread as the code around them does: a piece
 * that began or ended a gap would leave the next one without.
 *
 * A bound in instructions is exact. Far from one, blocks are counted whole; within
 * NEAR_INSNS of one, code is translated an instruction at a time, so that the bound lies
 * between two pieces even if an instruction faults on the way there.
 *
 * Example: a window from instruction 5000. lane->next is set to 5000 - NEAR_INSNS. When
 * the thread has executed that many, windows_reach_count() makes its code CODE_SINGLE and
 * sets next to 5000; the callback of the instruction that is about to be number 5000 then
 * opens the window, and that instruction is the first recorded one.
 */
#include "plugin/core/windows.h"

#include <string.h>

#include "base/clock.h"
#include "format/blocks.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/filters.h"
#include "plugin/core/gaps.h"
#include "plugin/core/link.h"
#include "plugin/core/written.h"
#include "waymark.h"

#define LOOK_INSNS (1u << 20) /* a thread checks the clock and `wish` this often */
#define NEAR_INSNS \
	(2u * BLOCK_INSNS_MAX) /* distance from a bound: older blocks end in it */

static const struct orders *orders;
static const struct windows_guest *guest;

static struct window {
	enum { PENDING, OPEN, DONE } state;
	uint32_t from_hits, to_hits;
} windows[WINDOWS_MAX];
static uint32_t count;
static bool counting;	   /* instructions: a bound depends on them */
static bool timed;	   /* there are bounds in time */
static bool by_syscall;	   /* there are points at system calls */
static bool all_done;	   /* the last window has closed, or enough is recorded */
static uint32_t last_wish; /* enum wish */

static _Atomic bool open_now;
static _Atomic uint32_t code_now; /* enum code_kind: of all code that is translated */
static uint32_t code_next;	  /* the same after the change that is due */
static _Atomic bool change_due; /* QEMU was asked to throw code_now away, and has not yet */
static _Atomic uint32_t changer = LANE_NONE; /* leaves code_now at the end of its block */
static bool late; /* in a child: its parent's change was due, and is asked for again */

/* For each lane's thread. */
static struct {
	uint64_t checked; /* bounds below this count have been handled */
	bool is_near;	  /* a bound is at most NEAR_INSNS ahead */
} threads[LANES_MAX];
static uint32_t near_threads;

/* ---- what follows from the state ----------------------------------------- */

static bool is_any(int state)
{
	for (uint32_t i = 0; i < count; i++)
		if ((int)windows[i].state == state)
			return true;
	return false;
}

static bool should_record(void)
{
	/* A person's order overrides the windows until it is withdrawn. */
	if (last_wish != WISH_WINDOWS)
		return last_wish == WISH_ON;
	return !all_done && (!count || is_any(OPEN));
}

static enum code_kind code_wanted(void)
{
	/*
	 * What the other threads' last instructions wrote is recorded where these go on, so code that
	 * does that must have callbacks. Behind a stop nothing can be recorded.
	 */
	if (last_wish == WISH_STOP ||
	    (last_wish == WISH_WINDOWS && all_done && !written_wanted()))
		return CODE_BARE;
	/*
	 * One thread near a bound is enough: translated code is shared by all threads of
	 * the process.
	 */
	if (near_threads)
		return CODE_SINGLE;
	if (!atomic_load(&open_now))
		return CODE_WAITING;
	/* While something is recorded, only code that counts can notice a bound. */
	return counting ? CODE_WATCHED : CODE_RECORDED;
}

/*
 * Asks for other code; false when that was done already. Then this thread follows like the
 * others do.
 */
static bool ask_for_code(unsigned vcpu)
{
	if (atomic_exchange(&change_due, true))
		return false;
	atomic_store(&changer, vcpu);
	return true;
}

/*
 * The thread begins a gap now. One that has entered a block and not run it does when it
 * next looks, which is at once: the block may still be left early, and pieces_left() finds the
 * block that was left by the lane's last id.
 */
static void begin_gap(unsigned vcpu, bool in_block)
{
	if (in_block)
		lane_heads[vcpu].last = 0; /* the block was not counted */
	else if (!windows_record(vcpu))
		gaps_enter(vcpu);
}

/* A window opened or closed: true when the caller must have code translated again. */
static bool settle(unsigned vcpu, bool in_block)
{
	bool record, closes, asks = false;

	/*
	 * With no windows at all (count 0) the whole run is recorded, so it is never
	 * done.
	 */
	if (count && !is_any(PENDING) && !is_any(OPEN))
		all_done = true;
	record = should_record();
	/* The gap must have its id before a thread is made to store it. */
	if (!record)
		gaps_prepare();
	closes = atomic_load(&open_now) && !record;
	atomic_store(&open_now, record);
	code_next = code_wanted();
	/* Bare code stores no gap, so it comes after the thread has stored its own. */
	if (closes && in_block && code_next == CODE_BARE)
		code_next = CODE_WAITING;
	if (late || code_next != atomic_load(&code_now))
		asks = ask_for_code(vcpu);
	late = false;
	if (closes)
		begin_gap(vcpu, in_block);
	return asks;
}

static void tell(unsigned vcpu, bool opens, uint32_t window)
{
	uint64_t fields[] = { opens ? WM_WINDOW_OPENS : WM_WINDOW_CLOSES, window,
			      gaps_insns(vcpu) };

	link_event_locked(vcpu, WM_EVENT_WINDOW, fields, 3, NULL);
}

static void open_window(unsigned vcpu, uint32_t i)
{
	windows[i].state = OPEN;
	tell(vcpu, true, i);
}

static void close_window(unsigned vcpu, uint32_t i)
{
	windows[i].state = DONE;
	tell(vcpu, false, i);
}

/* Releases link_lock(), then does what must not be done under it. */
static void unlock_in(unsigned vcpu, bool in_block)
{
	bool ends, changed = settle(vcpu, in_block);

	/*
	 * settle() has decided all_done under the lock. The guest is called without locks,
	 * as described in plugin/core/windows.h.
	 */
	ends = orders->then_exit && (all_done || last_wish == WISH_STOP);
	link_unlock();
	if (ends)
		guest->end();
	if (changed)
		guest->retranslate();
}

static void unlock(unsigned vcpu)
{
	unlock_in(vcpu, false);
}

/* Whether an end of a window is of that kind. */
static bool is_of(uint32_t i, enum point_kind kind)
{
	return orders->window[i].from.kind == (uint32_t)kind ||
	       orders->window[i].to.kind == (uint32_t)kind;
}

/* Nothing has been translated, so nothing needs to be thrown away. */
static void begin_code(void)
{
	code_next = code_wanted();
	atomic_store(&code_now, code_next);
}

void windows_init(const struct orders *from, const struct windows_guest *of)
{
	orders = from;
	guest = of;
	count = orders->windows < WINDOWS_MAX ? orders->windows : WINDOWS_MAX;
	counting = orders->max_insns;
	for (uint32_t i = 0; i < count; i++) {
		/* A window without a start is open from the first instruction. */
		if (orders->window[i].from.kind == POINT_NONE)
			windows[i].state = OPEN;
		counting |= is_of(i, POINT_INSN);
		timed |= is_of(i, POINT_TIME);
		by_syscall |= is_of(i, POINT_SYSCALL);
	}
	last_wish = atomic_load(&orders->wish);
	atomic_store(&open_now, should_record());
	begin_code();
}

enum code_kind windows_code_kind(void)
{
	return atomic_load_explicit(&code_now, memory_order_relaxed);
}

bool windows_open(void)
{
	return atomic_load_explicit(&open_now, memory_order_relaxed);
}

bool windows_record(unsigned vcpu)
{
	enum code_kind code = windows_code_kind();
	bool looks = code != CODE_RECORDED && code != CODE_WAITING;

	if (looks || atomic_load_explicit(&changer, memory_order_relaxed) == vcpu)
		return windows_open();
	return code == CODE_RECORDED;
}

void windows_code_goes(void)
{
	ask_for_code(LANE_NONE);
}

void windows_code_begins(void)
{
	link_lock();
	atomic_store(&code_now, code_next);
	/* Code that waits stores a gap when it looks, and only then. */
	for (unsigned i = 0; i < slot_lanes(); i++)
		lane_heads[i].next = 0;
	atomic_store(&changer, LANE_NONE);
	atomic_store(&change_due, false);
	link_unlock();
}

bool windows_have_points(void)
{
	return count && !all_done;
}

/* ---- reaching points ----------------------------------------------------- */

static void reach_to(unsigned vcpu, uint32_t i)
{
	/*
	 * Counted also while the window is pending: a point's number of times is counted
	 * from the start of the run.
	 */
	windows[i].to_hits++;
	if (windows[i].state == OPEN && windows[i].to_hits >= orders->window[i].to.times)
		close_window(vcpu, i);
}

static void reach_from(unsigned vcpu, uint32_t i)
{
	windows[i].from_hits++;
	if (windows[i].state == PENDING &&
	    windows[i].from_hits >= orders->window[i].from.times)
		open_window(vcpu, i);
}

void windows_reach_point(unsigned vcpu, uint32_t file, uint64_t address)
{
	const struct window_point *points;
	size_t n;

	link_lock();
	/*
	 * Ends before starts, here and in reach() and reach_insns(): a window that ends
	 * where it begins is not closed by the event that opens it.
	 */
	points = filters_points(file, address, address + 1, &n);
	for (size_t i = 0; i < n; i++)
		if (points[i].sense == ORDER_TO && points[i].window < count)
			reach_to(vcpu, points[i].window);
	for (size_t i = 0; i < n; i++)
		if (points[i].sense == ORDER_FROM && points[i].window < count)
			reach_from(vcpu, points[i].window);
	unlock(vcpu);
}

/* The thread reaches points of this kind and value. */
static void reach(unsigned vcpu, enum point_kind kind, uint64_t value, bool from, bool to)
{
	for (uint32_t i = 0; to && i < count; i++)
		if (orders->window[i].to.kind == (uint32_t)kind &&
		    orders->window[i].to.value == value)
			reach_to(vcpu, i);
	for (uint32_t i = 0; from && i < count; i++)
		if (orders->window[i].from.kind == (uint32_t)kind &&
		    orders->window[i].from.value == value)
			reach_from(vcpu, i);
}

static void reach_marker(unsigned vcpu, const struct marker *marker)
{
	link_lock();
	reach(vcpu, POINT_MARKER, marker->id, marker->what != WM_MARKER_END,
	      marker->what != WM_MARKER_BEGIN);
	unlock(vcpu);
}

static void tell_marker(unsigned vcpu, const struct marker *marker)
{
	uint64_t fields[] = { marker->what, marker->id };

	link_event(vcpu, WM_EVENT_MARKER, fields, 2, NULL);
}

void windows_pass_marker(unsigned vcpu, const struct marker *marker, bool wanted)
{
	bool open = windows_record(vcpu);

	/* A window contains both the marker that opens it and the one that closes it. */
	if (open && wanted)
		tell_marker(vcpu, marker);
	reach_marker(vcpu, marker);
	if (!open && wanted && windows_record(vcpu))
		tell_marker(vcpu, marker);
}

void windows_reach_syscall(unsigned vcpu, uint64_t number)
{
	if (!by_syscall)
		return;
	link_lock();
	reach(vcpu, POINT_SYSCALL, number, true, true);
	unlock(vcpu);
}

/* ---- wishes and times ---------------------------------------------------- */

static void look_for_wish(unsigned vcpu)
{
	uint32_t wish = atomic_load(&orders->wish);
	bool before = atomic_load(&open_now), after;

	/* A stop is final: the collector has sealed the file. */
	if (wish == last_wish || last_wish == WISH_STOP)
		return;
	last_wish = wish;
	after = should_record();
	if (before != after)
		tell(vcpu, after, WM_WINDOW_WISH);
}

static bool is_due(const struct order_point *point, uint64_t now_ns)
{
	/*
	 * begin_ns is in the past and of the same clock, so the difference does not wrap.
	 */
	return point->kind == POINT_TIME && now_ns - orders->begin_ns >= point->value;
}

static void look_at_clock(unsigned vcpu)
{
	uint64_t now_ns;

	if (!timed)
		return;
	now_ns = clock_ns();
	for (uint32_t i = 0; i < count; i++) {
		if (windows[i].state == PENDING &&
		    is_due(&orders->window[i].from, now_ns))
			open_window(vcpu, i);
		/*
		 * Not `else`: a thread that slept past both times opens and closes the
		 * window here, and both events are in the trace.
		 */
		if (windows[i].state == OPEN && is_due(&orders->window[i].to, now_ns))
			close_window(vcpu, i);
	}
}

bool windows_have_wish(void)
{
	return atomic_load_explicit(&orders->wish, memory_order_relaxed) != last_wish;
}

static void look(unsigned vcpu, bool in_block)
{
	/* The usual case costs two loads and comparisons, so callers may call this often. */
	if (atomic_load_explicit(&change_due, memory_order_relaxed))
		guest->hasten();
	if (!timed && !windows_have_wish())
		return;
	link_lock();
	look_for_wish(vcpu);
	look_at_clock(vcpu);
	unlock_in(vcpu, in_block);
}

void windows_look(unsigned vcpu)
{
	look(vcpu, false);
}

void windows_look_in_block(unsigned vcpu)
{
	/* When the process ends here, nothing would store the gap later. */
	look(vcpu, !orders->then_exit);
}

/* ---- counts -------------------------------------------------------------- */

/* Notes whether a thread needs code of one instruction at a time. */
static void set_near(unsigned vcpu, bool is_near)
{
	/* Unsigned arithmetic wraps, so the difference may be -1. */
	near_threads += (uint32_t)is_near - (uint32_t)threads[vcpu].is_near;
	threads[vcpu].is_near = is_near;
}

void windows_begin_child(void)
{
	/*
	 * The other threads do not exist in the child, and the one that does starts to
	 * count from 0.
	 */
	memset(threads, 0, slot_lanes() * sizeof(*threads));
	near_threads = 0;
	/* The thread that was to leave its block for the change does not exist either. */
	if (atomic_load(&change_due) && guest->resume()) {
		atomic_store(&changer, LANE_NONE);
		atomic_store(&change_due, false);
		late = true;
	}
}

/* Outside of fork(), in which QEMU cannot be asked. */
void windows_forked(unsigned vcpu)
{
	if (!late)
		return;
	link_lock();
	unlock(vcpu);
	if (!windows_record(vcpu))
		gaps_enter(vcpu);
}

static bool is_passed(const struct order_point *point, uint64_t from, uint64_t executed)
{
	return point->kind == POINT_INSN && point->value >= from &&
	       point->value <= executed;
}

/* The thread has executed this many: handles bounds it has not passed before. */
static void reach_insns(unsigned vcpu, uint64_t executed)
{
	uint64_t from = threads[vcpu].checked;

	for (uint32_t i = 0; i < count; i++)
		if (is_passed(&orders->window[i].to, from, executed))
			reach_to(vcpu, i);
	for (uint32_t i = 0; i < count; i++)
		if (is_passed(&orders->window[i].from, from, executed))
			reach_from(vcpu, i);
	/*
	 * Each bound is handled once, even if `executed` goes back after a fault
	 * (pieces_left()).
	 */
	threads[vcpu].checked = executed + 1;
}

static void lower(uint64_t *bound, uint64_t from, const struct order_point *point)
{
	if (point->kind == POINT_INSN && point->value >= from && point->value < *bound)
		*bound = point->value;
}

/* How many instructions the thread is from the next of its bounds; UINT64_MAX: none. */
static uint64_t insns_ahead(unsigned vcpu, const struct lane_head *lane)
{
	uint64_t bound = UINT64_MAX, ahead;

	for (uint32_t i = 0; i < count; i++) {
		lower(&bound, threads[vcpu].checked, &orders->window[i].from);
		lower(&bound, threads[vcpu].checked, &orders->window[i].to);
	}
	if (all_done || (bound == UINT64_MAX && !orders->max_insns))
		return UINT64_MAX;
	/*
	 * bound is UINT64_MAX when only max_insns counts; the difference then exceeds any
	 * limit. A recorded count at the limit was handled by close_all(), so the second
	 * difference does not underflow.
	 */
	ahead = bound - lane->executed;
	if (orders->max_insns && orders->max_insns - lane->recorded < ahead)
		ahead = orders->max_insns - lane->recorded;
	return ahead;
}

static void close_all(unsigned vcpu)
{
	bool any = is_any(OPEN);

	for (uint32_t i = 0; i < count; i++) {
		if (windows[i].state == OPEN)
			close_window(vcpu, i);
		windows[i].state = DONE;
	}
	/*
	 * With no window open, the close is reported as an order's, so that the trace
	 * shows where recording ended.
	 */
	if (!any)
		tell(vcpu, false, WM_WINDOW_WISH);
	all_done = true;
}

/* Handles what the thread has reached, and sets where it must look next. */
static void look_at_bounds(unsigned vcpu, struct lane_head *lane)
{
	uint64_t ahead;

	reach_insns(vcpu, lane->executed);
	if (orders->max_insns && lane->recorded >= orders->max_insns && !all_done)
		close_all(vcpu);
	ahead = insns_ahead(vcpu, lane);
	set_near(vcpu, counting && ahead <= NEAR_INSNS);
	/*
	 * Neither case holds when the bound is far: windows_reach_count() has set the
	 * default distance.
	 */
	if (ahead <= NEAR_INSNS)
		lane->next = lane->executed + ahead;
	else if (ahead - NEAR_INSNS < LOOK_INSNS)
		lane->next = lane->executed + ahead - NEAR_INSNS;
}

void windows_thread_begins(unsigned vcpu)
{
	if (vcpu >= LANES_MAX)
		return;
	link_lock();
	threads[vcpu].checked = 0;
	set_near(vcpu, counting && insns_ahead(vcpu, &lane_heads[vcpu]) <= NEAR_INSNS);
	if (!block_ids_count())
		begin_code();
	unlock(vcpu);
}

void windows_reach_count(unsigned vcpu)
{
	struct lane_head *lane = &lane_heads[vcpu];

	link_lock();
	/* A default, which look_at_bounds() only lowers. */
	lane->next = lane->executed + LOOK_INSNS;
	look_for_wish(vcpu);
	look_at_clock(vcpu);
	if (vcpu < LANES_MAX)
		look_at_bounds(vcpu, lane);
	unlock(vcpu);
}

void windows_wait(unsigned vcpu)
{
	gaps_enter(vcpu);
	windows_reach_count(vcpu);
}
