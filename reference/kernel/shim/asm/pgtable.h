/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_PGTABLE_H
#define ELVCHECK_ASM_PGTABLE_H
/* No page tables are walked; these names only have to exist. */
#include <asm-generic/pgtable-nopud.h>
#include <asm/page.h>
#define PMD_SHIFT 21
#define PGDIR_SHIFT 32
#define PAGE_NONE __pgprot(0)
#define PAGE_SHARED __pgprot(0)
#define PAGE_COPY __pgprot(0)
#define PAGE_READONLY __pgprot(0)
#define PAGE_KERNEL __pgprot(0)
#define VMALLOC_START 0UL
#define VMALLOC_END (~0UL)
#define swapper_pg_dir ((pgd_t *)0)
#define pgd_present(pgd) 1
#define pgd_none(pgd) 0
#define pgd_bad(pgd) 0
#define pgd_clear(pgdp)
#define pmd_offset(pud, address) ((void *)0)
#define pmd_page(pmd) ((struct page *)0)
#define kern_addr_valid(address) 1
#define ZERO_PAGE(address) ((struct page *)0)
#endif
