// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Everything is read at a moment when it does not change: the running thread is inside the
 * kernel and has entered the function that was given these structs (guest_linux.def). What
 * makes no sense all the same, in a kernel that the layout is not of, ends in empty names.
 *
 * A path is made from its end: the name of each dentry up to the root of the mount, then
 * where that is mounted, up to the mount that is its own parent. Example: libc.so.6 in lib
 * in the root of a file system that is mounted at usr of the first one:
 * /usr/lib/libc.so.6.
 */
#include "plugin/system/linux.h"

#include <string.h>

#include "plugin/system/memory.h"

enum {
	TASK_DEAD = 0x80,
	VM_EXEC = 4,
	PAGE_SHIFT = 12,
	NAMES_MAX = 128,       /* of a path: more are a circle */
	SYMBOLS_MAX = 1 << 18, /* of a module */
	BPF_BYTES_MAX = 1 << 24,
};

/* A symbol of a module, as in its ELF file. */
struct symbol {
	uint32_t name;
	uint8_t info, other;
	uint16_t section; /* 0: it is of the kernel, or of another module */
	uint64_t value, size;
};
enum { SYMBOL_TYPE = 0xf, SYMBOL_FUNCTION = 2 };

static const struct guest_linux *layout;

void linux_init(const struct guest_linux *guest)
{
	layout = guest;
}

static uint64_t word(uint64_t address, enum guest_member member)
{
	return memory_word(address + layout->off[member]);
}

static uint32_t half(uint64_t address, enum guest_member member)
{
	return memory_half(address + layout->off[member]);
}

void linux_read_task(uint64_t address, struct linux_task *task)
{
	task->tid = half(address, GUEST_TASK_PID);
	task->state = half(address, GUEST_TASK_STATE);
	task->dead = task->state & TASK_DEAD;
	memory_read(address + layout->off[GUEST_TASK_COMM], task->name,
		    sizeof(task->name));
	task->name[sizeof(task->name) - 1] = 0;
	task->pid = 0;
	task->kernel = true;
	if (!(layout->knows & GUEST_PROCESSES))
		return;
	task->pid = half(address, GUEST_TASK_TGID);
	task->kernel = !word(address, GUEST_TASK_MM);
}

int32_t linux_exit_status(uint64_t task)
{
	return (int32_t)half(task, GUEST_TASK_EXIT_CODE);
}

/* ---- paths -------------------------------------------------------------------------- */

/* Puts "/name" before text[at]; where that begins. It stays as it is without room. */
static size_t put_name(char *text, size_t at, uint64_t dentry)
{
	char name[256];
	size_t n;

	memory_string(word(dentry + layout->off[GUEST_DENTRY_NAME], GUEST_NAME_TEXT),
		      name, sizeof(name));
	n = strlen(name);
	if (!n || at < n + 1)
		return at;
	memcpy(text + at - n, name, n);
	text[at - n - 1] = '/';
	return at - n - 1;
}

/* `path` is the address of a struct path. */
static void read_path(uint64_t path, char text[LINUX_PATH_BYTES])
{
	uint64_t dentry = word(path, GUEST_PATH_DENTRY);
	uint64_t mount = word(path, GUEST_PATH_MNT) - layout->off[GUEST_MOUNT_MNT];
	size_t at = LINUX_PATH_BYTES - 1;

	text[at] = 0;
	for (unsigned i = 0; i < NAMES_MAX && dentry; i++) {
		uint64_t parent = word(dentry, GUEST_DENTRY_PARENT);

		if (parent != dentry) {
			at = put_name(text, at, dentry);
			dentry = parent;
			continue;
		}
		/* A root: of the first mount, or of one that is somewhere. */
		parent = word(mount, GUEST_MOUNT_PARENT);
		if (parent == mount)
			break;
		dentry = word(mount, GUEST_MOUNT_POINT);
		mount = parent;
	}
	memmove(text, text + at, LINUX_PATH_BYTES - at);
}

