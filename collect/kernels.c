// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plugin does not know what a machine runs. Who records it names the files, and they
 * count from the machine's first instruction on. Code before paging runs at physical
 * addresses, where a kernel is not linked: it has no names.
 *
 * A file can be named twice: firmware that copies itself to the end of memory (U-Boot) runs where
 * it is loaded, and then there.
 *
 * Example: a bare-metal program whose code is linked at 0x80000000 gives one module,
 * [0x80000000, 0x80000500), known from block 0 on.
 */
#include "collect/kernels.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/records.h"
#include "format/section.h"
#include "program/kernel/image.h"
#include "program/kernel/vdso.h"

/*
 * Firmware that can be moved is linked at 0, where no riscv64 machine has memory: it is where
 * that begins.
 */
#define FIRMWARE_START UINT64_C(0x80000000)

static uint64_t moved_by(const struct elf_load *first, uint64_t at)
{
	if (at)
		return at - first->start;
	return first->start ? 0 : FIRMWARE_START;
}

uint64_t kernels_moved(int fd, uint64_t at)
{
	struct elf_load first;

	return kernel_loads(fd, &first, 1) ? moved_by(&first, at) : 0;
}

size_t kernels_loads(int fd, uint64_t at, struct elf_load loads[KERNEL_LOADS_MAX])
{
	size_t n = kernel_loads(fd, loads, KERNEL_LOADS_MAX);
	uint64_t moved = n ? moved_by(&loads[0], at) : 0;

	if (n > KERNEL_LOADS_MAX)
		n = KERNEL_LOADS_MAX;
	for (size_t i = 0; i < n; i++) {
		loads[i].start += moved;
		loads[i].end += moved;
	}
	return n;
}

static void put(const struct kernel_file *kernel, int fd,
		const struct module_record *common, uint32_t pid, struct mapped *mapped,
		struct referred *referred, struct output *out)
{
	struct module_record module = *common;
	struct elf_load loads[KERNEL_LOADS_MAX];
	size_t n = kernels_loads(fd, kernel->at, loads);
	char *path = kernel->path;
	struct message_module file = { .ns = common->ns };
	char build_id[ELF_BUILD_ID_TEXT];
	struct buf payload = BUF_INIT;
	struct stat st;

	if (fstat(fd, &st) == 0) {
		file.dev = st.st_dev;
		file.ino = st.st_ino;
		file.mtime_ns = timespec_ns(st.st_mtim);
	}
	mapped_build_id(mapped, pid, &file, path, build_id);
	module.path = path;
	module.build_id = build_id;
	for (size_t i = 0; i < n; i++) {
		module.start = loads[i].start;
		module.end = loads[i].end;
		module.file_off = loads[i].file_off;
		file.start = module.start;
		file.end = module.end;
		file.file_off = module.file_off;
		mapped_note(mapped, &file, path);
		referred_note(referred, pid, &file, path);
		module_put(&payload, &module);
		output_put(out, SECTION_MODU, &payload, 0);
	}
	buf_fini(&payload);
}

void kernels_put(const struct kernel_file *files, uint32_t space, uint32_t pid,
		 struct mapped *mapped, struct referred *referred, struct output *out)
{
	struct module_record common = { .space = space, .ns = clock_ns() };

	for (; files && files->path; files++) {
		int fd = elf_file_open(files->path);

		/* Checked before the machine began: it was taken away since. */
		if (fd < 0)
			continue;
		put(files, fd, &common, pid, mapped, referred, out);
		close(fd);
	}
}

/* ---- the vDSO ----------------------------------------------------------------------- */

static void look_for_vdso(struct kernels_vdso *vdso, const struct kernel_file *files)
{
	vdso->looked = true;
	for (; files && files->path && !vdso->there; files++) {
		int fd = elf_file_open(files->path);

		if (fd < 0)
			continue;
		vdso->there = kernel_vdso_read(&vdso->is, fd);
		close(fd);
	}
}

const char *kernels_vdso(struct kernels_vdso *vdso, const struct kernel_file *files,
			 bool names, struct output *out)
{
	if (!vdso->looked) {
		look_for_vdso(vdso, files);
		/* They are packed here because no file that a reader could open has them. */
		if (vdso->there && names)
			output_names(out, vdso->is.build_id, VDSO_MODULE,
				     &vdso->is.names);
	}
	return vdso->there ? vdso->is.build_id : "";
}

void kernels_vdso_fini(struct kernels_vdso *vdso)
{
	if (vdso->there)
		vdso_fini(&vdso->is);
}
