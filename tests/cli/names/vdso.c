// SPDX-License-Identifier: GPL-2.0-or-later
// Writes its vDSO to the file argv[1], if it has one; calls it here and in two other processes.
#include <elf.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void calls(int n)
{
	struct timespec now;

	while (n--)
		clock_gettime(CLOCK_MONOTONIC, &now);
}

int main(int argc, char **argv)
{
	const Elf64_Ehdr *vdso = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;

	if (!file) {
		calls(argc > 1 ? 0 : 200);
		return 0;
	}
	/* Its section headers are what comes last. */
	if (vdso)
		fwrite(vdso, 1, vdso->e_shoff + vdso->e_shnum * vdso->e_shentsize, file);
	fclose(file);
	if (!fork()) {
		calls(30);
		execl(argv[0], argv[0], (char *)NULL);
	}
	wait(NULL);
	calls(1000);
	return 0;
}
