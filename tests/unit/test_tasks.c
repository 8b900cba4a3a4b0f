// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/system/tasks: what a kernel does, as messages; a made-up kernel in made-up memory. */
#include "plugin/system/tasks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/system/system.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"
#include "waymark.h"

#define CODE 0x80000000u
#define MEMORY 0xc0000000u
#define SWITCH (CODE + 0x1000)
#define FORK (CODE + 0x2000)
#define EXEC (CODE + 0x3000)
#define MMAP (CODE + 0x4000)
#define MODULE (CODE + 0x5000)
#define IRQ (CODE + 0x6000)
#define START (CODE + 0x7000)
#define BPF (CODE + 0x8000)

enum { STATE_WORDS = 1024, PC = 600, FIRST_BLOCKS = 8, DEAD = 0x80, EXECUTABLE = 4 };

/* The kernel's structs; all pointers are addresses of the machine. */
struct dentry {
	uint64_t parent, name;
};
struct mount {
	uint64_t mnt, parent, point;
};
struct file {
	uint64_t mnt, dentry, inode;
};
static struct kernel {
	struct task {
		uint32_t pid, tgid, state, exit_code;
		uint64_t mm;
		char comm[16];
	} tasks[5];
	struct dentry root, bin, program, on, library; /* `on` is the root of a mount */
	struct mount first, second;
	struct file program_file, library_file;
	struct inode {
		uint64_t ino, sb;
	} inode;
	uint32_t dev;
	char names[3][16], called[16];
	struct bprm {
		uint64_t file, filename;
	} bprm;
	struct vma {
		uint64_t start, end, flags, pgoff, file;
	} vma;
	struct module {
		char name[16];
		uint64_t code, bytes;
		uint64_t tables;
	} module;
	struct tables {
		uint64_t symbols, n, texts;
	} tables;
	struct symbol {
		uint32_t name;
		uint8_t info, other;
		uint16_t section;
		uint64_t value, size;
	} symbols[4];
	char texts[64];
	struct desc {
		uint32_t mask, irq;
		uint64_t action;
	} desc;
	struct action {
		uint64_t name;
	} action;
	struct ksym {
		uint64_t start, end;
		char name[32];
	} ksym;
} kernel;

static uint64_t cpu[STATE_WORDS], arguments[2][2];

#define AT(member) (MEMORY + offsetof(struct kernel, member))

static void make_files(void)
{
	strcpy(kernel.names[0], "bin");
	strcpy(kernel.names[1], "sh");
	strcpy(kernel.names[2], "libc.so");
	kernel.root = (struct dentry){ AT(root), 0 };
	kernel.bin = (struct dentry){ AT(root), AT(names[0]) };
	kernel.program = (struct dentry){ AT(bin), AT(names[1]) };
	kernel.on = (struct dentry){ AT(on), 0 };
	kernel.library = (struct dentry){ AT(on), AT(names[2]) };
	kernel.first = (struct mount){ 0, AT(first), 0 };
	kernel.second = (struct mount){ 0, AT(first), AT(bin) };
	kernel.program_file = (struct file){ AT(first.mnt), AT(program), AT(inode) };
	kernel.library_file = (struct file){ AT(second.mnt), AT(library), AT(inode) };
	kernel.inode = (struct inode){ 77, AT(dev) };
	kernel.dev = 5;
	kernel.bprm = (struct bprm){ AT(program_file), AT(called) };
	strcpy(kernel.called, "./x");
	kernel.vma = (struct vma){ 0x10000, 0x12000, EXECUTABLE, 3, AT(library_file) };
}

