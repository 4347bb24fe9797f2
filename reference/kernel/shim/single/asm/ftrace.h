/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing of the architecture's own. */
