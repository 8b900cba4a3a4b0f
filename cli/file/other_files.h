/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remarks on files that are not what ran. */
#ifndef CLI_FILE_OTHER_FILES_H
#define CLI_FILE_OTHER_FILES_H

#include "import/module.h"

/*
 * Says of which of files[n] the trace at `path`, which was made of a log, has no code, or other
 * code. A trace that cannot be opened has no remarks: whoever reads it gets the error.
 */
void remark_other_files(const char *path, const struct import_module *files, size_t n);

#endif
