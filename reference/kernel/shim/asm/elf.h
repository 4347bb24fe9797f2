/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_ELF_H
#define ELVCHECK_ASM_ELF_H
typedef unsigned long elf_gregset_t[32];
typedef unsigned long elf_fpregset_t[8];
#define ELF_CLASS ELFCLASS64
#define ELF_DATA ELFDATA2LSB
#define ELF_ARCH 62
#endif
