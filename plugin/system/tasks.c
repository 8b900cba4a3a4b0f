// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel says what it does by entering functions (format/guest_linux.def). Their
 * addresses are those of blocks' starts, because calls lead there, so a callback that comes
 * before the block is recorded separates the instructions before it from those after.
 *
 * A thread is known by the address of its task_struct. Its number in messages is an index
 * of threads[]. The first ones are the harts' own: the idle thread of each, with whatever
 * the hart ran before Linux could switch (firmware, the kernel's own start). They get
 * their addresses at the first switch of the hart, as the thread that is left.
 *
 * Where Linux is not known, a page table takes a thread's place: its address, and the hart.
 *
 * Invariant: threads[running[hart]] is what the collector takes the hart's ids for, and a
 * thread is on one hart at most. What would break that is left out: then a stream has more
 * than one thread's instructions, and none are lost. A reset, and a kernel that begins in the
 * place of another one (kexec), end all threads (restart.c).
 *
 * Example: hart 0 enters __switch_to(A, B). Its ids up to here are A's, those from here on
 * B's: __switch_to() itself, on B's stack, returns to where B called it.
 */
#include "plugin/system/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "plugin/core/link.h"
#include "plugin/core/returns.h"
#include "plugin/core/windows.h"
#include "plugin/system/linux.h"
#include "plugin/system/loaded.h"
#include "plugin/system/mappings.h"
#include "plugin/system/memory.h"
#include "plugin/system/parts.h"
#include "plugin/system/restart.h"
#include "plugin/system/turns.h"

enum { MACHINE = 0 }; /* the space of what is in no process */
enum { GONE = 1 };    /* no thread's address: a reset has ended it */

struct thread {
	bool begun;	/* the collector knows it */
	uint32_t space; /* its process's: the number in messages */
	uint32_t hart;	/* it is on; LANE_NONE */
	uint32_t tid, pid;
	struct tasks_call call;
	struct returns *calls;
	uint8_t told_mode; /* see tasks.h */
	char name[LINUX_NAME_BYTES];
};

static const struct guest_linux *layout;
static unsigned harts;
static uint32_t spaces; /* of processes, so far */

/* Under link_lock(). */
static uint64_t *addresses;    /* [LANES_MAX] of task_structs; 0: nobody has the number */
static struct thread *threads; /* [LANES_MAX] */
static uint32_t top;	       /* numbers in use are below it */
static uint32_t *running;      /* [harts] */

void tasks_init(const struct guest_linux *known, unsigned n)
{
	addresses = calloc(LANES_MAX, sizeof(*addresses));
	threads = calloc(LANES_MAX, sizeof(*threads));
	running = calloc(n, sizeof(*running));
	if (!addresses || !threads || !running)
		return; /* streams stay harts */
	if (known->knows) {
		layout = known;
		linux_init(known);
	}
	harts = top = n;
	for (uint32_t i = 0; i < n; i++) {
		threads[i] = (struct thread){ .begun = true, .hart = i };
		running[i] = i;
	}
}

/* ---- numbers ------------------------------------------------------------------------ */

/* The number of the thread at an address, THREAD_NONE: it has none. */
static uint32_t number_of(uint64_t address)
{
	for (uint32_t i = 0; i < top; i++)
		if (addresses[i] == address)
			return i;
	return THREAD_NONE;
}

/* A thread has the number that another one may have had. */
static void begin_anew(uint32_t number, struct thread thread)
{
	returns_free(threads[number].calls);
	threads[number] = thread;
}

/* A number for a thread that has none yet; THREAD_NONE: all are in use. */
static uint32_t give_number(uint64_t address)
{
	uint32_t i = harts;

	while (i < top && addresses[i])
		i++;
	if (i == LANES_MAX)
		return THREAD_NONE;
	if (i == top)
		top++;
	addresses[i] = address;
	begin_anew(i, (struct thread){ .hart = LANE_NONE });
	return i;
}

/* Whether a thread other than `number` is in the space. */
static bool is_shared(uint32_t space, uint32_t number)
{
	for (uint32_t i = 0; i < top; i++)
		if (i != number && addresses[i] && threads[i].space == space)
			return true;
	return false;
}

/* ---- messages ----------------------------------------------------------------------- */

static void send_thread(enum message_type type, unsigned hart, uint32_t number)
{
	const struct thread *thread = &threads[number];
	struct message_thread message = {
		.position = link_position(hart),
		.ns = clock_ns(),
		.vcpu = hart,
		.tid = thread->tid,
		.called = true, /* switches are between two blocks */
		.thread = number,
		.space = thread->space,
	};

	link_send(type,
		  (struct message_part[]){ { &message, sizeof(message) },
					   { thread->name, strlen(thread->name) } },
		  2);
}

/* The hart goes on with a thread that has begun, or with none. */
static void send_route(unsigned hart, uint32_t number)
{
	struct message_route message = { .position = link_position(hart),
					 .ns = clock_ns(),
					 .vcpu = hart,
					 .thread = number };

	link_send(MESSAGE_ROUTE, &(struct message_part){ &message, sizeof(message) }, 1);
	parts_switched(hart);
}

/* The number of a new process. */
static uint32_t begin_space(uint32_t parent, uint32_t pid, const char *path)
{
	struct message_space message = {
		.ns = clock_ns(), .number = ++spaces, .parent = parent, .pid = pid
	};

	link_send(MESSAGE_SPACE,
		  (struct message_part[]){ { &message, sizeof(message) },
					   { path, strlen(path) } },
		  2);
	return message.number;
}

static void end_space(uint32_t space, int32_t status)
{
	struct message_space_end message = { .ns = clock_ns(),
					     .number = space,
					     .status = status };

	if (space == MACHINE)
		return;
	link_send(MESSAGE_SPACE_END, &(struct message_part){ &message, sizeof(message) },
		  1);
	mappings_end(space);
}

/* ---- switches ----------------------------------------------------------------------- */

/* Takes over what may have changed since the thread was looked at; whether it has. */
static bool update(struct thread *thread, const struct linux_task *task)
{
	bool same = thread->tid == task->tid && !strcmp(thread->name, task->name);

	thread->tid = task->tid;
	thread->pid = task->pid;
	memcpy(thread->name, task->name, sizeof(thread->name));
	return !same;
}

/* The space of a thread that was not seen to be made. */
static uint32_t find_space(const struct linux_task *task)
{
	if (task->kernel)
		return MACHINE;
	for (uint32_t i = 0; i < top; i++)
		if (addresses[i] && threads[i].pid == task->pid && threads[i].space)
			return threads[i].space;
	return begin_space(MACHINE, task->pid, task->name);
}

/* The hart leaves its thread, for ever when that is dead. */
static void leave(unsigned hart, uint64_t address)
{
	uint32_t number = running[hart];
	struct thread *thread;
	struct linux_task task;

	if (number == THREAD_NONE)
		return;
	thread = &threads[number];
	if (!addresses[number])
		addresses[number] = address;
	if (addresses[number] != address)
		return;
	linux_read_task(address, &task);
	if (update(thread, &task))
		send_thread(MESSAGE_THREAD_IS, hart, number);
	thread->hart = LANE_NONE;
	if (!task.dead)
		return;
	send_thread(MESSAGE_THREAD_END, hart, number);
	if (!is_shared(thread->space, number))
		end_space(thread->space, linux_exit_status(address));
	addresses[number] = 0;
}

/* The hart goes on with a thread that is on no other hart. */
static void enter(unsigned hart, uint64_t address, const struct linux_task *task)
{
	uint32_t number = number_of(address);
	bool is_new = number == THREAD_NONE;
	struct thread *thread;

	if (is_new)
		number = give_number(address);
	running[hart] = number;
	if (number == THREAD_NONE) {
		atomic_fetch_add(&slot_arena()->header.lost, 1);
		send_route(hart, number);
		return;
	}
	thread = &threads[number];
	thread->hart = hart;
	if (is_new)
		thread->space = find_space(task);
	if (thread->begun) {
		send_route(hart, number);
		return;
	}
	thread->begun = true;
	update(thread, task);
	send_thread(MESSAGE_THREAD, hart, number);
	parts_switched(hart);
}

static void tell_switch(unsigned hart, uint64_t prev, const struct linux_task *next)
{
	struct linux_task task;
	uint64_t fields[] = { next->tid, hart, 0 };

	linux_read_task(prev, &task);
	fields[2] = task.state;
	link_event_locked(hart, WM_EVENT_SCHED_SWITCH, fields, 3, next->name);
}

static void on_switch(unsigned vcpu, void *unused)
{
	unsigned hart = turns_hart(vcpu);
	uint64_t prev, next;
	struct linux_task task;
	uint32_t number;

	(void)unused;
	link_lock();
	if (restart_is_new(hart))
		tasks_restart(hart);
	prev = memory_argument(0);
	next = memory_argument(1);
	number = number_of(next);
	/* Entered again after a fault, or not on this hart: see the invariant. */
	if (!next || (number != THREAD_NONE && threads[number].hart != LANE_NONE)) {
		link_unlock();
		return;
	}
	linux_read_task(next, &task);
	if (windows_open() && link_wants(WM_EVENT_SCHED_SWITCH))
		tell_switch(hart, prev, &task);
	leave(hart, prev);
	enter(hart, next, &task);
	link_unlock();
}

/* ---- processes ---------------------------------------------------------------------- */

/* The thread that the hart runs; NULL: not known. */
static struct thread *current(unsigned hart)
{
	return running[hart] == THREAD_NONE ? NULL : &threads[running[hart]];
}

uint8_t *tasks_told_mode(unsigned hart)
{
	struct thread *thread = hart < harts ? current(hart) : NULL;

	return thread ? &thread->told_mode : NULL;
}

uint32_t tasks_space(unsigned hart)
{
	struct thread *thread = hart < harts ? current(hart) : NULL;

	return thread ? thread->space : MACHINE;
}

struct returns **tasks_calls(unsigned hart)
{
	struct thread *thread = hart < harts ? current(hart) : NULL;

	return thread ? &thread->calls : NULL;
}

struct tasks_call *tasks_call(unsigned hart)
{
	struct thread *thread = layout ? current(hart) : NULL;

	return thread ? &thread->call : NULL;
}

/* A process that has what its parent maps. */
static uint32_t begin_copy(uint32_t parent, uint32_t pid)
{
	uint32_t space = begin_space(parent, pid, "");

	mappings_copy(space, parent);
	return space;
}

static uint32_t space_of_child(const struct thread *parent, const struct linux_task *task)
{
	if (task->kernel || !parent)
		return MACHINE;
	return task->pid == parent->pid ? parent->space :
					  begin_copy(parent->space, task->pid);
}

static void on_fork(unsigned vcpu, void *unused)
{
	unsigned hart = turns_hart(vcpu);
	const struct thread *parent;
	struct linux_task task;
	uint64_t address;
	uint32_t number;

	(void)unused;
	link_lock();
	address = memory_argument(0);
	linux_read_task(address, &task);
	number = number_of(address);
	if (number == THREAD_NONE)
		number = give_number(address);
	/* One that has the address of a thread whose end was not seen takes its place. */
	if (number != THREAD_NONE && threads[number].hart == LANE_NONE) {
		parent = current(hart);
		begin_anew(number,
			   (struct thread){ .hart = LANE_NONE,
					    .space = space_of_child(parent, &task),
					    .pid = task.pid });
		if (parent && task.pid != parent->pid)
			returns_fork(&threads[number].calls, parent->calls);
	}
	link_unlock();
}

static void send_move(unsigned hart, uint32_t space)
{
	struct message_move message = { .position = link_position(hart),
					.vcpu = hart,
					.space = space };

	link_send(MESSAGE_MOVE, &(struct message_part){ &message, sizeof(message) }, 1);
}

static void on_exec(unsigned vcpu, void *unused)
{
	unsigned hart = turns_hart(vcpu);
	static char path[LINUX_PATH_BYTES]; /* under the lock */
	struct thread *thread = current(hart);
	struct linux_task task;
	uint32_t left;

	(void)unused;
	link_lock();
	if (thread && addresses[running[hart]]) {
		left = thread->space;
		linux_read_task(addresses[running[hart]], &task);
		linux_read_program(memory_argument(0), path);
		thread->space = begin_space(left, task.pid, path);
		returns_leave(thread->calls);
		send_move(hart, thread->space);
		if (update(thread, &task))
			send_thread(MESSAGE_THREAD_IS, hart, running[hart]);
		if (!is_shared(left, running[hart]))
			end_space(left, -1);
	}
	link_unlock();
}

/* The plugin waits while the collector looks for what is wanted of a file. */
static void map(uint32_t space, const struct linux_mapping *mapping)
{
	struct message_module message = {
		.start = mapping->start,
		.end = mapping->end,
		.file_off = mapping->file_off,
		.dev = mapping->dev,
		.ino = mapping->ino,
		.ns = clock_ns(),
		.space = space,
		.file = mappings_number(mapping),
	};

	link_send(MESSAGE_MODULE,
		  (struct message_part[]){ { &message, sizeof(message) },
					   { mapping->path, strlen(mapping->path) } },
		  2);
	if (message.file)
		link_settle();
	mappings_add(space, mapping->start, mapping->end,
		     mapping->start - mapping->file_off, message.file);
}

static void on_mmap(unsigned vcpu, void *unused)
{
	unsigned hart = turns_hart(vcpu);
	static struct linux_mapping mapping; /* under the lock */
	const struct thread *thread = current(hart);

	(void)unused;
	link_lock();
	linux_read_mapping(memory_argument(0), &mapping);
	if (thread && thread->space && mapping.code)
		map(thread->space, &mapping);
	link_unlock();
}

/* ---- interrupts --------------------------------------------------------------------- */

static void on_irq(unsigned vcpu, void *unused)
{
	char name[LINUX_IRQ_BYTES];
	uint64_t irq;

	(void)unused;
	if (!windows_open() || !link_wants(WM_EVENT_IRQ))
		return;
	link_lock();
	irq = linux_read_irq(memory_argument(0), name);
	link_event_locked(turns_hart(vcpu), WM_EVENT_IRQ, &irq, 1, name);
	link_unlock();
}

/* ---- without Linux: page tables ----------------------------------------------------------- */

/*
 * The number of what the hart runs under a table, which has the table's address in the place
 * of a task_struct's, and stays on its hart.
 */
static uint32_t number_under(uint64_t root, unsigned hart)
{
	for (uint32_t i = harts; i < top; i++)
		if (addresses[i] == root && threads[i].hart == hart)
			return i;
	return THREAD_NONE;
}

/* The hart runs under a table for the first time; another one may have done so. */
static uint32_t begin_under(uint64_t root, unsigned hart)
{
	uint32_t other = number_of(root), number = give_number(root);
	struct thread *thread;
	char path[32];

	if (number == THREAD_NONE) {
		atomic_fetch_add(&slot_arena()->header.lost, 1);
		return number;
	}
	thread = &threads[number];
	begin_anew(number,
		   (struct thread){ .begun = true, .hart = hart, .tid = number + 1 });
	snprintf(path, sizeof(path), "table 0x%llx", (unsigned long long)root);
	thread->space = other != THREAD_NONE ? threads[other].space :
					       begin_space(MACHINE, spaces + 1, path);
	snprintf(thread->name, sizeof(thread->name), "hart %u", hart);
	return number;
}

void tasks_turn_to_table(unsigned hart, uint64_t root)
{
	uint32_t number = root ? number_under(root, hart) : hart;

	if (layout || hart >= harts || number == running[hart])
		return;
	if (number != THREAD_NONE) {
		running[hart] = number;
		send_route(hart, number);
		return;
	}
	number = running[hart] = begin_under(root, hart);
	if (number == THREAD_NONE)
		send_route(hart, number);
	else
		send_thread(MESSAGE_THREAD, hart, number);
	parts_switched(hart);
}

/* ---- the machine starts again --------------------------------------------------------- */

/* Numbers of threads that harts were in stay in use until these have restarted. */
void tasks_forget(void)
{
	for (uint32_t i = 0; layout && i < top; i++)
		addresses[i] = i >= harts && threads[i].hart != LANE_NONE ? GONE : 0;
}

static void restart_thread(unsigned hart)
{
	uint32_t number = running[hart];

	if (number == hart)
		return;
	if (number != THREAD_NONE) {
		threads[number].hart = LANE_NONE;
		addresses[number] = 0;
	}
	running[hart] = threads[hart].hart = hart;
	send_route(hart, hart);
}

void tasks_restart(unsigned hart)
{
	if (layout && hart < harts)
		restart_thread(hart);
	else
		tasks_turn_to_table(hart, 0);
}

/* Whether there are threads of a Linux that runs. */
static bool are_known(void)
{
	for (uint32_t i = 0; i < top; i++)
		if (addresses[i] > GONE)
			return true;
	return false;
}

/* Other harts are dealt with when they switch, as after a reset. */
static void on_kernel(unsigned vcpu, void *unused)
{
	(void)unused;
	link_lock();
	if (are_known())
		restart_kernel(turns_hart(vcpu));
	link_unlock();
}

/* ---- translating -------------------------------------------------------------------- */

static const struct {
	enum guest_knows what;
	qemu_plugin_vcpu_udata_cb_t entered;
} functions[GUEST_SYMBOLS] = {
	[GUEST_AT_SWITCH] = { GUEST_THREADS, on_switch },
	[GUEST_AT_FORK] = { GUEST_PROCESSES, on_fork },
	[GUEST_AT_EXEC] = { GUEST_PROCESSES, on_exec },
	[GUEST_AT_MMAP] = { GUEST_MAPPINGS, on_mmap },
	[GUEST_AT_MODULE] = { GUEST_MODULES, loaded_on_init },
	[GUEST_AT_IRQ] = { GUEST_IRQS, on_irq },
	[GUEST_AT_BPF] = { GUEST_BPF, loaded_on_bpf },
	[GUEST_AT_START] = { GUEST_STARTS, on_kernel },
};

void tasks_instrument(struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);

	if (!layout)
		return;
	for (unsigned i = 0; i < GUEST_SYMBOLS; i++)
		if (layout->at[i] == address && layout->knows & functions[i].what)
			qemu_plugin_register_vcpu_tb_exec_cb(tb, functions[i].entered,
							     QEMU_PLUGIN_CB_R_REGS, NULL);
}
