/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ELVCHECK_ASM_BYTEORDER_H
#define ELVCHECK_ASM_BYTEORDER_H
#include <linux/byteorder/little_endian.h>
#endif
