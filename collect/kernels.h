/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files with the names of a whole machine's code: firmware, kernels, programs. */
#ifndef COLLECT_KERNELS_H
#define COLLECT_KERNELS_H

#include <stdint.h>

#include <stddef.h>

#include "collect/mapped.h"
#include "collect/output.h"
#include "collect/referred.h"
#include "program/elf/loads.h"
#include "program/elf/vdso.h"

enum { KERNEL_LOADS_MAX = 64 };

/* One of these files. A list of them ends with a path of NULL. */
struct kernel_file {
	char *path; /* absolute */
	uint64_t at; /* where the machine has the first of its code; 0: where it is linked */
};

/*
 * Where the machine has the code of the file open at `fd`, with kernel_file.at; how many parts
 * of it. What is beyond KERNEL_LOADS_MAX is left out.
 */
size_t kernels_loads(int fd, uint64_t at, struct elf_load loads[KERNEL_LOADS_MAX]);
/* How far the machine has the file from where it is linked. */
uint64_t kernels_moved(int fd, uint64_t at);
/*
 * Puts the code of the files into space `space` of an image with process id `pid`. NULL: there
 * are none.
 */
void kernels_put(const struct kernel_file *files, uint32_t space, uint32_t pid,
		 struct mapped *mapped, struct referred *referred, struct output *out);

/* The vDSO of a machine's programs. All zeros: not looked for yet. */
struct kernels_vdso {
	struct vdso is;
	bool looked, there;
};

void kernels_vdso_fini(struct kernels_vdso *vdso);
/*
 * The build-id of the vDSO that one of the files has; "": none has. The first time that it is asked
 * for, its names are put, if `names`. It is the vDSO's.
 */
const char *kernels_vdso(struct kernels_vdso *vdso, const struct kernel_file *files,
			 bool names, struct output *out);

#endif
