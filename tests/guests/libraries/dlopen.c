// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: two libraries that take turns: dlopen, call, dlclose; at one address where QEMU
// gives what was freed away again (10 does, 7.2 does not). The argument is the folder they
// are in.

#include <dlfcn.h>
#include <stdio.h>

static int turn(const char *folder, int number, unsigned *x)
{
	char path[4096], name[32];
	unsigned (*call)(unsigned);
	void *library;

	snprintf(path, sizeof(path), "%s/number%d.so", folder, number);
	snprintf(name, sizeof(name), "number_%d", number);
	library = dlopen(path, RTLD_NOW);
	if (!library)
		return 0;
	*(void **)&call = dlsym(library, name);
	if (call)
		*x = call(*x);
	dlclose(library);
	return call != NULL;
}

int main(int argc, char **argv)
{
	unsigned x = 1;

	for (int i = 0; argc > 1 && i < 40; i++)
		if (!turn(argv[1], 1 + i % 2, &x))
			return 2;
	printf("dlopen %08x\n", x);
	return 0;
}
