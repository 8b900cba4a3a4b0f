// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * With --system the words after the options are a command line of a full-system QEMU,
 * which is started as it is, with the plugin. Of the code in the machine only the files
 * that --kernel names are known.
 *
 * Options for which there is no recording of a machine are refused before it starts:
 * values, windows and filters are tied to a process's memory, files and system calls.
 *
 * Example: record --system --kernel fw.elf -- qemu-system-riscv64 -M virt -bios fw.elf
 */
#include "cli/record/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"
#include "collect/layout.h"
#include "program/elf/file.h"
#include "program/kernel/image.h"

enum { OPTION_SYSTEM = 256, OPTION_KERNEL };

static const struct argp_option options[] = {
	{ "system", OPTION_SYSTEM, NULL, 0,
	  "Record a whole machine: PROGRAM is qemu-system-riscv64, with its options", 0 },
	{ "kernel", OPTION_KERNEL, "FILE", 0,
	  "With --system: a file with the names of its code: ELF (a vmlinux, a bare-metal "
	  "program), a Linux Image, or a System.map",
	  0 },
	{ 0 },
};

/* Paths in a trace are absolute, because it may be read from anywhere. */
static void take_kernel(struct record_machine *machine, const char *arg,
			struct argp_state *state)
{
	char *path = realpath(arg, NULL);

	if (!path)
		argp_failure(state, 2, errno, "--kernel %s", arg);
	if (!path || !APPEND(machine->kernels, machine->n_kernels, path))
		argp_failure(state, 2, 0, "out of memory");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_machine *machine = state->input;

	switch (key) {
	case OPTION_SYSTEM:
		machine->on = true;
		return 0;
	case OPTION_KERNEL:
		take_kernel(machine, arg, state);
		return 0;
	case ARGP_KEY_END:
		/* The list ends with NULL, which does not count. */
		if (!APPEND(machine->kernels, machine->n_kernels, NULL))
			argp_failure(state, 2, 0, "out of memory");
		machine->n_kernels--;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp record_machine_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

void record_machine_fini(struct record_machine *machine)
{
	for (unsigned i = 0; i < machine->n_kernels; i++)
		free(machine->kernels[i]);
	free(machine->kernels);
	free(machine->root);
}

/*
 * The last -L counts, as in user mode. The path is absolute, because a trace may be read
 * from anywhere.
 */
static int set_root(struct record_machine *machine, const char *folder,
		    struct wm_error *err)
{
	struct stat st;

	free(machine->root);
	machine->root = realpath(folder, NULL);
	if (!machine->root)
		return wm_fail(err, WM_E_IO, 0, "--sysroot %s: %s", folder,
			       strerror(errno));
	if (stat(machine->root, &st) != 0 || !S_ISDIR(st.st_mode))
		return wm_fail(err, WM_E_IO, 0, "--sysroot %s is no folder", folder);
	return WM_OK;
}

/* Compacts qemu_args in place; the order of the remaining arguments is unchanged. */
int record_machine_take_root(struct record_machine *machine, char **qemu_args,
			     unsigned *n, struct wm_error *err)
{
	int ret = WM_OK;

	*n = 0;
	for (char **from = qemu_args; *from && !ret; from++)
		if (!strcmp(*from, "-L") && from[1])
			ret = set_root(machine, *++from, err);
		else
			qemu_args[(*n)++] = *from;
	qemu_args[*n] = NULL;
	return ret;
}

/* Without room kernel_loads() only counts the parts that have code. */
static int check_kernel(const char *path, struct wm_error *err)
{
	int fd = elf_file_open(path);
	size_t n;

	if (fd < 0)
		return wm_fail(err, WM_E_IO, 0, "--kernel: cannot read %s", path);
	n = kernel_loads(fd, NULL, 0);
	close(fd);
	return n ? WM_OK :
		   wm_fail(err, WM_E_FORMAT, 0,
			   "--kernel: %s has no names of code: it must be an ELF file with "
			   "code (vmlinux), a riscv Image with its table of symbols "
			   "(CONFIG_KALLSYMS), as it is or compressed with gzip, or a "
			   "System.map that is not empty",
			   path);
}

/* The option that cannot be recorded of a machine; NULL: all can. */
static const char *unknown_of(const struct record_options *run)
{
	const struct steering *steering = run->steering;

	if (run->values)
		return "memory accesses (--mem, --mem-values)";
	if (run->precise)
		return "single instructions (--precise); every instruction is exact "
		       "anyway";
	if (steering->n_windows || steering->n_landmarks || steering->n_names ||
	    steering->program_only || steering->limit_words)
		return "a part of the run (windows, filters and limits)";
	if (*run->qemu_args)
		return "options of user mode (-E, --qemu-arg)";
	return NULL;
}

/*
 * Reads the layout of the Linux among the files, by which its processes are followed. A
 * machine without Linux has none, and nothing is reported.
 */
static void learn_kernel(struct record_machine *machine)
{
	if (layout_read(&machine->layout, machine->kernels, machine->unfollowed,
			sizeof(machine->unfollowed)) &&
	    *machine->unfollowed)
		fprintf(stderr, "waymark record: %s\n", machine->unfollowed);
}

/* Everything that can fail by a user's mistake comes first; learn_kernel() only warns. */
int record_machine_check(struct record_machine *machine, const struct record_options *run,
			 struct wm_error *err)
{
	const char *unknown = unknown_of(run);
	int ret = WM_OK;

	if (unknown)
		return wm_fail(err, WM_E_RANGE, 0, "of a whole machine not recorded: %s",
			       unknown);
	for (unsigned i = 0; i < machine->n_kernels && !ret; i++)
		ret = check_kernel(machine->kernels[i], err);
	if (!ret)
		learn_kernel(machine);
	return ret;
}
