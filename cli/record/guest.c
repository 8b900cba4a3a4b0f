// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the guest's file and its machine, from the first bytes of its ELF header: class,
 * byte order, e_machine, which choose the emulator. QEMU would reject most wrong files
 * itself, but with a message of its own and an exit status that a guest could also have.
 *
 * Example: "prog" without a slash is ./prog if that exists, else SYSROOT/usr/bin/prog and
 * the like, else the first in PATH. QEMU gets a path that cannot be taken for an option;
 * the program gets the name that the user typed.
 */
#include "cli/record/guest.h"

#include "base/elf_head.h"
#include "base/error.h"
#include "cli/find.h"
#include "cli/record/sysroot.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * The begin of an ELF header, which has the same layout in both classes up to e_machine.
 */
struct head {
	unsigned char ident[EI_NIDENT];
	uint16_t type, machine;
};

/*
 * The machines that can be recorded; `doctor` looks for an emulator of each
 * (guest_arch()).
 */
static const struct machine {
	uint16_t machine;
	unsigned char class, data;
	const char *arch;
} machines[] = {
	{ EM_RISCV, ELFCLASS64, ELFDATA2LSB, "riscv64" },
	{ EM_RISCV, ELFCLASS32, ELFDATA2LSB, "riscv32" },
	{ EM_AARCH64, ELFCLASS64, ELFDATA2LSB, "aarch64" },
	{ EM_ARM, ELFCLASS32, ELFDATA2LSB, "arm" },
	{ EM_X86_64, ELFCLASS64, ELFDATA2LSB, "x86_64" },
	{ EM_386, ELFCLASS32, ELFDATA2LSB, "i386" },
};

enum { MACHINES = sizeof(machines) / sizeof(*machines) };

const char *guest_arch(unsigned index)
{
	return index < MACHINES ? machines[index].arch : NULL;
}

/* Fields are in the byte order of the guest. */
static uint16_t field16(const unsigned char *at, unsigned char data)
{
	return data == ELFDATA2MSB ? at[0] << 8 | at[1] : at[1] << 8 | at[0];
}

/*
 * Class and byte order belong to the machine: riscv32 and riscv64 have the same
 * e_machine.
 */
static const struct machine *machine_of(const unsigned char *head)
{
	uint16_t machine = field16(head + offsetof(struct head, machine), head[EI_DATA]);

	for (size_t i = 0; i < MACHINES; i++)
		if (machines[i].machine == machine &&
		    machines[i].class == head[EI_CLASS] &&
		    machines[i].data == head[EI_DATA])
			return &machines[i];
	return NULL;
}

const char *guest_arch_of(int fd)
{
	unsigned char head[sizeof(struct head)];
	const struct machine *machine;

	if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head, ELFMAG, SELFMAG) != 0)
		return NULL;
	machine = machine_of(head);
	return machine ? machine->arch : NULL;
}

/* A script is no program for QEMU; see script_interpret(). */
static int not_elf(struct guest *guest, const unsigned char *head, size_t bytes,
		   struct wm_error *err)
{
	guest->is_script = bytes >= 2 && head[0] == '#' && head[1] == '!';
	return wm_fail(err, WM_E_FORMAT, 0, "%s is %s", guest->path,
		       guest->is_script ? "a script" : "not an ELF program");
}

/*
 * Reads the header. ET_DYN covers position-independent programs and shared libraries,
 * which cannot be distinguished here.
 */
