/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs of an initrd, or of another archive with the files of a guest. */
#ifndef COLLECT_GUEST_INITRD_H
#define COLLECT_GUEST_INITRD_H

#include "base/error.h"

/*
 * Puts the ELF files and the symbolic links of the archive at `path` into folder `root`: of a
 * cpio archive, or several of them one behind the other, as Linux takes them, or of a tar
 * archive, compressed or not. WM_E_IO, WM_E_FORMAT with advice.
 */
int guest_initrd_unpack(const char *path, const char *root, struct wm_error *err);

#endif
