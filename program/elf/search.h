/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an ELF file, or the file with its debugging symbols, is searched for besides its
 * path. A file is found by its build-id, so that it is the one that ran wherever it lies:
 *
 *  - below the folder of --symfs;
 *  - by the name in .gnu_debuglink, next to the file, in .debug there, and in
 *    /usr/lib/debug;
 *  - usr/lib/debug/.build-id/xx/yyyy of the file's folders, the nearest first;
 *  - waymark/build-id/xx/yyyy and debuginfod_client of the user's cache;
 *  - the servers of DEBUGINFOD_URLS, by elfutils' libdebuginfod, where readers allow it.
 */
#ifndef PROGRAM_ELF_SEARCH_H
#define PROGRAM_ELF_SEARCH_H

#include <stdbool.h>

/*
 * For the whole process, to be called before the first search: a folder to which the
 * files of other machines were copied, which must outlive all searches, or NULL; and
 * whether servers may be used.
 */
void elf_search_below(const char *symfs);
void elf_search_online(bool online);
/* The folder of elf_search_below(); NULL: none. */
const char *elf_search_folder(void);

/*
 * The path of a file that is `path` of that build, somewhere else; the caller's to free.
 * Without a build-id it may be another one. NULL: there is none.
 */
char *elf_search_file(const char *path, const char *build_id);
/*
 * Opens the file with the debugging symbols of `path`, which has that build-id and is open at
 * `fd`, or not (-1). -1 when there is none.
 */
int elf_search_debug(int fd, const char *path, const char *build_id);

#endif
