/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Text of an appendix of the hardware interface, made by a test from what the
 * card does, in the format of hardware-frames.txt. The test compares it with the
 * file in Documentation/, or writes that file if ORNIC_WRITE_VECTORS is in the
 * environment (make vectors).
 */
#ifndef ORNIC_UNIT_APPENDIX_H
#define ORNIC_UNIT_APPENDIX_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct appendix - an appendix while it is made
 * @name: file below Documentation/
 * @out: writes @text
 * @text: the text so far
 * @len: length of @text, bytes
 * @column: length of a line of fields that may go on, or 0
 */
struct appendix {
	const char *name;
	FILE *out;
	char *text;
	size_t len;
	unsigned int column;
};

void appendix_open(struct appendix *a, const char *name);
/* Compare the text with the file, or write the file */
void appendix_close(struct appendix *a);

/* Write text as it is */
void appendix_say(struct appendix *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Write comments, if @text is not NULL, and begin a block */
void appendix_block(struct appendix *a, const char *text, const char *kind,
		    const char *name);
/* Write bytes of a block */
void appendix_hex(struct appendix *a, const char *name, const void *bytes,
		  unsigned int len);
/*
 * Write a structure or a header of a packet: the bytes and the fields that are not
 * 0; return its length. A name behind a slash is the member of a union.
 */
unsigned int appendix_struct(struct appendix *a, const char *name, const void *bytes);
/* Write the parts of a register that are not 0, C: CAPS, S: STATUS, R: CTRL */
void appendix_register(struct appendix *a, char kind, uint32_t value);
/* Write a RoCE packet, header by header */
void appendix_packet(struct appendix *a, const uint8_t *bytes, unsigned int len);

/* Key of the Toeplitz hashes */
extern const uint8_t appendix_hash_key[];
/* Write ICRCs, hashes and source ports */
void appendix_wire(struct appendix *a);

/* ---- two cards whose packets are written down ---- */

#define APPENDIX_FRAME_BYTES 2048

struct pair;
struct pair_config;

/**
 * struct appendix_frame - a packet that was on the wire
 * @bytes: from the Ethernet header on, without FCS
 * @len: length of @bytes
 */
struct appendix_frame {
	uint8_t bytes[APPENDIX_FRAME_BYTES];
	unsigned int len;
};

/*
 * Create a pair that is the same each time: cards without SHADOW, numbers in
 * order, and a clock that stands still. QPs are of @type, not connected, with CQs
 * of 1 << @log_cqe bytes an entry.
 */
struct pair *appendix_pair(const struct pair_config *config, unsigned int type,
			   uint32_t flags, unsigned int log_cqe);
/* Write where the objects of both sides are */
void appendix_sides(struct appendix *a, struct pair *pair);
/* Forget the packets so far */
void appendix_frames_clear(void);
unsigned int appendix_frames(void);
/* Return the nth packet since then; fail if there is none */
const struct appendix_frame *appendix_frame(unsigned int n);

#endif /* ORNIC_UNIT_APPENDIX_H */
