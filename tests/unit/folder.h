/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A new folder that tests run in, for those that look at what is left in it. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

/*
 * Of a group of tests (cmocka's): goes into it; goes back and removes it, which fails when
 * anything was left.
 */
int folder_enter(void **state);
int folder_leave(void **state);

/* Files in it, except for . and .. */
unsigned folder_files(void);

#endif
