/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `record` for a whole machine: --system and --kernel. */
#ifndef CLI_RECORD_MACHINE_H
#define CLI_RECORD_MACHINE_H

#include <argp.h>
#include <limits.h>
#include <stdbool.h>

#include "cli/record/emulator.h"
#include "collect/kernels.h"
#include "collect/record.h"

struct record_machine {
	bool on;
	bool inexact; /* a QEMU that does not tell where traps are will do */
	struct kernel_file
		*kernels; /* [n_kernels], then the end of the list; to be freed */
	unsigned n_kernels;
	char *root;	/* absolute: a folder with the files of the guest; NULL: none */
	char *disk;	/* absolute: the image that they are copied from; NULL: none */
	char *initrd;	/* absolute: a folder with the initrd's, besides; NULL: none */
	bool has_linux; /* among them */
	struct guest_linux layout;	 /* of that */
	char unfollowed[PATH_MAX + 128]; /* see collect/layout.h */
};

/* For a parser's children; the input is a struct record_machine. */
extern const struct argp record_machine_argp;
void record_machine_fini(struct record_machine *machine);

/*
 * Takes the options -L out of qemu_args, which are user mode's: here the last one is what has
 * the guest's files, a folder, an initrd or the image of a disk. The initrd of QEMU's command
 * line `argv` comes behind it. *n is how many are left. WM_E_IO, WM_E_FORMAT with advice.
 */
int record_machine_take_root(struct record_machine *machine, char **qemu_args,
			     unsigned *n, char *const *argv, struct wm_error *err);
/*
 * Adds the file with the names of the firmware that the emulator, at that path, starts when its
 * command line names none. Nothing is added where there is no such file.
 */
void record_machine_add_bios(struct record_machine *machine, const char *emulator,
			     char *const *argv);
/*
 * Checks the files with the machine's code, and reads what is needed to follow a kernel among
 * them. WM_E_IO or WM_E_FORMAT with advice.
 */
int record_machine_learn(struct record_machine *machine, struct wm_error *err);
/*
 * Then checks that the machine can be recorded with the options in `run`, under the emulator
 * that was found. Prints on stderr what of a kernel cannot be followed. WM_E_RANGE with advice.
 */
int record_machine_check(struct record_machine *machine, const struct record_options *run,
			 const struct emulator *emulator, const char *isa,
			 struct wm_error *err);

/* Whether names may be those of what the machine's processes map or its kernel loads. */
bool record_machine_follows(const struct record_machine *machine);

#endif
