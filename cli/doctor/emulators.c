// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks emulators and plugins, and tries both: a guest program of three instructions is
 * made in memory and recorded by this very command in a child process, and the trace must
 * have exactly three instructions and its end. Nothing less shows that QEMU, plugin,
 * recorder and reader fit together.
 *
 * The guest loads 0 into a0 and 93 (exit) into a7, and makes the system call:
 *
 *	li a0, 0; li a7, 93; ecall
 */
#include "cli/doctor/doctor.h"

#include "cli/doctor/report.h"
#include "cli/find.h"
#include "cli/record/emulator.h"
#include "cli/record/emulators.h"
#include "cli/record/guest.h"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char needed[] = "riscv64"; /* the machine that must have an emulator */

/* ---- the emulators ------------------------------------------------------- */

/* The path is absolute, so it has a slash. */
static const char *file_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

/*
 * Reports whether the emulator at emulator->path can be used. One that cannot is a note:
 * there may be another.
 */
static bool check_one(struct emulator *emulator)
{
	struct wm_error err;

	if (emulator_check(emulator, &err)) {
		report(REPORT_NOTE, "%s", err.text);
		return false;
	}
	report(REPORT_FINE, "%s: QEMU %s, served by %s", emulator->path,
	       emulator->version, file_name(emulator->plugin));
	return true;
}

/*
 * Reports on all emulators for `arch`, in PATH and in the cache. Returns their number;
 * *usable is how many of them can be used.
 */
static unsigned check_arch(const char *arch, unsigned *usable)
{
	static struct emulator emulator;
	char name[32], (*versions)[CACHE_VERSION];
	unsigned n = cache_versions(&versions, arch), found = n;

	*usable = 0;
	snprintf(name, sizeof(name), "qemu-%s", arch);
	if (find_in_path(emulator.path, name)) {
		found++;
		*usable += check_one(&emulator);
	}
	for (unsigned i = 0; i < n; i++)
		if (cache_emulator(emulator.path, versions[i], arch))
			*usable += check_one(&emulator);
	free(versions);
	return found;
}

/* Only the lack of an emulator for `needed` is wrong; others are a matter of use. */
static void check_emulators(void)
{
	char missing[128] = "";
	const char *arch;

	report_part("Emulators");
	for (unsigned i = 0; (arch = guest_arch(i)); i++) {
		unsigned usable, found = check_arch(arch, &usable);

		if (!usable && !strcmp(arch, needed))
			report(REPORT_WRONG,
			       "there is no qemu-%s that records: `waymark setup-qemu` "
			       "makes one, on Debian 12 `apt install qemu-user` brings it",
			       arch);
		else if (!found)
			snprintf(missing + strlen(missing),
				 sizeof(missing) - strlen(missing), "%s%s",
				 *missing ? ", " : "", arch);
	}
	if (*missing)
		report(REPORT_NOTE, "no emulator for %s; `waymark setup-qemu` makes them",
		       missing);
}

static void check_plugins(void)
{
	char path[PATH_MAX], installed[64];
	const char *file;

	report_part("Plugins");
	for (unsigned i = 0; (file = emulator_plugin(i)); i++) {
		snprintf(installed, sizeof(installed), "../lib/waymark/%s", file);
		if (find_own(path, file, installed))
			report(REPORT_FINE, "%s", path);
		else
			report(REPORT_WRONG,
			       "%s is neither beside the command nor in ../lib/waymark: %s",
			       file, find_own_advice());
	}
}

/* ---- a trial ------------------------------------------------------------- */

/*
 * Makes the guest program and returns a descriptor, which QEMU opens by its path in
 * /proc. An ELF header, one segment that maps the whole file at 0x10000, and the code
 * after both.
 */
static int make_guest(void)
{
	static const struct {
		Elf64_Ehdr head;
		Elf64_Phdr segment;
		uint32_t code[3];
	} program = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC,
			.e_machine = EM_RISCV,
			.e_version = EV_CURRENT,
			.e_entry = 0x10000 + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			.e_phoff = sizeof(Elf64_Ehdr),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
		},
		.segment = {
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_vaddr = 0x10000,
			.p_filesz = sizeof(program),
			.p_memsz = sizeof(program),
			.p_align = 4096,
		},
		.code = { 0x00000513, 0x05d00893, 0x00000073 }, /* li, li, ecall */
	};
	int fd = memfd_create("waymark-trial", 0);

	if (fd < 0)
		return -1;
	if (write(fd, &program, sizeof(program)) == sizeof(program) && !fchmod(fd, 0700))
		return fd;
	close(fd);
	return -1;
}

/*
 * Waits for the child and for the recorder, which is an orphan once the child has ended.
 * Returns the child's status.
 */
static int wait_for_both(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	while (waitpid(-1, NULL, 0) > 0)
		;
	return status;
}

/* Runs `waymark record` without output; returns its exit status, or -1. */
static int run_record(const char *qemu, const char *output, const char *program)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *const argv[] = { self,   "record", "--qemu", qemu, "-o",
				     output, "--",     program,	 NULL };
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	if (length < 0)
		return -1;
	self[length] = '\0';
	/*
	 * Otherwise init would adopt the recorder, and the file would be read before it
	 * is complete.
	 */
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans become our children */
	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	if (!posix_spawn(&pid, self, &actions, NULL, (char *const *)argv, environ))
		status = wait_for_both(pid);
	posix_spawn_file_actions_destroy(&actions);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether the file has the three instructions and its end. */
static bool is_whole(const char *output)
{
	struct wm_summary summary = { 0 };
	struct wm_trace *trace;

	if (wm_trace_open(&trace, output, NULL))
		return false;
	wm_trace_summary(trace, &summary);
	wm_trace_close(trace);
	return summary.complete && summary.insns == 3;
}

static bool trial_works(const char *qemu)
{
	const char *tmp = getenv("TMPDIR");
	char output[PATH_MAX], program[48];
	int guest = make_guest(), fd;
	bool works;

	snprintf(output, sizeof(output), "%s/waymark-trial.XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	fd = guest < 0 ? -1 : mkstemp(output);
	if (fd < 0) {
		close(guest);
		return false;
	}
	close(fd);
	unlink(output); /* only its name is used: record would keep an existing file */
	snprintf(program, sizeof(program), "/proc/%d/fd/%d", (int)getpid(), guest);
	works = run_record(qemu, output, program) == 0 && is_whole(output);
	unlink(output);
	close(guest);
	return works;
}

/* Takes the emulator that `record` would take. */
static void check_trial(void)
{
	static struct emulator emulator;
	struct wm_error err;

	if (emulator_find(&emulator, needed, NULL, &err))
		return; /* check_emulators() has reported it */
	report_part("Recording");
	fflush(stdout);
	if (trial_works(emulator.path))
		report(REPORT_FINE, "a trial under QEMU %s is recorded whole",
		       emulator.version);
	else
		report(REPORT_WRONG,
		       "a trial under QEMU %s fails; see what `waymark record --qemu %s "
		       "PROGRAM` reports",
		       emulator.version, emulator.path);
}

void doctor_emulators(void)
{
	check_emulators();
	check_plugins();
	check_trial();
}
