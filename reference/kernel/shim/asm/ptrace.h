/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_PTRACE_H
#define ELVCHECK_ASM_PTRACE_H
struct pt_regs {
	unsigned long regs[32];
};
#define user_mode(regs) 0
#define instruction_pointer(regs) 0
#define profile_pc(regs) 0
#define current_pt_regs() ((struct pt_regs *)0)
#endif
