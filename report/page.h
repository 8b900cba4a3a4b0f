/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page around the data; tools/make-page.py makes it of what is in report/page/. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>

/* Empty when the chart library was not there. */
extern const char page_head[], page_tail[];
extern const size_t page_head_bytes, page_tail_bytes;

#endif
