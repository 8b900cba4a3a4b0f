/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules of the machine's kernel and code of BPF, told to the collector when they are loaded. */
#ifndef PLUGIN_SYSTEM_LOADED_H
#define PLUGIN_SYSTEM_LOADED_H

/* The callback of do_init_module(), which has the module as its argument. */
void loaded_on_init(unsigned vcpu, void *unused);
/* The callback of bpf_ksym_add(), which has the code's bpf_ksym as its argument. */
void loaded_on_bpf(unsigned vcpu, void *unused);

#endif
