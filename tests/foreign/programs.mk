# SPDX-License-Identifier: GPL-2.0-or-later
# Called by build.sh, which says what the variables are.

CROSS_CC ?= riscv64-linux-gnu-gcc

ifeq ($(rule),rr)

RR_FLAGS = -std=gnu11 -O0 -g -w -pthread -static -D__USE_LARGEFILE64 -UNDEBUG \
	-DMQUEUE_H -DFANOTIFY_H -I$(CODE) -include $(HERE)/rr/rr.h \
	-I$(SOURCE)/include -I$(SOURCE)/src/preload

# This one is nothing but _start.
$(DIR)/exit_fast: RR_FLAGS += -nostartfiles
# Two are linked with a library of theirs.
$(DIR)/constructor $(DIR)/step_into_lib: more = $(CODE)/test_lib.c

# What these execute.
$(DIR)/clone_vfork $(DIR)/exec_shared_as $(DIR)/target_fork $(DIR)/target_process \
	$(DIR)/vfork: | $(DIR)/simple

$(DIR)/%: $(CODE)/%.c $(HERE)/rr/rr.h $(HERE)/programs.mk
	$(CROSS_CC) $(RR_FLAGS) -o $@ $< $(more) -lrt -ldl

endif
ifeq ($(rule),qemu)

VPATH = $(CODE)/multiarch:$(CODE)/multiarch/linux:$(CODE)/riscv64
TCG_FLAGS = -O1 -g -Wall -w -static -pthread -I$(CODE)/multiarch/libs

$(DIR)/float_%: more = $(CODE)/multiarch/libs/float_helpers.c
$(DIR)/test-noc: TCG_FLAGS = -nostdlib -static

$(DIR)/%: %.c $(HERE)/programs.mk
	$(CROSS_CC) $(TCG_FLAGS) -o $@ $< $(more) -lm -lrt

$(DIR)/%: %.S $(HERE)/programs.mk
	$(CROSS_CC) $(TCG_FLAGS) -o $@ $<

endif