/* Symbol 0 is of nothing; the others are a function, data, and one that is elsewhere. */
static void make_module(void)
{
	static const char texts[] = "\0dummy_xmit\0data\0printk";

	kernel.module = (struct module){ "dummy", 0xff0000, 0x100, AT(tables) };
	kernel.tables = (struct tables){ AT(symbols), 4, AT(texts) };
	kernel.symbols[1] = (struct symbol){ 1, 0x12, 0, 3, 0xff0010, 32 };
	kernel.symbols[2] = (struct symbol){ 12, 0x11, 0, 4, 0xff2000, 8 };
	kernel.symbols[3] = (struct symbol){ 17, 0x12, 0, 0, 0x80000000, 0 };
	memcpy(kernel.texts, texts, sizeof(texts));
}

static void make_tasks(void)
{
	static const char *const names[] = { "swapper/0", "kthreadd", "init", "sh",
					     "job" };

	for (uint32_t i = 0; i < 5; i++) {
		struct task *task = &kernel.tasks[i];

		*task = (struct task){ .pid = i, .tgid = i, .mm = i >= 2 };
		snprintf(task->comm, sizeof(task->comm), "%s", names[i]);
	}
}

static const struct guest_linux layout = {
	.knows = GUEST_THREADS | GUEST_PROCESSES | GUEST_MAPPINGS | GUEST_MODULES,
	.at = { [GUEST_AT_SWITCH] = SWITCH,
		[GUEST_AT_FORK] = FORK,
		[GUEST_AT_EXEC] = EXEC,
		[GUEST_AT_MMAP] = MMAP,
		[GUEST_AT_MODULE] = MODULE,
		[GUEST_AT_IRQ] = IRQ,
		[GUEST_AT_START] = START,
		[GUEST_AT_BPF] = BPF },
	.off = {
		[GUEST_TASK_PID] = offsetof(struct task, pid),
		[GUEST_TASK_COMM] = offsetof(struct task, comm),
		[GUEST_TASK_STATE] = offsetof(struct task, state),
		[GUEST_TASK_TGID] = offsetof(struct task, tgid),
		[GUEST_TASK_MM] = offsetof(struct task, mm),
		[GUEST_TASK_EXIT_CODE] = offsetof(struct task, exit_code),
		[GUEST_BPRM_FILE] = offsetof(struct bprm, file),
		[GUEST_BPRM_FILENAME] = offsetof(struct bprm, filename),
		[GUEST_FILE_PATH] = 0,
		[GUEST_PATH_MNT] = offsetof(struct file, mnt),
		[GUEST_PATH_DENTRY] = offsetof(struct file, dentry),
		[GUEST_DENTRY_PARENT] = offsetof(struct dentry, parent),
		[GUEST_DENTRY_NAME] = offsetof(struct dentry, name),
		[GUEST_NAME_TEXT] = 0,
		[GUEST_MOUNT_MNT] = offsetof(struct mount, mnt),
		[GUEST_MOUNT_PARENT] = offsetof(struct mount, parent),
		[GUEST_MOUNT_POINT] = offsetof(struct mount, point),
		[GUEST_VMA_START] = offsetof(struct vma, start),
		[GUEST_VMA_END] = offsetof(struct vma, end),
		[GUEST_VMA_FLAGS] = offsetof(struct vma, flags),
		[GUEST_VMA_PGOFF] = offsetof(struct vma, pgoff),
		[GUEST_VMA_FILE] = offsetof(struct vma, file),
		[GUEST_FILE_INODE] = offsetof(struct file, inode),
		[GUEST_INODE_INO] = offsetof(struct inode, ino),
		[GUEST_INODE_SB] = offsetof(struct inode, sb),
		[GUEST_SB_DEV] = 0,
		[GUEST_MODULE_NAME] = offsetof(struct module, name),
		[GUEST_MODULE_CODE] = offsetof(struct module, code),
		[GUEST_CODE_START] = 0,
		[GUEST_CODE_BYTES] = sizeof(uint64_t),
		[GUEST_MODULE_SYMBOLS] = offsetof(struct module, tables),
		[GUEST_DESC_DATA] = offsetof(struct desc, mask),
		[GUEST_DATA_IRQ] = sizeof(uint32_t),
		[GUEST_DESC_ACTION] = offsetof(struct desc, action),
		[GUEST_ACTION_NAME] = 0,
		[GUEST_SYMBOLS_TABLE] = offsetof(struct tables, symbols),
		[GUEST_SYMBOLS_COUNT] = offsetof(struct tables, n),
		[GUEST_SYMBOLS_TEXTS] = offsetof(struct tables, texts),
		[GUEST_KSYM_START] = offsetof(struct ksym, start),
		[GUEST_KSYM_END] = offsetof(struct ksym, end),
		[GUEST_KSYM_NAME] = offsetof(struct ksym, name),
	},
};

