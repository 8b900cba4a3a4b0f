/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fake QEMU passes to callbacks of the plugin as a whole: before version 7 of the API
 * the plugin's id comes first, from 7 on the data that were registered come last.
 */
#ifndef FAKE_ARGUMENTS_H
#define FAKE_ARGUMENTS_H

enum { ID = 7 }; /* of the plugin */

/* The plugin registers these callbacks without data. */
#if QEMU_PLUGIN_API >= 7
#define IS_NO_DATA() assert(!udata)
#define ARGUMENTS(...) (__VA_ARGS__, NULL)
#define RESET_ARGUMENTS (NULL)
#define EXIT_ARGUMENTS(udata) (udata)
#else
#define IS_NO_DATA()
#define ARGUMENTS(...) (ID, __VA_ARGS__)
#define RESET_ARGUMENTS (ID)
#define EXIT_ARGUMENTS(udata) (ID, udata)
#endif

#endif
