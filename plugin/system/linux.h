/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The structs of the machine's Linux kernel, read from its memory. All of Waymark's
 * knowledge of them is here and in format/guest_linux.def.
 */
#ifndef PLUGIN_SYSTEM_LINUX_H
#define PLUGIN_SYSTEM_LINUX_H

#include <stdbool.h>
#include <stdint.h>

#include "format/guest_linux.h"

#define LINUX_PATH_BYTES 4096
#define LINUX_NAME_BYTES 16
#define LINUX_MODULE_BYTES 64
#define LINUX_IRQ_BYTES 64
#define LINUX_FUNCTION_BYTES 512

/* A thread. */
struct linux_task {
	uint32_t tid, pid; /* as a user has them: of the thread, of its process */
	uint32_t state;	   /* why it does not run */
	bool dead;	   /* it never will again */
	bool kernel;	   /* it has no memory of its own */
	char name[LINUX_NAME_BYTES];
};

/* What a process may execute. */
struct linux_mapping {
	uint64_t start, end, file_off;
	uint64_t dev, ino; /* of its file; 0: it has none */
	bool code;
	char path[LINUX_PATH_BYTES]; /* "": it has none */
};

/* A module of the kernel that has been loaded. */
struct linux_module {
	char name[LINUX_MODULE_BYTES];
	uint64_t start, end;	 /* its code, but for what runs once */
	uint64_t symbols, texts; /* where its tables are */
	uint32_t n;
};

/* A function of it. */
struct linux_function {
	uint64_t start, bytes;
	char name[LINUX_FUNCTION_BYTES];
};

void linux_init(const struct guest_linux *layout);
/* At the task_struct, linux_binprm or vm_area_struct of these addresses. */
void linux_read_task(uint64_t address, struct linux_task *task);
/* As waitpid() gives it. */
int32_t linux_exit_status(uint64_t task);
void linux_read_program(uint64_t bprm, char path[LINUX_PATH_BYTES]);
void linux_read_mapping(uint64_t vma, struct linux_mapping *mapping);
/* At the struct module of this address, when it is being initialized. */
void linux_read_module(uint64_t address, struct linux_module *module);
/* At an irq_desc: its number, and the name of the first device that it is of. */
uint32_t linux_read_irq(uint64_t desc, char name[LINUX_IRQ_BYTES]);
/* Symbol `index` of n; false: it is no function of the module. */
bool linux_read_function(const struct linux_module *module, uint32_t index,
			 struct linux_function *function);
/* At the bpf_ksym of a BPF program's code; false: it makes no sense. */
bool linux_read_bpf(uint64_t address, struct linux_function *function);

#endif