static void enter(uint64_t address)
{
	cpu[PC] = address;
	fake_run(0, address);
}

/* Hart 0 has run eight blocks: its idle thread is on it. */
static void start(uint32_t knows)
{
	static const char *const names[] = { "a0", "a1", NULL };
	struct board *board = recording_open();
	qemu_info_t info = { .target_name = "riscv64", .system.max_vcpus = 1 };

	board->kernel = layout;
	board->kernel.knows = knows;
	make_tasks();
	make_files();
	make_module();
	fake_memory(MEMORY, &kernel, sizeof(kernel));
	fake_set_registers(names, arguments);
	assert_null(system_refuses(&info));
	recording_start_with("riscv64", &system_emulation);
	for (size_t i = 1; i < STATE_WORDS; i++)
		cpu[i] = CODE;
	fake_set_state(cpu);
	for (unsigned i = 0; i < FIRST_BLOCKS; i++) {
		fake_block(CODE + 16 * i, "4", NULL);
		enter(CODE + 16 * i);
	}
	for (unsigned i = 1; i <= 8; i++)
		fake_block(CODE + 0x1000 * i, "4", NULL);
}

/* The hart enters a function. */
static void call(uint64_t function, uint64_t first, uint64_t second)
{
	arguments[0][0] = first;
	arguments[1][0] = second;
	enter(function);
}

static void switches(unsigned from, unsigned to)
{
	call(SWITCH, AT(tasks[from]), AT(tasks[to]));
}

/* ---- what was sent ---------------------------------------------------------------------- */

static char text[4096];

static void say_thread(const char *what, const void *payload, size_t bytes)
{
	const struct message_thread *message = payload;

	sprintf(text + strlen(text), "%s%u:%u in %u \"%.*s\" at %u; ", what,
		message->thread, message->tid, message->space,
		(int)(bytes - sizeof(*message)), (const char *)(message + 1),
		(unsigned)message->position);
}

static void say_space(const void *payload, size_t bytes)
{
	const struct message_space *message = payload;

	sprintf(text + strlen(text), "space %u of %u, pid %u \"%.*s\"; ", message->number,
		message->parent, message->pid, (int)(bytes - sizeof(*message)),
		(const char *)(message + 1));
}

static void say_module(const void *payload, size_t bytes)
{
	const struct message_module *message = payload;

	sprintf(text + strlen(text), "map %x-%x off %x of %x:%u in %u \"%.*s\"; ",
		(unsigned)message->start, (unsigned)message->end,
		(unsigned)message->file_off, (unsigned)message->dev,
		(unsigned)message->ino, message->space, (int)(bytes - sizeof(*message)),
		(const char *)(message + 1));
}

static void say_loaded(const void *payload, size_t bytes)
{
	const struct message_loaded *message = payload;
	const char *at = (const char *)(message + 1),
		   *end = (const char *)payload + bytes;
	uint64_t words[2];

	for (; at < end; at += sizeof(words) + strlen(at + sizeof(words)) + 1) {
		memcpy(words, at, sizeof(words));
		sprintf(text + strlen(text), "%s %x %x, ", at + sizeof(words),
			(unsigned)words[0], (unsigned)words[1]);
	}
	strcat(text, message->more ? "more; " : "loaded; ");
}

