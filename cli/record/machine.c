// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * With --system the words after the options are a command line of a full-system QEMU,
 * which is started as it is, with the plugin. Of the code in the machine the files that --kernel
 * names are known now; what a Linux among them maps and loads is when it does.
 *
 * Options for which there is no recording of a machine are refused before it starts.
 *
 * Example: record --system --kernel fw.elf -- qemu-system-riscv64 -M virt -bios fw.elf
 */
#include "cli/record/machine.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/append.h"
#include "base/error.h"
#include "base/folders.h"
#include "base/option.h"
#include "cli/record/emulators.h"
#include "cli/record/guest.h"
#include "collect/guest/disk.h"
#include "collect/guest/initrd.h"
#include "collect/layout.h"
#include "program/elf/file.h"
#include "program/kernel/image.h"

enum { OPTION_SYSTEM = 256, OPTION_KERNEL, OPTION_INEXACT };

static const struct argp_option options[] = {
	{ "system", OPTION_SYSTEM, NULL, 0,
	  "Record a whole machine: PROGRAM is qemu-system-ARCH, with its options", 0 },
	{ "kernel", OPTION_KERNEL, "FILE[@ADDRESS]", 0,
	  "With --system: a file with the names of its code: ELF (a vmlinux, a bare-metal "
	  "program), a Linux Image, or a System.map; its code is at ADDRESS if not where "
	  "it is linked",
	  0 },
	{ "inexact", OPTION_INEXACT, NULL, 0,
	  "With --system: take QEMU 7.2, too, which does not tell where traps leave the "
	  "code; the trace says so",
	  0 },
	{ 0 },
};

static bool parse_address(const char *text, uint64_t *at)
{
	char *end;

	if (strncmp(text, "0x", 2) != 0 || !isxdigit((unsigned char)text[2]))
		return false;
	errno = 0;
	*at = strtoull(text, &end, 16);
	return !errno && !*end && *at;
}

/* FILE@ADDRESS: the file's path, and the address; NULL with errno, EINVAL for the address. */
static char *take_address(const char *arg, uint64_t *at)
{
	const char *mark = strrchr(arg, '@');
	char *file, *path;

	errno = ENOENT;
	if (!mark)
		return NULL;
	file = strndup(arg, (size_t)(mark - arg));
	path = file ? realpath(file, NULL) : NULL;
	free(file);
	if (!path || parse_address(mark + 1, at))
		return path;
	free(path);
	errno = EINVAL;
	return NULL;
}

/* Paths in a trace are absolute, because it may be read from anywhere. */
static void take_kernel(struct record_machine *machine, const char *arg,
			struct argp_state *state)
{
	struct kernel_file kernel = { .path = realpath(arg, NULL) };

	if (!kernel.path && errno == ENOENT)
		kernel.path = take_address(arg, &kernel.at);
	if (!kernel.path && errno == EINVAL)
		argp_failure(
			state, 2, 0,
			"--kernel %s: behind @ belongs an address in hexadecimal, such "
			"as 0x80200000",
			arg);
	if (!kernel.path)
		argp_failure(state, 2, errno, "--kernel %s", arg);
	if (!kernel.path || !APPEND(machine->kernels, machine->n_kernels, kernel))
		argp_failure(state, 2, 0, "out of memory");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_machine *machine = state->input;
	struct kernel_file last = { .path = NULL };