static int read_head(struct guest *guest, int fd, struct wm_error *err)
{
	unsigned char head[sizeof(struct head)] = { 0 };
	const struct machine *machine;
	ssize_t got = read(fd, head, sizeof(head));
	uint16_t type;

	if (got < 0)
		return wm_fail_errno(err, "cannot read %s", guest->path);
	if (got < (ssize_t)sizeof(head) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return not_elf(guest, head, (size_t)got, err);

	type = field16(head + offsetof(struct head, type), head[EI_DATA]);
	if (type != ET_EXEC && type != ET_DYN)
		return wm_fail(err, WM_E_FORMAT, 0,
			       "%s is an ELF file but no program: link it first",
			       guest->path);
	machine = machine_of(head);
	if (!machine)
		return wm_fail(err, WM_E_FORMAT, 0,
			       "%s is for a machine Waymark does not know (ELF machine "
			       "%u); it records programs of RISC-V, AArch64, ARM, "
			       "x86_64 and i386",
			       guest->path,
			       field16(head + offsetof(struct head, machine),
				       head[EI_DATA]));
	guest->arch = machine->arch;
	return WM_OK;
}

/*
 * A file that was copied in part. QEMU would die of SIGBUS, or say nothing. A rest of a page is
 * zeros, with which the kernel runs a program, too.
 */
static int check_whole(const struct guest *guest, int fd, struct wm_error *err)
{
	enum { PAGE = 4096 };
	struct elf_head head;
	struct stat st;

	if (fstat(fd, &st))
		return wm_fail_errno(err, "cannot look at %s", guest->path);
	if (elf_head_read(fd, &head) && (head.load_end <= (uint64_t)st.st_size ||
					 head.load_end - (uint64_t)st.st_size < PAGE))
		return WM_OK;
	return wm_fail(err, WM_E_FORMAT, 0,
		       "%s is cut short: parts of the program are missing from the file",
		       guest->path);
}

/*
 * Tested on the open descriptor, so the file cannot change in between; only access()
 * needs the path.
 */
static int check_file(const char *path, int fd, struct wm_error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return wm_fail_errno(err, "cannot look at %s", path);
	if (S_ISDIR(st.st_mode))
		return wm_fail(err, WM_E_FORMAT, 0, "%s is a directory, not a program",
			       path);
	if (!S_ISREG(st.st_mode))
		return wm_fail(err, WM_E_FORMAT, 0, "%s is not a regular file", path);
	if (access(path, X_OK))
		return wm_fail(err, WM_E_FORMAT, 0,
			       "%s is not executable; chmod +x makes it so", path);
	return WM_OK;
}

static int not_found(const char *name, const char *sysroot, struct wm_error *err)
{
	if (!sysroot)
		return wm_fail(err, WM_E_IO, 0, "no program %s, neither here nor in PATH",
			       name);
	return wm_fail(err, WM_E_IO, 0,
		       "no program %s, neither here nor in %s nor in PATH", name,
		       sysroot);
}

/* Whether such a file is in the current folder; folders do not count. */
static bool is_here(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode);
}

/*
 * Sets guest->path, which QEMU opens, and guest->name, which the program sees as argv[0].
 */
static int locate(struct guest *guest, const char *name, const char *sysroot,
		  struct wm_error *err)
{
	guest->in_path = guest->is_script = false;
	if (!*name)
		return wm_fail(err, WM_E_IO, 0, "the program's name is empty");
	if (strlen(name) + 2 >= sizeof(guest->path))
		return wm_fail(err, WM_E_IO, 0, "the program's name is too long");
	/* With "./" if QEMU would take the name for an option. */
	snprintf(guest->path, sizeof(guest->path), "%s%s", *name == '-' ? "./" : "",
		 name);
	if (!strchr(name, '/') && !is_here(guest->path)) {
		if (sysroot &&
		    sysroot_find_program(sysroot, name, guest->path, guest->name))
			return WM_OK;
		if (!find_in_path(guest->path, name))
			return not_found(name, sysroot, err);
		guest->in_path = true;
	}
	strcpy(guest->name, guest->path);
	return WM_OK;
}

bool guest_is_of_host(const struct guest *guest)
{
	struct utsname host;

	return !uname(&host) && !strcmp(guest->arch, host.machine);
}

int guest_find(struct guest *guest, const char *name, const char *sysroot,
	       struct wm_error *err)
{
	int fd, ret = locate(guest, name, sysroot, err);

	if (ret)
		return ret;
	/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
	fd = open(guest->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ?
			       wm_fail(err, WM_E_IO, 0, "no such program: %s", name) :
			       wm_fail_errno(err, "cannot open %s", guest->path);
	ret = check_file(guest->path, fd, err);
	if (!ret)
		ret = read_head(guest, fd, err);
	if (!ret)
		ret = check_whole(guest, fd, err);
	close(fd);
	return ret;
}
