/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_SIGCONTEXT_H
#define ELVCHECK_ASM_SIGCONTEXT_H
struct sigcontext {
	unsigned long regs[32];
};
#endif