static void say(enum message_type type, const void *payload, size_t bytes)
{
	const struct message_route *route = payload;
	const struct message_move *move = payload;
	const struct message_space_end *end = payload;

	if (type == MESSAGE_THREAD)
		say_thread("+", payload, bytes);
	else if (type == MESSAGE_THREAD_IS)
		say_thread("=", payload, bytes);
	else if (type == MESSAGE_THREAD_END)
		say_thread("-", payload, bytes);
	else if (type == MESSAGE_ROUTE)
		sprintf(text + strlen(text), "to %d at %u; ", (int)route->thread,
			(unsigned)route->position);
	else if (type == MESSAGE_SPACE)
		say_space(payload, bytes);
	else if (type == MESSAGE_SPACE_END)
		sprintf(text + strlen(text), "end %u: %d; ", end->number, end->status);
	else if (type == MESSAGE_MOVE)
		sprintf(text + strlen(text), "into %u at %u; ", move->space,
			(unsigned)move->position);
	else if (type == MESSAGE_MODULE)
		say_module(payload, bytes);
	else if (type == MESSAGE_LOADED)
		say_loaded(payload, bytes);
}

/* All messages about threads and spaces since the last call. */
static const char *sent(void)
{
	static uint64_t at;
	const struct arena *arena = recording_arena();

	*text = 0;
	while (at < atomic_load(&arena->header.message_head)) {
		const struct message_header *header =
			(const void *)(arena->messages + at);

		say(header->type, header + 1, header->bytes);
		at += message_space(header->bytes);
	}
	return text;
}

/* ---- tests ------------------------------------------------------------------------------ */

/* Threads begin when a hart turns to them, and end when it leaves them dead. */
static void threads(void)
{
	start(GUEST_THREADS);
	assert_string_equal(sent(), "+0:1 in 0 \"hart 0\" at 0; ");
	switches(0, 1);
	assert_string_equal(sent(), "=0:0 in 0 \"swapper/0\" at 8; "
				    "+1:1 in 0 \"kthreadd\" at 8; ");
	switches(1, 0);
	assert_string_equal(sent(), "to 0 at 9; ");
	/* The hart takes a fault, and enters the function again. */
	switches(1, 0);
	assert_string_equal(sent(), "");
	strcpy(kernel.tasks[0].comm, "idle");
	switches(0, 1);
	assert_string_equal(sent(), "=0:0 in 0 \"idle\" at 11; to 1 at 11; ");
	kernel.tasks[1].state = DEAD;
	switches(1, 2);
	assert_string_equal(sent(), "-1:1 in 0 \"kthreadd\" at 12; "
				    "+1:2 in 0 \"init\" at 12; ");
	assert_string_equal(strrchr(recording_events(WM_EVENT_SCHED_SWITCH), ' '),
			    " 12:2,0,128");
	/* Processes are not known. */
	call(FORK, AT(tasks[3]), 0);
	call(EXEC, AT(bprm), 0);
	call(MMAP, AT(vma), 0);
	assert_string_equal(sent(), "");
}

/* A process: made, run, another program, a thread, its end. */
static void processes(void)
{
	start(GUEST_THREADS | GUEST_PROCESSES | GUEST_MAPPINGS);
	call(FORK, AT(tasks[1]), 0);
	sent();
	call(FORK, AT(tasks[2]), 0); /* by the machine: it was in no process */
	assert_string_equal(sent(), "space 1 of 0, pid 2 \"\"; ");
	switches(0, 2);
	assert_string_equal(sent(), "=0:0 in 0 \"swapper/0\" at 10; "
				    "+2:2 in 1 \"init\" at 10; ");
	call(FORK, AT(tasks[3]), 0);
	assert_string_equal(sent(), "space 2 of 1, pid 3 \"\"; ");
	switches(2, 3);
	strcpy(kernel.tasks[3].comm, "ls");
	sent();
	call(EXEC, AT(bprm), 0);
	assert_string_equal(sent(), "space 3 of 2, pid 3 \"./x\"; into 3 at 13; "
				    "=3:3 in 3 \"ls\" at 13; end 2: -1; ");
	kernel.tasks[4].tgid = 3; /* a thread */
	call(FORK, AT(tasks[4]), 0);
	switches(3, 4);
	kernel.tasks[4].state = DEAD;
	switches(4, 3);
	assert_string_equal(sent(), "+4:4 in 3 \"job\" at 15; "
				    "-4:4 in 3 \"job\" at 16; to 3 at 16; ");
	kernel.tasks[3].state = DEAD;
	kernel.tasks[3].exit_code = 0x300;
	switches(3, 0);
	assert_string_equal(sent(), "-3:3 in 3 \"ls\" at 17; end 3: 768; to 0 at 17; ");
}

