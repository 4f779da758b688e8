/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Text of an appendix of the hardware interface, made by a test from what the
 * card does: structures field by field, packets header by header. The test
 * compares it with the file in Documentation/, or writes that file if
 * ORNIC_WRITE_VECTORS is in the environment (make vectors).
 */
#ifndef ORNIC_UNIT_APPENDIX_H
#define ORNIC_UNIT_APPENDIX_H

#include <stdint.h>
#include <stdio.h>

/* Bytes of a structure or of a packet in one line */
#define APPENDIX_FIELD_BYTES 8
#define APPENDIX_PACKET_BYTES 16

/**
 * struct appendix - an appendix while it is made
 * @name: file below Documentation/
 * @out: writes @text
 * @text: the text so far
 * @len: length of @text, bytes
 * @indent: columns before lines of structures and packets, 3 at first
 */
struct appendix {
	const char *name;
	FILE *out;
	char *text;
	size_t len;
	int indent;
};

/**
 * struct appendix_part - bits of a field, or of a header of a packet
 * @name: name in the text
 * @mask: bits; 0 in a header of a packet: all bits
 * @offset: in a header of a packet: first byte
 * @size: in a header of a packet: bytes, big endian
 */
struct appendix_part {
	const char *name;
	uint32_t mask;
	unsigned int offset;
	unsigned int size;
};

/**
 * struct appendix_field - a member of a structure
 * @name: name in the header
 * @offset: first byte
 * @size: bytes
 * @order: byte order of the value: 'l' little endian, 'b' big endian, '-' none
 * @parts: bits with names, up to one without a name, or NULL
 */
struct appendix_field {
	const char *name;
	unsigned int offset;
	unsigned int size;
	char order;
	const struct appendix_part *parts;
};

/**
 * struct appendix_layout - a structure of the hardware interface
 * @name: name in the header
 * @fields: members up to one without a name
 * @size: bytes
 */
struct appendix_layout {
	const char *name;
	const struct appendix_field *fields;
	unsigned int size;
};

extern const struct appendix_layout appendix_sq_hdr;
/* The same with inv_key in place of imm */
extern const struct appendix_layout appendix_sq_hdr_inv;
extern const struct appendix_layout appendix_route_rc;
extern const struct appendix_layout appendix_route_ud;
extern const struct appendix_layout appendix_route_eth;
extern const struct appendix_layout appendix_sge;
extern const struct appendix_layout appendix_atomic;
extern const struct appendix_layout appendix_atomic_mask;
extern const struct appendix_layout appendix_flush;
extern const struct appendix_layout appendix_bind;
extern const struct appendix_layout appendix_reg_mr;
extern const struct appendix_layout appendix_rq_hdr;
/* src_qp and imm; src_qp and inv_key; vendor_err */
extern const struct appendix_layout appendix_cqe;
extern const struct appendix_layout appendix_cqe_inv;
extern const struct appendix_layout appendix_cqe_error;
extern const struct appendix_layout appendix_cqe_ext;
extern const struct appendix_layout appendix_eqe;
extern const struct appendix_layout appendix_dma_test;
extern const struct appendix_layout appendix_cmd_sqe;
extern const struct appendix_layout appendix_cmd_cqe;
extern const struct appendix_layout appendix_object;
extern const struct appendix_layout appendix_create_cq_in;
/* Up to max_inline */
extern const struct appendix_layout appendix_query_device_out;

void appendix_open(struct appendix *a, const char *name);
/* Compare the text with the file, or write the file */
void appendix_close(struct appendix *a);

/* Write text as it is */
void appendix_say(struct appendix *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Write a heading, underlined with @line */
void appendix_head(struct appendix *a, char line, const char *title);
/* Write @len bytes that have the offset @at and the name @name */
void appendix_bytes(struct appendix *a, unsigned int at, const char *name,
		    const void *bytes, unsigned int len);
/* Write the members of a structure whose offset is @at */
void appendix_struct(struct appendix *a, unsigned int at,
		     const struct appendix_layout *layout, const void *bytes);
/* Write a RoCE packet; the second one from its BTH on and without ICRC */
void appendix_packet(struct appendix *a, const uint8_t *bytes, unsigned int len);
void appendix_packet_bth(struct appendix *a, const uint8_t *bytes,
			 unsigned int len);
/* Write lines of bytes behind @name */
void appendix_lines(struct appendix *a, const char *name, const uint8_t *bytes,
		    unsigned int len);

/* Key of the Toeplitz hashes */
extern const uint8_t appendix_hash_key[];
/* Write the sections on ICRCs, hashes and source ports */
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
/* Forget the packets so far */
void appendix_frames_clear(void);
unsigned int appendix_frames(void);
/* Return the nth packet since then; fail if there is none */
const struct appendix_frame *appendix_frame(unsigned int n);

#endif /* ORNIC_UNIT_APPENDIX_H */
