// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Text of an appendix of the hardware interface */
#include <ctype.h>

#include "base/be.h"
#include "base/state.h"
#include "roce/icrc.h"
#include "roce/opcode.h"

#include "appendix.h"
#include "unit.h"

/* Longest line, and bytes in one, of fields */
#define LINE_LEN 100
#define LINE_BYTES 32

/* ---- files ---- */

void appendix_open(struct appendix *a, const char *name)
{
	*a = (struct appendix){ .name = name };
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

void appendix_block(struct appendix *a, const char *text, const char *kind,
		    const char *name)
{
	appendix_say(a, "\n");
	if (text)
		appendix_say(a, "# %s\n", text);
	appendix_say(a, "%s %s\n", kind, name);
}

static void say_hex(struct appendix *a, const uint8_t *bytes, unsigned int len)
{
	while (len--)
		appendix_say(a, "%02x", *bytes++);
}

void appendix_hex(struct appendix *a, const char *name, const void *bytes,
		  unsigned int len)
{
	unsigned int i, n;

	for (i = 0; i < len; i += n) {
		n = len - i < LINE_BYTES ? len - i : LINE_BYTES;
		appendix_say(a, "hex ");
		if (!i && *name)
			appendix_say(a, "%s ", name);
		say_hex(a, (const uint8_t *)bytes + i, n);
		appendix_say(a, "\n");
	}
}

/* ---- structures and headers ---- */

/**
 * struct layout - a structure of the hardware interface, or a header of a packet
 * @name: its name; a member of a union follows a slash
 * @flag: OPCODE_* of a header behind the BTH; they are in order
 * @fields: name:size and kind of each field, in order. The kind is l (little
 *          endian), b (big endian), x (only bytes), k (a key), or the kind of
 *          parts in @parts. A field "-" is told by its parts only.
 */
struct layout {
	const char *name;
	unsigned int flag;
	const char *fields;
};

static const struct layout layouts[] = {
	{ "ornic_sq_hdr", 0, "ctrl:4s imm:4b wr_id:8l" },
	{ "ornic_sq_hdr/inv_key", 0, "ctrl:4s inv_key:4k wr_id:8l" },
	{ "ornic_route_rc", 0, "raddr:8l rkey:4k xrc_srqn:4l" },
	{ "ornic_route_ud", 0,
	  "dqpn:4l qkey:4l rsvd:8l av.dgid:16x av.dmac:6x av.sgid_index:2l av.flow:4f "
	  "av.tclass:1l av.hop_limit:1l av.udp_sport:2l" },
	{ "ornic_route_eth", 0,
	  "flags:2l vlan_tci:2l csum_start:2l csum_offset:2l mss:2l hdr_len:2l rsvd:4l" },
	{ "ornic_sge", 0, "addr:8l length:4l lkey:4k" },
	{ "ornic_atomic", 0, "swap_add:8l compare:8l" },
	{ "ornic_atomic_mask", 0, "swap_add_mask:8l compare_mask:8l" },
	{ "ornic_flush", 0, "length:4l type:1l level:1l rsvd:10x" },
	{ "ornic_bind", 0, "mw_key:4k new_key:4k mr_key:4k access:4l addr:8l length:8l" },
	{ "ornic_reg_mr", 0,
	  "key:4k access:4l iova:8l length:8l buf.addr:8l buf.npages:4l buf.page_shift:1l "
	  "buf.levels:1l buf.rsvd:2x rsvd:8l" },
	{ "ornic_rq_hdr", 0, "ctrl:4l rsvd:4l wr_id:8l" },
	{ "ornic_cqe", 0,
	  "wr_id:8l status:4l opcode:4l src_qp:4l byte_len:4l imm:4b qpn:4q" },
	{ "ornic_cqe/inv_key", 0,
	  "wr_id:8l status:4l opcode:4l src_qp:4l byte_len:4l inv_key:4k qpn:4q" },
	{ "ornic_cqe/sq_num", 0,
	  "wr_id:8l status:4l opcode:4l src_qp:4l byte_len:4l sq_num:4l qpn:4q" },
	{ "ornic_cqe/vendor_err", 0,
	  "wr_id:8l status:4l opcode:4l vendor_err:4l byte_len:4l sq_num:4l qpn:4q" },
	{ "ornic_cqe_ext", 0,
	  "timestamp:8l flow_tag:4l rss_hash:4l vlan_tci:2l flags:2l smac:6x sl:1l "
	  "rsvd:5x" },
	{ "ornic_eqe", 0, "num:4l num2:4l data:8l data2:8l rsvd:4l ctl:4e" },
	{ "ornic_dma_test", 0, "nonce:8l answer:8l" },
	{ "ornic_cmd_sqe", 0,
	  "opcode:2l cmd_id:2l rsvd:4l in_len:4l out_len:4l in_addr:8l out_addr:8l" },
	{ "ornic_cmd_cqe", 0, "cmd_id:2l status:2l out_len:4l detail:4l ctl:4c" },
	{ "ornic_object", 0, "num:4l rsvd:4l" },
	{ "ornic_create_cq_in", 0,
	  "uctx:4l eqn:4l log_size:1l log_cqe_size:1l rsvd:2x flags:4l buf.addr:8l "
	  "buf.npages:4l buf.page_shift:1l buf.levels:1l buf.rsvd:2x dbr_addr:8l" },
	/* The first 64 bytes */
	{ "ornic_query_device_out", 0,
	  "features:8l guid:8l fw_version:4l max_uctx:4l max_pd:4l max_eq:4l max_eqe:4l "
	  "max_cq:4l max_cqe:4l max_qp:4l max_sq_slots:4l max_rq_wqes:4l max_sge:4l "
	  "max_inline:4l" },
	{ "Ethernet", 0, "-:14x" },
	{ "802.1Q", 0, "-:2V -:2x" },
	{ "IPv4", 0, "-:1x TOS:1b length:2b identification:2b -:2x TTL:1b -:11x" },
	{ "IPv6", 0, "-:4F payload_length:2b -:1x hop_limit:1b -:32x" },
	{ "UDP", 0, "from_port:2b to_port:2b length:2b checksum:2b" },
	{ "BTH", 0, "opcode:1b -:1B P_Key:2b -:1x QPN:3b -:1A PSN:3b" },
	{ "XRCETH", OPCODE_XRCETH, "-:1x SRQ:3b" },
	{ "DETH", OPCODE_DETH, "Q_Key:4b -:1x QPN:3b" },
	{ "FETH", OPCODE_FETH, "-:4T" },
	{ "RETH", OPCODE_RETH, "address:8b key:4b length:4b" },
	{ "AtomicETH", OPCODE_ATOMICETH, "address:8b key:4b swap_or_add:8b compare:8b" },
	{ "masks", OPCODE_MASKETH, "swap_add_mask:8b compare_mask:8b" },
	{ "AETH", OPCODE_AETH, "syndrome:1b MSN:3b" },
	{ "AtomicAckETH", OPCODE_ATOMICACKETH, "value_before:8b" },
	{ "ImmDt", OPCODE_IMMDT, "immediate:4b" },
	{ "IETH", OPCODE_IETH, "key:4b" },
};

/* Kinds of capital letters are big endian */
static const struct {
	char kind;
	const char *name;
	uint32_t mask;
} parts[] = {
	{ 'k', "index", ORNIC_KEY_INDEX },
	{ 'k', "variant", ORNIC_KEY_VARIANT },
	{ 's', "opcode", ORNIC_SQ_OPCODE },
	{ 's', "length", ORNIC_SQ_LENGTH },
	{ 's', "flags", ORNIC_SQ_FLAGS },
	{ 'f', "SL", ORNIC_AV_SL },
	{ 'f', "flow_label", ORNIC_AV_FLOW_LABEL },
	{ 'q', "phase", ORNIC_CQE_PHASE },
	{ 'q', "flags", ORNIC_CQE_FLAGS },
	{ 'q', "QPN", ORNIC_CQE_QPN },
	{ 'e', "phase", ORNIC_EQE_PHASE },
	{ 'e', "type", ORNIC_EQE_TYPE },
	{ 'c', "phase", ORNIC_CMD_CQE_PHASE },
	{ 'c', "sq_ci", ORNIC_CMD_CQE_SQ_CI },
	{ 'C', "ADMIN_DEPTH_MAX", ORNIC_CAPS_ADMIN_DEPTH_MAX },
	{ 'C', "RESET_TIMEOUT", ORNIC_CAPS_RESET_TIMEOUT },
	{ 'C', "SHADOW", ORNIC_CAPS_SHADOW },
	{ 'S', "READY", ORNIC_STATUS_READY },
	{ 'S', "ENABLED", ORNIC_STATUS_ENABLED },
	{ 'S', "FATAL", ORNIC_STATUS_FATAL },
	{ 'R', "RESET", ORNIC_CTRL_RESET },
	{ 'R', "ENABLE", ORNIC_CTRL_ENABLE },
	{ 'V', "priority", 0xe000 },
	{ 'V', "VID", 0x0fff },
	{ 'F', "traffic_class", 0x0ff00000 },
	{ 'F', "flow_label", 0x000fffff },
	{ 'B', "SE", 0x80 },
	{ 'B', "MigReq", 0x40 },
	{ 'B', "pad", 0x30 },
	{ 'A', "AckReq", 0x80 },
	{ 'T', "level", 0x30 },
	{ 'T', "type", 0x0f },
};

/**
 * struct field - a field of a layout
 * @name: its name
 * @size: bytes
 * @kind: as in struct layout
 */
struct field {
	char name[24];
	unsigned int size;
	char kind;
};

/* Return what is behind the first of the fields, or NULL if there is none */
static const char *next_field(const char *fields, struct field *field)
{
	int used;

	if (sscanf(fields, " %23[^:]:%u%c%n", field->name, &field->size, &field->kind,
		   &used) != 3)
		return NULL;
	return fields + used;
}

static const char *fields_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (!strcmp(layouts[i].name, name))
			return layouts[i].fields;
	fail_msg("no layout of %s", name);
	return NULL;
}

