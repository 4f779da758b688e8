// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Text of an appendix of the hardware interface */
#include "base/be.h"
#include "base/state.h"
#include "eth/headers.h"
#include "roce/icrc.h"
#include "roce/opcode.h"

#include "appendix.h"
#include "unit.h"

/* Hexadecimal bytes of a line, with a space behind each */
#define HEX_LEN(bytes) (3 * (bytes) + 1)

/* ---- files ---- */

void appendix_open(struct appendix *a, const char *name)
{
	a->name = name;
	a->text = NULL;
	a->indent = 3;
	a->out = open_memstream(&a->text, &a->len);
	assert_non_null(a->out);
}

static FILE *appendix_file(const struct appendix *a, const char *mode)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), DOCUMENTS "/%s", a->name);
	file = fopen(path, mode);
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	return file;
}

/* Fail at the first line of the file that differs */
static void appendix_compare(const struct appendix *a)
{
	FILE *file = appendix_file(a, "r");
	const char *text = a->text;
	unsigned int number = 0;
	char line[256];
	size_t len;

	while (fgets(line, sizeof(line), file)) {
		number++;
		len = strlen(line);
		if (strncmp(text, line, len))
			fail_msg("%s, line %u is \"%.*s\", not \"%.*s\"; make vectors writes it",
				 a->name, number, (int)strcspn(line, "\n"), line,
				 (int)strcspn(text, "\n"), text);
		text += len;
	}
	if (*text)
		fail_msg("%s ends before \"%.*s\"", a->name,
			 (int)strcspn(text, "\n"), text);
	fclose(file);
}

void appendix_close(struct appendix *a)
{
	FILE *file;

	assert_int_equal(fclose(a->out), 0);
	if (getenv("ORNIC_WRITE_VECTORS")) {
		file = appendix_file(a, "w");
		assert_int_equal(fwrite(a->text, 1, a->len, file), a->len);
		assert_int_equal(fclose(file), 0);
	} else {
		appendix_compare(a);
	}
	free(a->text);
}

/* ---- text ---- */

void appendix_say(struct appendix *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(a->out, fmt, ap);
	va_end(ap);
}

void appendix_head(struct appendix *a, char line, const char *title)
{
	size_t i;

	appendix_say(a, "%s\n", title);
	for (i = 0; i < strlen(title); i++)
		appendix_say(a, "%c", line);
	appendix_say(a, "\n\n");
}

static const char *hex(char *text, const uint8_t *bytes, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		sprintf(text + 3 * i, "%02x ", bytes[i]);
	text[len ? 3 * len - 1 : 0] = 0;
	return text;
}

/* Write the value of a number; small ones are the same in any base */
static void say_number(struct appendix *a, uint64_t value)
{
	appendix_say(a, value < 10 ? "%llu" : "0x%llx", (unsigned long long)value);
}

void appendix_bytes(struct appendix *a, unsigned int at, const char *name,
		    const void *bytes, unsigned int len)
{
	char text[HEX_LEN(APPENDIX_FIELD_BYTES)];
	unsigned int i, n;

	for (i = 0; i < len; i += n) {
		n = len - i < APPENDIX_FIELD_BYTES ? len - i : APPENDIX_FIELD_BYTES;
		hex(text, (const uint8_t *)bytes + i, n);
		if (i)
			appendix_say(a, "%*s%3u  %s\n", a->indent, "", at + i, text);
		else
			appendix_say(a, "%*s%3u  %-23s  %s\n", a->indent, "", at, text,
				     name);
	}
}

/* ---- structures ---- */

static uint64_t number(const uint8_t *p, unsigned int size, bool big)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value = value << 8 | p[big ? i : size - 1 - i];
	return value;
}

