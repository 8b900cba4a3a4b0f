// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel as one that is taught with: a table of trap vectors, a timer, two tasks in user mode
 * with page tables of their own, three system calls. It runs on QEMU's riscv64 machine "virt"
 * without firmware, and ends the machine when both tasks have ended.
 *
 * Memory: the kernel is where it is linked, in every table, for supervisors only; the tasks' code is
 * linked at USER, and each has a stack of its own at one address. Built by teach.sh.
 */
#include <stdint.h>

#define UART ((volatile uint8_t *)0x10000000)
#define FINISHER ((volatile uint32_t *)0x100000)
#define USER UINT64_C(0x40000000)
#define STACK (USER + 0x10000) /* one page */

enum {
	PAGE = 4096,
	TASKS = 2,
	CALL_PUT = 1,
	CALL_YIELD = 2,
	CALL_EXIT = 3,
	TURN = 20000, /* of the timer: 2 ms */
};
enum { V = 1, R = 2, W = 4, X = 8, U = 16, A = 64, D = 128 };

#define READ(csr)                                     \
	({                                            \
		uint64_t value_;                      \
		__asm__ volatile("csrr %0, " #csr : "=r"(value_)); \
		value_;                               \
	})
#define WRITE(csr, value) __asm__ volatile("csrw " #csr ", %0" ::"r"((uint64_t)(value)))

/* The registers of a task that does not run; entry.S has the same order. */
struct frame {
	uint64_t x[32], pc;
};

static struct task {
	uint64_t table[512], middle[512], low[512]; /* a page each */
	uint8_t stack[PAGE];
	struct frame frame;
	int ended;
} __attribute__((aligned(PAGE))) tasks[TASKS];
static unsigned now; /* the task that runs */

extern uint8_t user_begin[], user_load[], user_end[];

/* ---- tasks, in user mode --------------------------------------------------------------- */

#define USER_CODE __attribute__((section(".user"), noinline))

USER_CODE static uint64_t call(uint64_t number, uint64_t argument)
{
	register uint64_t a0 __asm__("a0") = argument;
	register uint64_t a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
	return a0;
}

USER_CODE static uint64_t task_work(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += i * i ^ sum >> 3;
	return sum;
}

/* The illegal instruction is one that the kernel passes over. */
USER_CODE void task_main(uint64_t number)
{
	volatile uint64_t sum = 0;

	for (unsigned round = 0; round < 20; round++) {
		sum += task_work(20000 + 1000 * number + round);
		call(CALL_PUT, 'a' + number);
		if (round % 4 == number)
			call(CALL_YIELD, 0);
		if (round == 7)
			__asm__ volatile(".4byte 0");
	}
	call(CALL_EXIT, sum);
	for (;;)
		;
}

/* ---- the kernel ------------------------------------------------------------------------- */

static uint64_t entry(const void *address, unsigned flags)
{
	return (uint64_t)address >> 12 << 10 | flags | V;
}

static void map(struct task *task, uint64_t at, const void *page, unsigned flags)
{
	task->low[at / PAGE % 512] = entry(page, flags | U | A | D);
}

static void make(unsigned i)
{
	struct task *task = &tasks[i];

	/* Devices and the kernel are where they are. */
	task->table[0] = entry((void *)0, R | W | A | D);
	task->table[2] = entry((void *)0x80000000, R | W | X | A | D);
	task->table[1] = entry(task->middle, 0);
	task->middle[0] = entry(task->low, 0);
	for (uint64_t at = 0; at < (uint64_t)(user_end - user_begin); at += PAGE)
		map(task, USER + at, user_load + at, R | X);
	map(task, STACK, task->stack, R | W);
	task->frame.pc = (uint64_t)task_main;
	task->frame.x[2] = STACK + PAGE;
	task->frame.x[10] = i;
}

static void finish(void)
{
	*FINISHER = 0x5555;
	for (;;)
		;
}

static void next_turn(void)
{
	WRITE(0x14d, READ(time) + TURN); /* stimecmp */
}

static struct frame *turn_to(unsigned next)
{
	now = next;
	WRITE(satp, UINT64_C(8) << 60 | (uint64_t)tasks[now].table >> 12);
	__asm__ volatile("sfence.vma");
	return &tasks[now].frame;
}

static struct frame *schedule(void)
{
	for (unsigned i = 1; i <= TASKS; i++)
		if (!tasks[(now + i) % TASKS].ended)
			return turn_to((now + i) % TASKS);
	finish();
	return 0;
}

static struct frame *on_call(struct frame *frame)
{
	frame->pc += 4;
	if (frame->x[17] == CALL_PUT)
		*UART = (uint8_t)frame->x[10];
	if (frame->x[17] == CALL_EXIT)
		tasks[now].ended = 1;
	return frame->x[17] == CALL_PUT ? frame : schedule();
}

/* Where the vectors lead: the next task's registers. */
struct frame *on_exception(struct frame *frame)
{
	if (READ(scause) == 8)
		return on_call(frame);
	if (READ(scause) != 2)
		finish();
	frame->pc += 4;
	return frame;
}

struct frame *on_timer(struct frame *frame)
{
	(void)frame;
	next_turn();
	return schedule();
}

struct frame *kernel_main(void)
{
	for (unsigned i = 0; i < TASKS; i++)
		make(i);
	WRITE(sie, 1 << 5);
	next_turn();
	return turn_to(0);
}
