// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rules, counters, events and limits of the program `frames` */
#include "frames.h"

#define ATTR_ROOM 8192
#define COUNTERS_MAX 16

struct object *find(struct session *session, const char *name, enum kind kind)
{
	size_t i;

	for (i = 0; i < MAX_OBJECTS; i++) {
		struct object *object = &session->objects[i];

		if (object->kind != NONE && !strcmp(object->name, name) &&
		    (kind == NONE || object->kind == kind))
			return object;
	}
	failed(__FILE__, __LINE__, "nothing of kind %d is called %s", kind, name);
}

struct object *add(struct session *session, const char *name, enum kind kind)
{
	size_t i;

	for (i = 0; i < MAX_OBJECTS; i++) {
		struct object *object = &session->objects[i];

		if (object->kind != NONE)
			continue;
		memset(object, 0, sizeof(*object));
		object->kind = kind;
		snprintf(object->name, sizeof(object->name), "%s", name);
		return object;
	}
	failed(__FILE__, __LINE__, "too many objects");
}

size_t from_hex(const char *hex, uint8_t *bytes, size_t room)
{
	size_t i;

	for (i = 0; hex[2 * i] && hex[2 * i + 1]; i++) {
		want(i < room, "%zu", room);
		want(sscanf(hex + 2 * i, "%2hhx", &bytes[i]) == 1, "%s", hex);
	}
	return i;
}

VERB(query, 0)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_device_attr_ex attr;

	(void)words;
	want_ok(ibv_query_rt_values_ex(session->port.ctx, &values));
	tell(session, ", \"clock\": %llu", (unsigned long long)values.raw_clock.tv_nsec);
	want_ok(ibv_query_device_ex(session->port.ctx, NULL, &attr));
	tell(session, ", \"raw_packet_caps\": %u, \"max_wq\": %u", attr.raw_packet_caps,
	     attr.max_wq_type_rq);
	tell(session, ", \"max_tables\": %u, \"max_table_size\": %u, \"rss_qpts\": %u",
	     attr.rss_caps.max_rwq_indirection_tables,
	     attr.rss_caps.max_rwq_indirection_table_size, attr.rss_caps.supported_qpts);
	tell(session, ", \"hash_fields\": %llu, \"hash_functions\": %u",
	     (unsigned long long)attr.rss_caps.rx_hash_fields_mask,
	     attr.rss_caps.rx_hash_function);
	tell(session, ", \"max_tso\": %u, \"tso_qpts\": %u", attr.tso_caps.max_tso,
	     attr.tso_caps.supported_qpts);
	tell(session, ", \"min_rate\": %u, \"max_rate\": %u, \"rate_qpts\": %u",
	     attr.packet_pacing_caps.qp_rate_limit_min, attr.packet_pacing_caps.qp_rate_limit_max,
	     attr.packet_pacing_caps.supported_qpts);
	return tell(session, ", \"caps\": %u", attr.orig_attr.device_cap_flags);
}

/* NAME */
VERB(counters, 1)
{
	struct ibv_counters_init_attr attr = { 0 };
	struct ibv_counters *counters = ibv_create_counters(session->port.ctx, &attr);

	if (!counters)
		return errno;
	add(session, words[0], COUNTERS)->counters = counters;
	return 0;
}

/* COUNTERS FLOW DESCRIPTION INDEX; FLOW -: before any rule uses them */
VERB(attach, 4)
{
	struct ibv_counter_attach_attr attr = {
		.counter_desc = atoi(words[2]), .index = atoi(words[3]),
	};
	struct ibv_flow *flow = *words[1] == '-' ? NULL : find(session, words[1], FLOW)->flow;

	return ibv_attach_counters_point_flow(find(session, words[0], COUNTERS)->counters, &attr,
					      flow);
}

/* COUNTERS NUMBER */
VERB(read, 2)
{
	struct ibv_counters *counters = find(session, words[0], COUNTERS)->counters;
	uint64_t values[COUNTERS_MAX] = { 0 };
	unsigned int i, count = atoi(words[1]);
	int err;

	want(count <= COUNTERS_MAX, "%u", count);
	err = ibv_read_counters(counters, values, count, 0);
	if (err)
		return err;
	tell(session, ", \"values\": [");
	for (i = 0; i < count; i++)
		tell(session, "%s%llu", i ? ", " : "", (unsigned long long)values[i]);
	return tell(session, "]");
}

/*
 * NAME QP ATTR COUNTERS: ATTR is struct ibv_flow_attr and its specs in hexadecimal. COUNTERS is for
 * the last spec, an action COUNT, or - if there is none.
 */
VERB(flow, 4)
{
	struct ibv_qp *qp = find(session, words[1], QP)->qp;
	/* Sizes in ATTR may be wrong: the library must find zeros behind it */
	uint8_t *bytes = made(calloc(1, ATTR_ROOM));
	size_t len = from_hex(words[2], bytes, ATTR_ROOM / 2);
	struct ibv_flow_spec_counter_action *count = (void *)(bytes + len - sizeof(*count));
	struct ibv_flow *flow;
	int err = 0;

	if (*words[3] != '-')
		count->counters = find(session, words[3], COUNTERS)->counters;
	flow = ibv_create_flow(qp, (struct ibv_flow_attr *)bytes);
	if (flow)
		add(session, words[0], FLOW)->flow = flow;
	else
		err = errno;
	free(bytes);
	return err;
}

/* The memory of a queue goes with it */
static int destroy_object(struct object *object)
{
	int err = ENOENT;

	switch (object->kind) {
	case CQ:
		err = ibv_destroy_cq(object->cq);
		break;
	case QP:
		err = ibv_destroy_qp(object->qp);
		break;
	case WQ:
		err = ibv_destroy_wq(object->wq);
		break;
	case TABLE:
		err = ibv_destroy_rwq_ind_table(object->table);
		break;
	case COUNTERS:
		err = ibv_destroy_counters(object->counters);
		break;
	case FLOW:
		err = ibv_destroy_flow(object->flow);
		break;
	case NONE:
		break;
	}
	if (err)
		return err;
	mem_free(&object->rx);
	mem_free(&object->tx);
	object->kind = NONE;
	return 0;
}

/* NAME */
VERB(destroy, 1)
{
	return destroy_object(find(session, words[0], NONE));
}

/* Destroy all objects, users before what they use, and discard events */
VERB(reset, 0)
{
	static const enum kind order[] = { FLOW, QP, TABLE, WQ, COUNTERS, CQ };
	struct ibv_async_event event;
	size_t i, j;

	(void)words;
	while (!ibv_get_async_event(session->port.ctx, &event))
		ibv_ack_async_event(&event);
	for (i = 0; i < ARRAY_SIZE(order); i++)
		for (j = 0; j < MAX_OBJECTS; j++)
			if (session->objects[j].kind == order[i])
				want_ok(destroy_object(&session->objects[j]));
	return 0;
}

/* MILLISECONDS: EAGAIN if no event comes within that time */
VERB(event, 1)
{
	struct ibv_async_event event;
	const char *name = "";
	size_t i;

	if (!readable(session->port.ctx->async_fd, atoi(words[0])) ||
	    ibv_get_async_event(session->port.ctx, &event))
		return EAGAIN;
	/* All members of the union are pointers, except the port number */
	for (i = 0; i < MAX_OBJECTS; i++)
		if (session->objects[i].kind != NONE && session->objects[i].qp == event.element.qp)
			name = session->objects[i].name;
	tell(session, ", \"event\": %d, \"name\": \"%s\"", event.event_type, name);
	ibv_ack_async_event(&event);
	return 0;
}