static void say_field(struct appendix *a, unsigned int at,
		      const struct appendix_field *field, const uint8_t *p)
{
	const struct appendix_part *part;
	char text[HEX_LEN(APPENDIX_FIELD_BYTES)];
	uint64_t value = number(p, field->size, field->order == 'b');

	appendix_say(a, "%*s%3u  %-23s  %-15s ", a->indent, "", at,
		     hex(text, p, field->size), field->name);
	say_number(a, value);
	for (part = field->parts; part && part->name; part++) {
		appendix_say(a, part == field->parts ? ": %s " : ", %s ", part->name);
		say_number(a, ORNIC_GET(part->mask, (uint32_t)value));
	}
	appendix_say(a, "\n");
}

void appendix_struct(struct appendix *a, unsigned int at,
		     const struct appendix_layout *layout, const void *bytes)
{
	const struct appendix_field *field;

	for (field = layout->fields; field->name; field++) {
		const uint8_t *p = (const uint8_t *)bytes + field->offset;

		if (field->order == '-')
			appendix_bytes(a, at + field->offset, field->name, p,
				       field->size);
		else
			say_field(a, at + field->offset, field, p);
	}
}

/* ---- packets ---- */

void appendix_lines(struct appendix *a, const char *name, const uint8_t *bytes,
		    unsigned int len)
{
	char text[HEX_LEN(APPENDIX_PACKET_BYTES)];
	unsigned int i, n;

	for (i = 0; i < len; i += n) {
		n = len - i < APPENDIX_PACKET_BYTES ? len - i : APPENDIX_PACKET_BYTES;
		appendix_say(a, "%*s%-12s  %s\n", a->indent, "", i ? "" : name,
			     hex(text, bytes + i, n));
	}
}

/**
 * struct header - a header of a packet
 * @name: name in the text
 * @len: bytes
 * @flag: OPCODE_* of a header behind the BTH
 * @parts: what is told of it, up to one without a name
 */
struct header {
	const char *name;
	unsigned int len;
	unsigned int flag;
	struct appendix_part parts[9];
};

static const struct header ethernet = { .name = "Ethernet", .len = 14 };

static const struct header vlan = {
	.name = "802.1Q", .len = 4,
	.parts = { { "priority", 0xe000, 0, 2 }, { "VID", 0x0fff, 0, 2 } },
};

static const struct header ipv4 = {
	.name = "IPv4", .len = HEADERS_IPV4_LEN,
	.parts = { { "TOS", 0, 1, 1 }, { "length", 0, 2, 2 },
		   { "identification", 0, 4, 2 }, { "TTL", 0, 8, 1 } },
};

static const struct header ipv6 = {
	.name = "IPv6", .len = HEADERS_IPV6_LEN,
	.parts = { { "traffic class", 0x0ff00000, 0, 4 },
		   { "flow label", 0x000fffff, 0, 4 },
		   { "payload length", 0, 4, 2 }, { "hop limit", 0, 7, 1 } },
};

static const struct header udp = {
	.name = "UDP", .len = HEADERS_UDP_LEN,
	.parts = { { "from port", 0, 0, 2 }, { "to port", 0, 2, 2 },
		   { "length", 0, 4, 2 }, { "checksum", 0, 6, 2 } },
};

static const struct header bth = {
	.name = "BTH", .len = BTH_LEN,
	.parts = { { "opcode", 0, 0, 1 }, { "SE", 0x80, 1, 1 },
		   { "MigReq", 0x40, 1, 1 }, { "pad", 0x30, 1, 1 },
		   { "P_Key", 0, 2, 2 }, { "QPN", 0, 5, 3 },
		   { "AckReq", 0x80, 8, 1 }, { "PSN", 0, 9, 3 } },
};