	switch (key) {
	case OPTION_SYSTEM:
		machine->on = true;
		return 0;
	case OPTION_INEXACT:
		machine->inexact = true;
		return 0;
	case OPTION_KERNEL:
		take_kernel(machine, arg, state);
		return 0;
	case ARGP_KEY_END:
		/* The list's end does not count. */
		if (!APPEND(machine->kernels, machine->n_kernels, last))
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
		free(machine->kernels[i].path);
	free(machine->kernels);
	free(machine->root);
	free(machine->disk);
	free(machine->initrd);
}

/*
 * A folder of the cache for the files of an archive or a disk, known by where that is. Traces
 * refer to the files in it.
 */
static bool make_root(char path[PATH_MAX], const char *file)
{
	char cache[PATH_MAX];
	const char *name = strrchr(file, '/');

	if (!cache_folder(cache) ||
	    snprintf(path, PATH_MAX, "%s/roots/%s-%08x", cache, name ? name + 1 : file,
		     (unsigned)XXH3_64bits(file, strlen(file))) >= PATH_MAX)
		return false;
	folders_make(path, 0777);
	return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* machine->root is an absolute path to a file. */
static int use_file(struct record_machine *machine, struct wm_error *err)
{
	char root[PATH_MAX];
	int fd = open(machine->root, O_RDONLY | O_CLOEXEC), ret = WM_OK;
	uint64_t start;

	machine->disk = machine->root;
	machine->root = make_root(root, machine->disk) ? strdup(root) : NULL;
	if (fd < 0)
		ret = wm_fail(err, WM_E_IO, 0, "--sysroot %s: %s", machine->disk,
			      strerror(errno));
	else if (!machine->root)
		ret = wm_fail(
			err, WM_E_IO, 0,
			"--sysroot %s: there is no folder in the cache for its files "
			"(WAYMARK_CACHE can name another one)",
			machine->disk);
	else if (!guest_disk_find(fd, &start)) {
		ret = guest_initrd_unpack(machine->disk, machine->root, err);
		free(machine->disk);
		machine->disk = NULL;
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Paths are absolute, because a trace may be read from anywhere. */
static int set_root(struct record_machine *machine, const char *path,
		    struct wm_error *err)
{
	struct stat st;

	free(machine->root);
	free(machine->disk);
	machine->disk = NULL;
	machine->root = realpath(path, NULL);
	if (!machine->root || stat(machine->root, &st) != 0)
		return wm_fail(err, WM_E_IO, 0, "--sysroot %s: %s", path,
			       strerror(errno));
	return S_ISDIR(st.st_mode) ? WM_OK : use_file(machine, err);
}

/* Nobody has asked for its names: those of what cannot be read are missing. */
static void try_initrd(struct record_machine *machine, char *const *argv)
{
	struct record_machine behind = { .on = true };
	const char *path = NULL;
	struct wm_error err;

	for (; *argv; argv++)
		if (option_is(*argv, "initrd"))
			path = argv[1];
	if (!path)
		return;
	(void)set_root(machine->root ? &behind : machine, path, &err);
	machine->initrd = behind.root;
	free(behind.disk);
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
			   "code (vmlinux), an Image with its table of symbols "
			   "(CONFIG_KALLSYMS), as it is or compressed with gzip, a bzImage "
			   "compressed with zstd, gzip or xz, or a System.map that is not "
			   "empty",
			   path);
}

/*
 * OpenSBI's fw_dynamic.bin is made of fw_dynamic.elf, which Debian has beside it. Nobody has
 * asked for its names, so nothing is said where it is not. False: it was not added.
 */
static bool add_firmware(struct record_machine *machine, const char *bin)
{
	char path[PATH_MAX], *found;
	struct kernel_file last = { .path = NULL };
	size_t n = strlen(bin);
	struct wm_error err;

	if (n < 4 || strcmp(bin + n - 4, ".bin") != 0 ||
	    snprintf(path, sizeof(path), "%.*s.elf", (int)n - 4, bin) >= PATH_MAX)
		return false;
	found = realpath(path, NULL);
	if (!found || check_kernel(found, &err)) {
		free(found);
		return false;
	}
	/* Before what ends the list. */
	machine->n_kernels++;
	if (!APPEND(machine->kernels, machine->n_kernels, last)) {
		machine->n_kernels--;
		free(found);
		return false;
	}
	machine->n_kernels--;
	machine->kernels[machine->n_kernels - 1].path = found;
	return true;
}

/* NULL: QEMU takes its own. */
static const char *bios_of(char *const *argv)
{
	const char *bios = NULL;

	for (; *argv; argv++)
		if (option_is(*argv, "bios"))
			bios = argv[1];
	return bios && strcmp(bios, "default") != 0 ? bios : NULL;
}

/* Where QEMU's data are, from the folder of its program. */
void record_machine_add_bios(struct record_machine *machine, const char *emulator,
			     char *const *argv)
{
	static const char *const folders[] = { "../root/usr/share/qemu", /* setup-qemu */
					       "../share/qemu" };
	const char *name = strrchr(emulator, '/');
	char path[PATH_MAX], *real;
	bool added = !name || strcmp(name, "/qemu-system-riscv64") != 0 || bios_of(argv);

	for (unsigned i = 0; !added && i < sizeof(folders) / sizeof(*folders); i++) {
		if (snprintf(path, sizeof(path),
			     "%.*s/%s/opensbi-riscv64-generic-fw_dynamic.bin",
			     (int)(name - emulator), emulator, folders[i]) >= PATH_MAX)
			continue;
		/* Debian's is a link to where OpenSBI's package has it. */
		real = realpath(path, NULL);
		added = real && add_firmware(machine, real);
		free(real);
	}
}

/* Compacts qemu_args in place; the order of the remaining arguments is unchanged. */
int record_machine_take_root(struct record_machine *machine, char **qemu_args,
			     unsigned *n, char *const *argv, struct wm_error *err)
{
	const char *path = NULL, *bios = bios_of(argv);
	int ret = WM_OK;

	*n = 0;
	if (bios)
		(void)add_firmware(machine, bios);
	for (char **from = qemu_args; *from; from++)
		if (!strcmp(*from, "-L") && from[1])
			path = *++from;
		else
			qemu_args[(*n)++] = *from;
	qemu_args[*n] = NULL;
	/* The last one counts, as in user mode. */
	if (path)
		ret = set_root(machine, path, err);
	if (!ret)
		try_initrd(machine, argv);
	return ret;
}

/* "tcg", "tcg,thread=single", "tcg:kvm": the first one that QEMU tries. */
static bool is_accelerator(const char *list, const char *name)
{
	return strcspn(list, ",:") == strlen(name) && !strncmp(list, name, strlen(name));
}

/* What -accel, or -M q35,accel=LIST, has; NULL: QEMU's default, which is TCG. */
static const char *accelerators(char *const *argv)
{
	const char *found;

	for (; *argv; argv++) {
		if (option_is(*argv, "enable-kvm"))
			return "kvm";
		if (!argv[1])
			break;
		if (option_is(*argv, "accel"))
			return argv[1];
		found = option_is(*argv, "M") || option_is(*argv, "machine") ?
				strstr(argv[1], "accel=") :
				NULL;
		if (found)
			return found + strlen("accel=");
	}
	return NULL;
}

/* Plugins do not see code that the host's processor runs. */
static bool runs_unseen(char *const *argv)
{
	const char *list = accelerators(argv);

	return list && !is_accelerator(list, "tcg") && !is_accelerator(list, "help");
}

/* The process that runs the machine is another one then, and nobody sees its end. */
static bool goes_away(char *const *argv)
{
	while (*argv && !option_is(*argv, "daemonize"))
		argv++;
	return *argv;
}

/* The option that cannot be recorded of a machine; NULL: all can. */
static const char *unknown_of(const struct record_options *run)
{
	if (runs_unseen(run->guest_argv))
		return "code that QEMU does not translate (-accel kvm, -enable-kvm); -accel tcg "
		       "is recorded";
	if (goes_away(run->guest_argv))
		return "a QEMU that goes into the background by itself (-daemonize); let "
		       "a shell start the recording there";
	if (run->precise)
		return "single instructions (--precise); every instruction is exact "
		       "anyway";
	if (run->steering->program_only)
		return "--user-code, which is of one program; --only process:NAME leaves "
		       "other processes out";
	if (!run->follow || run->wait_all)
		return "--no-follow and --wait all, which are of programs; --only process:NAME "
		       "leaves other processes out";
	if (*run->qemu_args)
		return "options of user mode (-E, --qemu-arg)";
	return NULL;
}

/*
 * QEMU 7.2 gives plugins neither registers nor memory of a machine, so the threads of a Linux
 * cannot be followed; and of a block that a trap may have left nobody knows which accesses
 * happened.
 */
static int check_blind(struct record_machine *machine, const struct record_options *run,
		       const struct emulator *emulator, struct wm_error *err)
{
	if (run->values)
		return wm_fail(
			err, WM_E_RANGE, 0,
			"with QEMU %s no values of a machine are recorded: it does "
			"not tell where traps leave the code",
			emulator->version);
	if (machine->layout.knows)
		snprintf(machine->unfollowed, sizeof(machine->unfollowed),
			 "threads and processes of Linux are not followed: QEMU %s does "
			 "not show the registers of a machine",
			 emulator->version);
	machine->layout.knows = 0;
	return WM_OK;
}

/* What needs to know the threads of the machine's Linux. */
static int check_layout(const struct record_machine *machine,
			const struct steering *steering, struct wm_error *err)
{
	bool by_call = false, by_process = false;

	for (uint32_t i = 0; i < steering->n_windows; i++)
		by_call |= steering->windows[i].bounds.from.kind == POINT_SYSCALL ||
			   steering->windows[i].bounds.to.kind == POINT_SYSCALL;
	for (size_t i = 0; i < steering->n_names; i++)
		by_process |= steering->names[i].is_process;
	if ((by_call && !(machine->layout.knows & GUEST_THREADS)) ||
	    (by_process && !(machine->layout.knows & GUEST_PROCESSES)))
		return wm_fail(err, WM_E_RANGE, 0,
			       "%s of a machine are known of a Linux only: %s",
			       by_call ? "system calls" : "processes",
			       machine->unfollowed);
	return WM_OK;
}

/*
 * The layout is that of the Linux among the files, by which its processes are followed. A
 * machine without Linux has none.
 */
int record_machine_learn(struct record_machine *machine, struct wm_error *err)
{
	int ret = WM_OK;

	for (unsigned i = 0; i < machine->n_kernels && !ret; i++)
		ret = check_kernel(machine->kernels[i].path, err);
	if (!ret)
		machine->has_linux = layout_read(&machine->layout, machine->kernels,
						 machine->unfollowed,
						 sizeof(machine->unfollowed));
	return ret;
}

bool record_machine_follows(const struct record_machine *machine)
{
	uint32_t knows = machine->layout.knows;

	return knows & GUEST_MODULES || (knows & GUEST_MAPPINGS && machine->root);
}

/* Whether code for both can run in one machine: many begin in 32 bits. */
static bool is_family(const char *one, const char *other)
{
	static const char *const families[][2] = { { "riscv64", "riscv32" },
						   { "aarch64", "arm" },
						   { "x86_64", "i386" } };

	for (unsigned i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (!strcmp(one, families[i][0]))
			return !strcmp(other, families[i][0]) ||
			       !strcmp(other, families[i][1]);
	return true;
}

/*
 * Names of another machine's kernel would fit nothing. A System.map does not say what it is for, and
 * only a QEMU of its usual name what it emulates.
 */
static int check_kernels_isa(const struct record_machine *machine, const char *emulator,
			     const char *isa, struct wm_error *err)
{
	const char *named = strstr(emulator, "qemu-system-"), *arch;

	if (!named || strcmp(named + strlen("qemu-system-"), isa) != 0)
		return WM_OK;
	for (unsigned i = 0; i < machine->n_kernels; i++) {
		int fd = elf_file_open(machine->kernels[i].path);

		arch = fd < 0 ? NULL : guest_arch_of(fd);
		if (fd >= 0 && !arch)
			arch = kernel_isa(fd);
		if (fd >= 0)
			close(fd);
		if (arch && !is_family(isa, arch))
			return wm_fail(err, WM_E_RANGE, 0,
				       "--kernel: %s is for %s, and the machine is %s",
				       machine->kernels[i].path, arch, isa);
	}
	return WM_OK;
}

/* Everything that can fail by a user's mistake comes first: the rest is a warning. */
int record_machine_check(struct record_machine *machine, const struct record_options *run,
			 const struct emulator *emulator, const char *isa,
			 struct wm_error *err)
{
	const char *unknown = unknown_of(run);
	int ret = WM_OK;

	if (unknown)
		return wm_fail(err, WM_E_RANGE, 0, "of a whole machine not recorded: %s",
			       unknown);
	if (emulator->silent && strcmp(isa, "riscv64") != 0 &&
	    (emulator->blind || strcmp(isa, "aarch64") != 0))
		return wm_fail(err, WM_E_RANGE, 0,
			       "with QEMU %s no machines of %s are recorded: it does not "
			       "tell where traps leave the code; take 10.2 (`waymark "
			       "setup-qemu --system`)",
			       emulator->version, isa);
	ret = check_kernels_isa(machine, run->guest_argv[0], isa, err);
	if (!ret && emulator->blind)
		ret = check_blind(machine, run, emulator, err);
	if (!ret)
		ret = check_layout(machine, run->steering, err);
	if (!ret && machine->has_linux && *machine->unfollowed)
		fprintf(stderr, "waymark record: %s\n", machine->unfollowed);
	return ret;
}