/* Write a name and its value in a line with others */
__attribute__((format(printf, 2, 3)))
static void say_pair(struct appendix *a, const char *fmt, ...)
{
	char text[LINE_LEN];
	va_list ap;
	unsigned int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (a->column)
		appendix_say(a, a->column + 1 + len > LINE_LEN ? "\n" : " ");
	if (a->column + 1 + len > LINE_LEN)
		a->column = 0;
	a->column += len + !!a->column;
	appendix_say(a, "%s", text);
}

static void end_line(struct appendix *a)
{
	if (a->column)
		appendix_say(a, "\n");
	a->column = 0;
}

/* Small numbers are the same in any base */
static void say_number(struct appendix *a, const char *outer, const char *name,
		       uint64_t value)
{
	if (value)
		say_pair(a, value < 10 ? "%s%s%s %llu" : "%s%s%s 0x%llx", outer,
			 *outer ? "." : "", name, (unsigned long long)value);
}

static void say_parts(struct appendix *a, const char *outer, char kind, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].kind == kind)
			say_number(a, outer, parts[i].name,
				   ORNIC_GET(parts[i].mask, value));
}

static void say_field(struct appendix *a, const struct field *field, const uint8_t *p)
{
	bool has_name = strcmp(field->name, "-");
	bool is_big = field->kind == 'b' || isupper((unsigned char)field->kind);
	char text[2 * LINE_BYTES + 1];
	uint64_t value = 0;
	unsigned int i;
	bool any = false;

	for (i = 0; i < field->size; i++) {
		value = value << 8 | p[is_big ? i : field->size - 1 - i];
		any |= p[i];
		sprintf(text + 2 * i, "%02x", p[i]);
	}
	if (field->kind == 'x') {
		if (has_name && any)
			say_pair(a, "%s %s", field->name, text);
		return;
	}
	if (has_name)
		say_number(a, "", field->name, value);
	say_parts(a, has_name ? field->name : "", field->kind, value);
}

