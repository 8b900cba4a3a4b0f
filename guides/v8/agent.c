// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guide's part inside Node.js: sets V8's options before the program's main() runs. As
 * arguments the program would see them in process.execArgv, and hand them to the processes
 * that it forks; so they are set by the function of V8 that embedders use.
 *
 * Constructors of the program itself run after those of a library, so it is main() that is
 * preceded. The variable by which this was loaded is taken out of the environment. Where V8
 * is not found the program runs on without.
 */
#include <dlfcn.h>

#include "guides/preload.h"

/*
 * A jitdump, whose file is gone at once. A function that is interpreted has its own copy of
 * the interpreter's entry, by which its frames are on the stack. With the list comes a log,
 * which goes into a file without a name.
 */
static const char options[] = "--perf-prof --perf-prof-delete-file "
			      "--interpreted-frames-native-stack "
			      "--no-logfile-per-isolate --logfile=+";

typedef int main_fn(int argc, char **argv, char **environment);

static main_fn *program;

static void set_options(void)
{
	/* v8::V8::SetFlagsFromString(const char *) */
	void (*set)(const char *) = (void (*)(const char *))dlsym(
		RTLD_DEFAULT, "_ZN2v82V818SetFlagsFromStringEPKc");

	if (set)
		set(options);
}

static int run(int argc, char **argv, char **environment)
{
	set_options();
	return program(argc, argv, environment);
}

/* Instead of the C library's, which is called with what the program begins with. */
int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	__typeof__(__libc_start_main) *start =
		(__typeof__(start))dlsym(RTLD_NEXT, "__libc_start_main");

	preload_hide();
	program = main;
	return start(run, argc, argv, init, fini, rtld_fini, stack_end);
}