/* What a shell of busybox calls all its commands, and what fexecve() calls any program. */
static bool is_no_name(const char *path)
{
	static const char *const folders[] = { "/proc/", "/dev/fd/" };

	for (unsigned i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return true;
	return !*path;
}

/* As it was called: /bin/ls tells more than /bin/busybox, where a link leads to that. */
void linux_read_program(uint64_t bprm, char path[LINUX_PATH_BYTES])
{
	memory_string(word(bprm, GUEST_BPRM_FILENAME), path, LINUX_PATH_BYTES);
	if (is_no_name(path))
		read_path(word(bprm, GUEST_BPRM_FILE) + layout->off[GUEST_FILE_PATH],
			  path);
}

/*
 * Of no file is what a program makes at run time, and what the kernel has for all: that is
 * special, and its private data begin with a name in brackets, such as [vdso].
 */
static void read_special(uint64_t vma, char name[LINUX_PATH_BYTES])
{
	uint64_t special = word(vma, GUEST_VMA_PRIVATE);

	*name = 0;
	if (special)
		memory_string(word(special, GUEST_SPECIAL_NAME), name, LINUX_NAME_BYTES);
	if (*name != '[')
		*name = 0;
}

void linux_read_mapping(uint64_t vma, struct linux_mapping *mapping)
{
	uint64_t file = word(vma, GUEST_VMA_FILE), inode;

	*mapping = (struct linux_mapping){
		.start = word(vma, GUEST_VMA_START),
		.end = word(vma, GUEST_VMA_END),
		.code = word(vma, GUEST_VMA_FLAGS) & VM_EXEC,
	};
	if (mapping->code && !file)
		read_special(vma, mapping->path);
	if (!mapping->code || !file)
		return;
	inode = word(file, GUEST_FILE_INODE);
	mapping->file_off = word(vma, GUEST_VMA_PGOFF) << PAGE_SHIFT;
	mapping->ino = word(inode, GUEST_INODE_INO);
	mapping->dev = half(word(inode, GUEST_INODE_SB), GUEST_SB_DEV);
	read_path(file + layout->off[GUEST_FILE_PATH], mapping->path);
}

uint32_t linux_read_irq(uint64_t desc, char name[LINUX_IRQ_BYTES])
{
	uint64_t action = word(desc, GUEST_DESC_ACTION);

	*name = 0;
	if (action)
		memory_string(word(action, GUEST_ACTION_NAME), name, LINUX_IRQ_BYTES);
	return half(desc + layout->off[GUEST_DESC_DATA], GUEST_DATA_IRQ);
}

/* ---- modules ------------------------------------------------------------------------ */

/*
 * The first part of a module's memory has its code. What runs once is in another one, and
 * known by its functions only.
 */
void linux_read_module(uint64_t address, struct linux_module *module)
{
	uint64_t code = address + layout->off[GUEST_MODULE_CODE];
	uint64_t symbols = word(address, GUEST_MODULE_SYMBOLS);

	memory_string(address + layout->off[GUEST_MODULE_NAME], module->name,
		      sizeof(module->name));
	module->start = word(code, GUEST_CODE_START);
	module->end = module->start + half(code, GUEST_CODE_BYTES);
	module->symbols = word(symbols, GUEST_SYMBOLS_TABLE);
	module->texts = word(symbols, GUEST_SYMBOLS_TEXTS);
	module->n = half(symbols, GUEST_SYMBOLS_COUNT);
	if (module->n > SYMBOLS_MAX)
		module->n = 0;
}

bool linux_read_function(const struct linux_module *module, uint32_t index,
			 struct linux_function *function)
{
	struct symbol symbol;

	if (!memory_read(module->symbols + index * sizeof(symbol), &symbol,
			 sizeof(symbol)) ||
	    !symbol.section || (symbol.info & SYMBOL_TYPE) != SYMBOL_FUNCTION)
		return false;
	function->start = symbol.value;
	function->bytes = symbol.size;
	memory_string(module->texts + symbol.name, function->name,
		      sizeof(function->name));
	return *function->name;
}

bool linux_read_bpf(uint64_t address, struct linux_function *function)
{
	function->start = word(address, GUEST_KSYM_START);
	function->bytes = word(address, GUEST_KSYM_END) - function->start;
	memory_string(address + layout->off[GUEST_KSYM_NAME], function->name,
		      sizeof(function->name));
	return *function->name && function->bytes < BPF_BYTES_MAX;
}
