/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Bytes that leave the card must have been set; checked with MemorySanitizer */
#ifndef ORNIC_FUZZ_DEFINED_H
#define ORNIC_FUZZ_DEFINED_H

#include <stddef.h>

#include "env/frame.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>

static inline void check_defined(const void *p, size_t len)
{
	__msan_check_mem_is_initialized(p, len);
}
#else
static inline void check_defined(const void *p, size_t len)
{
	(void)p;
	(void)len;
}
#endif

static inline void check_defined_frame(const struct frame *frame)
{
	unsigned int i;

	check_defined(frame->hdr, frame->hdr_len);
	check_defined(frame->trailer, frame->trailer_len);
	for (i = 0; i < frame->iov_count; i++)
		check_defined(frame->iov[i].iov_base, frame->iov[i].iov_len);
}

#endif /* ORNIC_FUZZ_DEFINED_H */