unsigned int appendix_struct(struct appendix *a, const char *name, const void *bytes)
{
	char shown[24];
	const char *fields = fields_of(name), *next;
	unsigned int len = 0;
	struct field field;

	for (next = fields; (next = next_field(next, &field));)
		len += field.size;
	snprintf(shown, sizeof(shown), "%.*s", (int)strcspn(name, "/"), name);
	appendix_hex(a, shown, bytes, len);
	len = 0;
	for (next = fields; (next = next_field(next, &field)); len += field.size)
		say_field(a, &field, (const uint8_t *)bytes + len);
	end_line(a);
	return len;
}

void appendix_register(struct appendix *a, char kind, uint32_t value)
{
	say_parts(a, "", kind, value);
	end_line(a);
}

/* ---- packets ---- */

/* Write the headers before the BTH; return their length */
static unsigned int say_outer(struct appendix *a, const uint8_t *p)
{
	unsigned int at = appendix_struct(a, "Ethernet", p);

	if (be_get16(p + 12) == 0x8100)
		at += appendix_struct(a, "802.1Q", p + at);
	at += appendix_struct(a, be_get16(p + at - 2) == 0x0800 ? "IPv4" : "IPv6", p + at);
	return at + appendix_struct(a, "UDP", p + at);
}

void appendix_packet(struct appendix *a, const uint8_t *bytes, unsigned int len)
{
	const uint8_t *end = bytes + len - ICRC_LEN, *p = bytes;
	const struct opcode *op;
	unsigned int pad, i;

	p += say_outer(a, p);
	pad = p[1] >> 4 & 3;
	op = opcode_get(p[0]);
	assert_non_null(op);
	p += appendix_struct(a, "BTH", p);
	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (op->flags & layouts[i].flag)
			p += appendix_struct(a, layouts[i].name, p);
	appendix_hex(a, "payload", p, end - pad - p);
	appendix_hex(a, "pad", end - pad, pad);
	appendix_hex(a, "ICRC", end, ICRC_LEN);
}
