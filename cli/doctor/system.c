// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks what recording needs of the system: features of the kernel, limits of the
 * process, space on disks, and programs that help with reading. Each check reports one
 * line, with advice when something is wrong; none changes anything.
 *
 * Features are tried rather than derived from the kernel's version, because containers
 * and seccomp filters forbid calls that the kernel has.
 */
#include "cli/doctor/doctor.h"

#include "cli/doctor/report.h"
#include "cli/find.h"
#include "cli/record/emulators.h"
#include "out/number.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the kernel ---------------------------------------------------------- */

/* The shared memory of a recording is a memfd. */
static bool has_memfd(void)
{
	int fd = memfd_create("waymark-doctor", 0);

	return fd >= 0 && !close(fd);
}

/*
 * The recorder notices the end of processes by their pidfds. The number is passed to
 * syscall(), because older C libraries have no function for it.
 */
static bool has_pidfd(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	return fd >= 0 && !close(fd);
}

/* Reads one byte of this process. */
static bool reads_own_memory(void)
{
	char from = 1, to = 0;
	struct iovec local = { &to, 1 }, remote = { &from, 1 };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1 && to == from;
}

/* unshare() would change this process, so a child tries it. */
static bool has_user_namespaces(void)
{
	int status = -1;
	pid_t child = fork();

	/* _exit(): buffers of this process must not be written twice. */
	if (!child)
		_exit(unshare(CLONE_NEWUSER) != 0);
	if (child > 0)
		waitpid(child, &status, 0);
	return status == 0;
}

static void check(bool works, enum report_kind otherwise, const char *what,
		  const char *trouble)
{
	if (works)
		report(REPORT_FINE, "%s", what);
	else
		report(otherwise, "%s: %s", what, trouble);
}

/* The interpreter of a binfmt_misc entry; false when the entry is disabled. */
static bool read_entry(const char *name, char *interpreter, size_t size)
{
	char path[PATH_MAX], line[PATH_MAX];
	bool enabled = false;
	FILE *file;

	*interpreter = '\0';
	snprintf(path, sizeof(path), "/proc/sys/fs/binfmt_misc/%s", name);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		enabled |= !strcmp(line, "enabled");
		if (!strncmp(line, "interpreter ", 12))
			snprintf(interpreter, size, "%s", line + 12);
	}
	if (file)
		fclose(file);
	return enabled && *interpreter;
}

/* Looks for entries of foreign programs. Distributions name them after their emulator. */
static void check_binfmt(void)
{
	DIR *folder = opendir("/proc/sys/fs/binfmt_misc");
	char interpreter[PATH_MAX];
	const struct dirent *entry;
	unsigned found = 0;

	/* Other entries are not QEMU's. */
	while (folder && (entry = readdir(folder)))
		if (!strncmp(entry->d_name, "qemu-", 5) &&
		    read_entry(entry->d_name, interpreter, sizeof(interpreter))) {
			report(REPORT_FINE,
			       "binfmt_misc: %s programs start by themselves, under %s",
			       entry->d_name + 5, interpreter);
			found++;
		}
	if (folder)
		closedir(folder);
	if (!found)
		report(REPORT_FINE, "binfmt_misc: no entry for foreign programs, and "
				    "recording needs none");
}

static void check_kernel(void)
{
	report_part("Kernel");
	/*
	 * Wrong: without it there is no recording. Notes: something is missing, and
	 * recording works.
	 */
	check(find_has_proc(), REPORT_WRONG, "/proc", FIND_NO_PROC);
	check(has_memfd(), REPORT_WRONG, "memfd_create()",
	      "recording needs it; Linux has it since 3.17, if nothing forbids it here");
	check(has_pidfd(), REPORT_WRONG, "pidfd_open()",
	      "recording needs it; Linux has it since 5.3, if nothing forbids it here");
	check(reads_own_memory(), REPORT_NOTE, "process_vm_readv()",
	      "forbidden here, so what system calls point to is not recorded");
	check(has_user_namespaces(), REPORT_NOTE, "user namespaces",
	      "not for this user; recording needs none");
	check_binfmt();
}

/* ---- limits and disks ---------------------------------------------------- */

/* No limit is no line. */
static void check_limit(int resource, const char *option, const char *consequence)
{
	char bytes[NUMBER_TEXT];
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return;
	report(REPORT_NOTE, "ulimit -%s is %s: %s", option,
	       number_bytes(bytes, limit.rlim_cur), consequence);
}

/* Less than 1 GiB of space is a note: a long recording may fill it. */
#define LITTLE (1ull << 30)

/*
 * Reports the space of a folder. `use` is what the folder is for, `otherwise` is the
 * advice when it cannot be written.
 */
static void check_folder(const char *path, const char *use, enum report_kind kind,
			 const char *otherwise)
{
	char bytes[NUMBER_TEXT];
	struct statvfs disk;
	uint64_t left;

	if (access(path, W_OK | X_OK) || statvfs(path, &disk)) {
		report(kind, "%s, for %s, cannot be written: %s", path, use, otherwise);
		return;
	}
	left = (uint64_t)disk.f_bavail * disk.f_frsize;
	report(left < LITTLE ? REPORT_NOTE : REPORT_FINE, "%s, for %s, has %s left", path,
	       use, number_bytes(bytes, left));
}

static void check_cache(void)
{
	char path[PATH_MAX];

	if (!cache_folder(path)) {
		report(REPORT_WRONG, "there is no HOME to keep emulators in: set it, or "
				     "WAYMARK_CACHE");
		return;
	}
	/* The nearest parent that exists: the folder would be made there. */
	while (access(path, F_OK) && errno == ENOENT && strrchr(path, '/') > path)
		*strrchr(path, '/') = '\0';
	check_folder(path, "emulators", REPORT_WRONG, "WAYMARK_CACHE can name another");
}

/* RLIMIT_AS: QEMU reserves address space for the whole guest. */
static void check_limits(void)
{
	report_part("Limits");
	check_limit(RLIMIT_FSIZE, "f", "longer traces are cut there");
	check_limit(RLIMIT_AS, "v", "QEMU may not start below some GB");
	check_folder(".", "traces", REPORT_NOTE, "record needs -o to name another");
	check_cache();
}

/* ---- programs and files -------------------------------------------------- */

static void check_reading(void)
{
	static const char libraries[] = "/usr/riscv64-linux-gnu/lib";
	char path[PATH_MAX];

	report_part("Reading");
	/* In the order in which a pager is chosen. */
	check(getenv("WAYMARK_PAGER") || getenv("PAGER") || find_in_path(path, "less"),
	      REPORT_NOTE, "a pager",
	      "missing, so long listings scroll by; `apt install less` brings one");
	check(find_in_path(path, "man"), REPORT_NOTE, "man",
	      "missing, so `waymark help` shows options only; `apt install man-db` "
	      "brings it");
	check(!access(libraries, F_OK), REPORT_NOTE, libraries,
	      "not there; programs with shared libraries need them (apt install "
	      "libc6-riscv64-cross), or a root of their own, given with -L");
}

void doctor_system(void)
{
	check_kernel();
	check_limits();
	check_reading();
}