static void mappings(void)
{
	start(GUEST_THREADS | GUEST_PROCESSES | GUEST_MAPPINGS);
	call(MMAP, AT(vma), 0); /* by the machine */
	call(FORK, AT(tasks[2]), 0);
	switches(0, 2);
	sent();
	call(MMAP, AT(vma), 0);
	assert_string_equal(sent(),
			    "map 10000-12000 off 3000 of 5:77 in 1 \"/bin/libc.so\"; ");
	kernel.vma.file = 0;
	call(MMAP, AT(vma), 0);
	assert_string_equal(sent(), "map 10000-12000 off 0 of 0:0 in 1 \"\"; ");
	kernel.vma.flags = 0;
	call(MMAP, AT(vma), 0);
	assert_string_equal(sent(), "");
	/* A kernel that does not tell how the program was called: its file. */
	*kernel.called = 0;
	call(EXEC, AT(bprm), 0);
	assert_non_null(strstr(sent(), "pid 2 \"/bin/sh\""));
	/* And where it was called by a name that says nothing. */
	strcpy(kernel.called, "/proc/self/exe");
	call(EXEC, AT(bprm), 0);
	assert_non_null(strstr(sent(), "pid 2 \"/bin/sh\""));
	strcpy(kernel.called, "/dev/fd/3");
	call(EXEC, AT(bprm), 0);
	assert_non_null(strstr(sent(), "pid 2 \"/bin/sh\""));
	/* Names that lead in a circle end. */
	kernel.vma = (struct vma){ 0x10000, 0x12000, EXECUTABLE, 0, AT(library_file) };
	kernel.bin.parent = AT(program);
	call(MMAP, AT(vma), 0);
	assert_non_null(strstr(sent(), "/bin/sh/bin/libc.so\""));
}

/* A thread that was not seen to be made, and one that would be on two harts. */
static void unseen(void)
{
	start(GUEST_THREADS | GUEST_PROCESSES);
	switches(0, 2);
	sent();
	kernel.tasks[3].tgid = 2;
	switches(2, 3);
	assert_string_equal(sent(), "+2:3 in 1 \"sh\" at 9; ");
	switches(0, 3);
	assert_string_equal(sent(), "");
	/* The machine was reset: another one than it was left, and its idle thread. */
	switches(4, 0);
	assert_string_equal(sent(), "to 0 at 11; ");
}

/* A kernel that another one starts (kexec) begins as the hart's idle thread, with threads anew. */
static void kernels(void)
{
	start(GUEST_THREADS | GUEST_PROCESSES | GUEST_STARTS);
	sent();
	call(START, 0, 0);
	assert_string_equal(sent(), "");
	switches(0, 2);
	sent();
	call(START, 0, 0);
	assert_string_equal(sent(), "to 0 at 10; ");
	switches(0, 2);
	assert_string_equal(sent(), "space 2 of 0, pid 2 \"init\"; "
				    "+1:2 in 2 \"init\" at 11; ");
}

