// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU calls on_syscall() before it makes a guest's system call, and on_syscall_ret()
 * after it. Handlers, exit and execve() are handled before the call, because it may not
 * return. Names of threads and mappings are handled after it, when the call has taken
 * effect.
 *
 * A thread's id is learnt at its first call, because QEMU 7.2 announces a vCPU on its
 * parent's thread.
 *
 * Invariant: an event carries the position of its thread's lane, so it must be sent by
 * that thread, between two blocks. A system call ends a block, so both callbacks may
 * send.
 */
#include "plugin/user/user.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/note.h"
#include "kernel/kernel.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/callbacks.h"
#include "plugin/core/gaps.h"
#include "plugin/core/hold.h"
#include "plugin/core/link.h"
#include "plugin/core/notes.h"
#include "plugin/core/resets.h"
#include "plugin/core/values.h"
#include "plugin/core/windows.h"
#include "plugin/core/written.h"
#include "plugin/user/ending.h"
#include "plugin/user/exec.h"
#include "plugin/user/guest.h"
#include "plugin/user/halt.h"
#include "plugin/user/modules.h"
#include "plugin/user/naming.h"
#include "plugin/user/signals.h"
#include "waymark.h"

#define NAME_BYTES 16
#define STRING_BYTES 256 /* of a string that is passed, a path mostly */

static const struct abi *abi;
static const struct kernel *kernel;
static void (*retranslate)(uint64_t address);
static char first_name[NAME_BYTES]; /* QEMU's own: threads have it until they change it */

static __thread __attribute__((tls_model("initial-exec"))) struct {
	unsigned vcpu;
	uint64_t args[6]; /* of the call it is in */
	bool known;	  /* its id and name have been sent */
	bool forking;	  /* between fork() and its return */
} thread;

/* Sends the thread's id and name. */
static void introduce(unsigned vcpu, enum message_type type)
{
	struct message_thread message = {
		.position = link_position(vcpu),
		.passed = gaps_insns(vcpu),
		.ns = clock_ns(),
		.vcpu = vcpu,
		.thread = vcpu,
		.tid = (uint32_t)gettid(),
		.called = link_has_called(vcpu),
	};
	char name[NAME_BYTES] = "";

	if (vcpu >= LANES_MAX)
		return;
	prctl(PR_GET_NAME, name);
	/*
	 * A new thread inherits the name of QEMU's thread, which does not describe the
	 * guest.
	 */
	if (!strcmp(name, first_name))
		name[0] = 0;
	link_lock();
	link_send(type,
		  (struct message_part[]){ { &message, sizeof(message) },
					   { name, strlen(name) } },
		  2);
	link_unlock();
	probes_fire(WM_EVENT_THREAD_NAME, (uint64_t[]){ vcpu, message.tid }, 2, name);
	thread.known = true;
}

static void watch_handler(uint64_t signal, uint64_t act)
{
	uint64_t fresh;

	link_lock();
	/* on_new_handler() takes the lock itself. */
	fresh = signals_watch(signal, act);
	link_unlock();
	if (fresh)
		retranslate(fresh);
}

/* The process is about to become another program: by us when that is to be recorded. */
static void become(int64_t number, const uint64_t *args)
{
	/*
	 * The collector must not take the end of the old program's threads for the end of
	 * the process.
	 */
	hold_becoming(true);
	if (link_follows())
		exec_follow(number, args);
	/* Still here: what comes is another machine's program, or an error. */
	hold_leaving();
}

/* Acts on calls that matter to us, before QEMU makes them. */
static void prepare(unsigned vcpu, int64_t number, const uint64_t *args)
{
	/*
	 * Before the call takes effect: a signal may arrive at once, and the handler's
	 * block must have its callback by then.
	 */
	if (number == abi->rt_sigaction || number == abi->sigaction)
		watch_handler(args[0], args[1]);
	else if (number == abi->rt_sigreturn || number == abi->sigreturn)
		signals_returned(vcpu);
	else if (number == abi->exit_group)
		ending_exit_group(args[0]);
	else if (abi_is_exec(abi, number))
		become(number, args);
	else
		naming_call(abi, number, args);
}

/* The first string among a call's arguments, usually a path; "" without one. */
static void read_string(int64_t number, const uint64_t *args, char text[STRING_BYTES])
{
	int which = kernel_string(kernel, (uint64_t)number);

	text[0] = 0;
	if (which >= 0 && args[which])
		guest_string(args[which], text, STRING_BYTES);
}

/*
 * Whether the call ends a handler. Readers match it with the signal's event, so whoever
 * records signals gets these calls too.
 */
static bool ends_handler(int64_t number)
{
	return abi && (number == abi->rt_sigreturn || number == abi->sigreturn);
}

static void tell_call(unsigned vcpu, const uint64_t *fields)
{
	char text[STRING_BYTES];

	if (link_wants(WM_EVENT_SYSCALL)) {
		read_string((int64_t)fields[0], fields + 1, text);
		link_event(vcpu, WM_EVENT_SYSCALL, fields, 7, text);
	}
	if (!link_keeps(WM_EVENT_SYSCALL) && link_keeps(WM_EVENT_SIGNAL) &&
	    ends_handler((int64_t)fields[0]))
		link_event_needed(vcpu, WM_EVENT_SYSCALL, fields, 7);
}