/* In their order behind the BTH */
static const struct header extended[] = {
	{ "XRCETH", XRCETH_LEN, OPCODE_XRCETH, { { "SRQ", 0, 1, 3 } } },
	{ "DETH", DETH_LEN, OPCODE_DETH,
	  { { "Q_Key", 0, 0, 4 }, { "QPN", 0, 5, 3 } } },
	{ "FETH", FETH_LEN, OPCODE_FETH,
	  { { "type", 0x0f, 3, 1 }, { "level", 0x30, 3, 1 } } },
	{ "RETH", RETH_LEN, OPCODE_RETH,
	  { { "address", 0, 0, 8 }, { "key", 0, 8, 4 }, { "length", 0, 12, 4 } } },
	{ "AtomicETH", ATOMICETH_LEN, OPCODE_ATOMICETH,
	  { { "address", 0, 0, 8 }, { "key", 0, 8, 4 },
	    { "swap or add", 0, 12, 8 }, { "compare", 0, 20, 8 } } },
	{ "masks", MASKETH_LEN, OPCODE_MASKETH,
	  { { "swap_add_mask", 0, 0, 8 }, { "compare_mask", 0, 8, 8 } } },
	{ "AETH", AETH_LEN, OPCODE_AETH,
	  { { "syndrome", 0, 0, 1 }, { "MSN", 0, 1, 3 } } },
	{ "AtomicAckETH", ATOMICACKETH_LEN, OPCODE_ATOMICACKETH,
	  { { "value before", 0, 0, 8 } } },
	{ "ImmDt", IMMDT_LEN, OPCODE_IMMDT, { { "immediate", 0, 0, 4 } } },
	{ "IETH", IETH_LEN, OPCODE_IETH, { { "key", 0, 0, 4 } } },
};

/* Write one header; return what is behind it */
static const uint8_t *say_header(struct appendix *a, const struct header *header,
				 const uint8_t *p)
{
	const struct appendix_part *part;
	uint64_t value;

	appendix_lines(a, header->name, p, header->len);
	for (part = header->parts; part->name; part++) {
		value = number(p + part->offset, part->size, true);
		if (part == header->parts)
			appendix_say(a, "%*s= %s ", a->indent + 14, "", part->name);
		else
			appendix_say(a, ", %s ", part->name);
		say_number(a, part->mask ? ORNIC_GET(part->mask, (uint32_t)value) :
					   value);
	}
	if (part != header->parts)
		appendix_say(a, "\n");
	return p + header->len;
}

/* Write a packet from its BTH on up to @end, where its ICRC begins */
static void say_transport(struct appendix *a, const uint8_t *p, const uint8_t *end)
{
	const struct opcode *op = opcode_get(p[0]);
	unsigned int pad = p[1] >> 4 & 3, i;

	assert_non_null(op);
	p = say_header(a, &bth, p);
	for (i = 0; i < ARRAY_SIZE(extended); i++)
		if (op->flags & extended[i].flag)
			p = say_header(a, &extended[i], p);
	appendix_lines(a, "payload", p, end - pad - p);
	appendix_lines(a, "pad", end - pad, pad);
}

/* Return the BTH; write the headers before it if @a is not NULL */
static const uint8_t *outer_headers(struct appendix *a, const uint8_t *p)
{
	const struct header *headers[4];
	unsigned int count = 0, type = be_get16(p + 12), i;

	headers[count++] = &ethernet;
	if (type == 0x8100) {
		headers[count++] = &vlan;
		type = be_get16(p + 16);
	}
	headers[count++] = type == 0x0800 ? &ipv4 : &ipv6;
	headers[count++] = &udp;
	for (i = 0; i < count; i++)
		p = a ? say_header(a, headers[i], p) : p + headers[i]->len;
	return p;
}

void appendix_packet(struct appendix *a, const uint8_t *bytes, unsigned int len)
{
	const uint8_t *end = bytes + len - ICRC_LEN;

	say_transport(a, outer_headers(a, bytes), end);
	appendix_lines(a, "ICRC", end, ICRC_LEN);
}

void appendix_packet_bth(struct appendix *a, const uint8_t *bytes,
			 unsigned int len)
{
	say_transport(a, outer_headers(NULL, bytes), bytes + len - ICRC_LEN);
}