/* Its functions are named; what is not a table is not read. */
static void modules(void)
{
	start(GUEST_THREADS | GUEST_MODULES);
	sent();
	call(MODULE, AT(module), 0);
	assert_string_equal(sent(),
			    "dummy ff0000 ff0100, dummy_xmit ff0010 20, loaded; ");
	kernel.tables.n = UINT32_MAX;
	call(MODULE, AT(module), 0);
	assert_string_equal(sent(), "dummy ff0000 ff0100, loaded; ");
	/* Another function than any that is known. */
	kernel.tables.n = 4;
	call(EXEC, AT(module), 0);
	assert_string_equal(sent(), "");
}

/* Code of a BPF program, and what is none. */
static void bpf(void)
{
	start(GUEST_THREADS | GUEST_BPF);
	sent();
	kernel.ksym = (struct ksym){ 0xff3000, 0xff3040, "bpf_prog_1234_work" };
	call(BPF, AT(ksym), 0);
	assert_string_equal(sent(),
			    "bpf ff3000 ff3040, bpf_prog_1234_work ff3000 40, loaded; ");
	kernel.ksym.end = 0;
	call(BPF, AT(ksym), 0);
	kernel.ksym = (struct ksym){ 0xff3000, 0xff3040, "" };
	call(BPF, AT(ksym), 0);
	assert_string_equal(sent(), "");
}

/* An interrupt of a device, and one that nobody has asked for. */
static void interrupts(void)
{
	start(GUEST_THREADS | GUEST_IRQS);
	kernel.desc = (struct desc){ .irq = 12, .action = AT(action) };
	kernel.action.name = AT(names[0]);
	call(IRQ, AT(desc), 0);
	kernel.desc = (struct desc){ .irq = 13 };
	call(IRQ, AT(desc), 0);
	assert_string_equal(recording_events(WM_EVENT_IRQ), "8:12 9:13");
}

/* Without a layout what runs under a page table is a thread, and the table a space. */
static void tables(void)
{
	static const uint32_t csrw_a0 = 0x18051073, csrw_zero = 0x18001073;

	start(0);
	fake_block(SWITCH, "4", &csrw_a0);
	fake_block(FORK, "4", &csrw_zero);
	sent();
	call(SWITCH, 0x8000000000081234, 0);
	assert_string_equal(sent(), "space 1 of 0, pid 1 \"table 0x81234000\"; "
				    "+1:2 in 1 \"hart 0\" at 9; ");
	call(SWITCH, 0x8001000000081234, 0); /* another identifier of the same table */
	assert_string_equal(sent(), "");
	call(SWITCH, 0x8000000000080000, 0);
	assert_string_equal(sent(), "space 2 of 0, pid 2 \"table 0x80000000\"; "
				    "+2:3 in 2 \"hart 0\" at 11; ");
	call(FORK, 0, 0);
	assert_string_equal(sent(), "to 0 at 12; ");
	call(SWITCH, 0x8000000000081234, 0);
	assert_string_equal(sent(), "to 1 at 13; ");
	assert_null(tasks_call(0));
}

/* Where threads are known, tables say nothing. */
static void threads_not_tables(void)
{
	static const uint32_t csrw_a0 = 0x18051073;

	start(GUEST_THREADS);
	fake_block(FORK, "4", &csrw_a0);
	sent();
	call(FORK, 0x8000000000081234, 0);
	assert_string_equal(sent(), "");
}

APART(threads)
APART(processes)
APART(mappings)
APART(unseen)
APART(kernels)
APART(modules)
APART(bpf)
APART(interrupts)
APART(tables)
APART(threads_not_tables)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_threads),	 cmocka_unit_test(test_processes),
	cmocka_unit_test(test_mappings), cmocka_unit_test(test_unseen),
	cmocka_unit_test(test_kernels),	 cmocka_unit_test(test_bpf),
	cmocka_unit_test(test_modules),	 cmocka_unit_test(test_interrupts),
	cmocka_unit_test(test_tables),	 cmocka_unit_test(test_threads_not_tables),
};

int main(void)
{
	return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