/* Sends an event for mmap() and munmap(). mremap() and brk() have none. */
static void tell_mapping(unsigned vcpu, int64_t number, const uint64_t *args,
			 int64_t value)
{
	uint64_t mask = abi->word == 8 ? UINT64_MAX : UINT32_MAX;
	bool paged = number == abi->mmap2; /* the offset is in pages of 4096 bytes */
	uint64_t map[] = { (uint64_t)value & mask,
			   args[1] & mask,
			   args[2] & mask,
			   args[3] & mask,
			   (uint64_t)(int32_t)args[4],
			   (args[5] & mask) << (paged ? 12 : 0) };
	uint64_t unmap[] = { args[0] & mask, args[1] & mask };

	if (value < 0 && value > -4096)
		return;
	if ((number == abi->mmap || paged) && link_wants(WM_EVENT_MMAP))
		link_event(vcpu, WM_EVENT_MMAP, map, 6, NULL);
	else if (number == abi->munmap && link_wants(WM_EVENT_MUNMAP))
		link_event(vcpu, WM_EVENT_MUNMAP, unmap, 2, NULL);
}

/* Checks for a new `wish` first, then whether the call is a window's point. */
static void on_call(unsigned vcpu, const uint64_t *fields)
{
	bool open;

	windows_look(vcpu);
	open = windows_record(vcpu);
	/* A window contains both the call that opens it and the one that closes it. */
	if (open)
		tell_call(vcpu, fields);
	windows_reach_syscall(vcpu, fields[0]);
	if (!open && windows_record(vcpu))
		tell_call(vcpu, fields);
	/* If another thread closed the window, this thread's lane must end in a gap. */
	if (!windows_record(vcpu))
		gaps_enter(vcpu);
}

static void on_syscall(unsigned vcpu, int64_t number, const uint64_t args[])
{
	uint64_t fields[7] = { (uint64_t)number };

	memcpy(fields + 1, args, sizeof(thread.args));
	/* in_child() needs it: pthread_atfork() passes no argument. */
	thread.vcpu = vcpu;
	/*
	 * First, so that all events of this call are marked as coming after a block that
	 * ended in it.
	 */
	link_called(vcpu);
	written_called(vcpu);
	if (!thread.known) {
		halt_thread(vcpu);
		introduce(vcpu, MESSAGE_THREAD_IS);
	}
	/* Not a call that the program makes by itself: no event of it. */
	if (number == NOTE_CALL) {
		notes_send(vcpu, guest_read, args[0], args[1], args[2]);
		return;
	}
	on_call(vcpu, fields);
	/* QEMU passes only the result to on_syscall_ret(). */
	memcpy(thread.args, args, sizeof(thread.args));
	if (abi)
		prepare(vcpu, number, args);
}

static void on_syscall_ret(unsigned vcpu, int64_t number, int64_t value)
{
	uint64_t fields[] = { (uint64_t)number, (uint64_t)value };

	if (number == NOTE_CALL)
		return;
	/* `waymark ctl stop` may have come while the thread slept in the call. */
	if (atomic_load(&slot_board()->orders.wish) == WISH_STOP)
		windows_look(vcpu);
	if (windows_open() && link_wants(WM_EVENT_SYSCALL_RET))
		link_event(vcpu, WM_EVENT_SYSCALL_RET, fields, 2, NULL);
	if (abi && windows_open())
		tell_mapping(vcpu, number, thread.args, value);
	/* before_fork() has counted a child that does not exist. */
	if (thread.forking && value < 0)
		link_fork_failed();
	thread.forking = false;
	windows_forked(vcpu);
	/* It returned, so it failed. */
	if (abi && abi_is_exec(abi, number)) {
		exec_failed();
		hold_becoming(false);
	}
	/* The call may have changed the thread's name. */
	if (abi && number == abi->prctl)
		introduce(vcpu, MESSAGE_THREAD_IS);
	if (abi) {
		naming_returned(abi, number, thread.args, value);
		modules_syscall(abi, number, thread.args, value);
	}
}

/* ---- fork: these run on the thread that forks ---------------------------- */

static void before_fork(void)
{
	thread.forking = true;
	link_before_fork();
}

static void in_child(void)
{
	thread.forking = false;
	resets_begin_child();
	/* Before any block of the child runs; its parent's counts do not apply. */
	windows_begin_child();
	values_begin_child();
	halt_child(thread.vcpu);
	notes_begin_child();
	if (link_in_child(block_ids_count()))
		introduce(thread.vcpu, MESSAGE_THREAD);
	probes_fire(WM_EVENT_FORK, (uint64_t[]){ (uint64_t)getpid() }, 1, NULL);
}

void syscalls_init(const char *isa, const struct abi *guest,
		   void (*handler_found)(uint64_t address))
{
	kernel = kernel_find(isa);
	abi = guest;
	retranslate = handler_found;
	prctl(PR_GET_NAME, first_name);
	/* QEMU makes a guest's fork() by the C library's fork(), which calls these. */
	pthread_atfork(before_fork, link_after_fork, in_child);
}

void syscalls_register(void)
{
	callbacks_on_syscall(on_syscall, on_syscall_ret);
}

void syscalls_thread_ends(unsigned vcpu)
{
	halt_thread_ends(vcpu);
	introduce(vcpu, MESSAGE_THREAD_END);
	signals_thread_ends();
	probes_fire(WM_EVENT_VCPU_EXIT, (uint64_t[]){ vcpu, (uint64_t)gettid() }, 2,
		    NULL);
}
