// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Answers of the control socket */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "process/device.h"
#include "process/report.h"

#define GROUP_MAX 64
/* Longest text of a refusal, with the zero byte */
#define ERROR_MAX 256

static void add(struct json_object *object, const char *name, uint64_t value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

/* Get member @name of @object; create it if there is none */
static struct json_object *group(struct json_object *object, const char *name)
{
	struct json_object *member;

	if (json_object_object_get_ex(object, name, &member))
		return member;
	member = json_object_new_object();
	json_object_object_add(object, name, member);
	return member;
}

/* The name "a.b" means member b of group a */
static void add_stat(void *arg, const char *name, uint64_t value)
{
	struct json_object *object = arg;
	const char *dot = strchr(name, '.');
	char text[GROUP_MAX];

	if (!dot) {
		add(object, name, value);
		return;
	}
	snprintf(text, sizeof(text), "%.*s", (int)(dot - name), name);
	add_stat(group(object, text), dot + 1, value);
}

static void add_port(struct json_object *object, const struct port *port)
{
	struct json_object *stats = group(object, "wire");

	add(stats, "tx_packets", port->stats.tx_packets);
	add(stats, "tx_bytes", port->stats.tx_bytes);
	add(stats, "rx_packets", port->stats.rx_packets);
	add(stats, "rx_bytes", port->stats.rx_bytes);
	add(stats, "drops", port->stats.drops);
	add(stats, "no_frame", port->stats.no_frame);
	add(stats, "refused", port->stats.refused);
}

/* Bytes of guest memory that are mapped for a card */
static uint64_t mapped_bytes(const struct mem *mem)
{
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < mem->count; i++)
		bytes += mem->region[i].len;
	return bytes;
}

/* Name of the host, and the features in force */
static void add_host(struct json_object *object, const struct card_host *host)
{
	struct json_object *part = group(object, "host");
	char text[GROUP_MAX];

	json_object_object_add(part, "name", json_object_new_string(host->name));
	snprintf(text, sizeof(text), "%u.%u",
		 ORNIC_GET(ORNIC_VERSION_MAJOR, host->version),
		 ORNIC_GET(ORNIC_VERSION_MINOR, host->version));
	json_object_object_add(part, "version", json_object_new_string(text));
	add(part, "page_size", 1ULL << host->page_shift);
	add(part, "features", host->features);
	add(part, "send_ops", host->send_ops);
}

/* The MAC tells which interface of which guest the card is */
static void add_mac(struct json_object *object, const uint8_t *mac)
{
	char text[sizeof("00:00:00:00:00:00")];

	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
		 mac[1], mac[2], mac[3], mac[4], mac[5]);
	json_object_object_add(object, "mac", json_object_new_string(text));
}

static struct json_object *report_card(const struct slot *slot)
{
	struct json_object *object = json_object_new_object();
	struct json_object *stats;
	unsigned int i;

	add_mac(object, slot->config.mac);
	json_object_object_add(object, "socket",
			       json_object_new_string(slot->vu.path));
	json_object_object_add(object, "connected",
			       json_object_new_boolean(slot->vu.client.fd >= 0));
	json_object_object_add(object, "link",
			       json_object_new_boolean(!slot->port.unplugged));
	add_port(object, &slot->port);
	stats = group(object, "function");
	add(stats, "irqs", slot->stats.irqs);
	add(stats, "irqs_dropped", slot->stats.irqs_dropped);
	add(stats, "resets", slot->stats.resets);
	add(stats, "sleeps", slot->stats.sleeps);
	add(stats, "time_ns", slot->share.used_ns);
	add(stats, "memory_regions", slot->mem.count);
	add(stats, "memory_bytes", mapped_bytes(&slot->mem));
	add(stats, "memory_files", slot->mem.file_count);
	add(stats, "memory_leaving_bytes", slot->mem.leaving.units);
	stats = group(object, "vfio_user");
	add(stats, "connects", slot->vu.stats.connects);
	add(stats, "refused", slot->vu.stats.refused);
	add(stats, "messages", slot->vu.stats.messages);
	add(stats, "errors", slot->vu.stats.errors);
	stats = group(object, "violations");
	for (i = 0; i < VIOLATION_COUNT; i++)
		add(stats, violation_name(i), slot->env.violations[i]);
	card_stats(slot->card, add_stat, group(object, "nic"));
	if (card_host(slot->card))
		add_host(object, card_host(slot->card));
	return object;
}

static void report_switch(struct json_object *object,
			  const struct switch_dev *sw)
{
	const struct list_head *node;
	struct json_object *ports, *faults;
	const struct port *port;
	unsigned int i;

	add(object, "delivered", sw->stats.delivered);
	add(object, "flooded", sw->stats.flooded);
	add(object, "filtered", sw->stats.filtered);
	add(object, "runts", sw->stats.runts);
	add(object, "local_leaks", sw->stats.local_leaks);
	add(object, "flush_drops", sw->stats.flush_drops);
	faults = group(object, "faults");
	for (i = 0; i < FAULT_KINDS; i++)
		add(faults, fault_name(i), sw->fault.count[i]);
	ports = group(object, "ports");
	list_for_each(node, &sw->ports) {
		port = list_entry(node, struct port, node);
		if (!port->is_card)
			add_port(group(ports, port->name), port);
	}
}

static void report_loop(struct json_object *object, const struct loop *loop)
{
	const struct loop_task *task;
	struct list_head *node;
	uint64_t spin_ns = 0, command_spin_ns = 0;

	list_for_each(node, &loop->tasks) {
		task = list_entry(node, struct loop_task, all);
		if (task->spin.ns > spin_ns)
			spin_ns = task->spin.ns;
		if (task->command_spin.ns > command_spin_ns)
			command_spin_ns = task->command_spin.ns;
	}
	add(object, "turns", loop->stats.turns);
	add(object, "sleeps", loop->stats.sleeps);
	add(object, "spin_hits", loop->stats.spin_hits);
	add(object, "spin_late", loop->stats.spin_late);
	add(object, "spin_misses", loop->stats.spin_misses);
	add(object, "yields", loop->stats.yields);
	add(object, "contended", loop->stats.contended);
	add(object, "spin_ns", spin_ns);
	add(object, "command_spin_ns", command_spin_ns);
}

static const char *qp_type(unsigned int type)
{
	switch (type) {
	case 0:
		return "WQ";
	case ORNIC_QPT_GSI:
		return "GSI";
	case ORNIC_QPT_RC:
		return "RC";
	case ORNIC_QPT_UC:
		return "UC";
	case ORNIC_QPT_UD:
		return "UD";
	case ORNIC_QPT_RAW_PACKET:
		return "RAW";
	case ORNIC_QPT_XRC_SEND:
		return "XRC_SEND";
	case ORNIC_QPT_XRC_RECV:
		return "XRC_RECV";
	default:
		return "?";
	}
}

static struct json_object *report_qp(const struct card_qp *qp)
{
	static const char *const states[] = {
		[ORNIC_QPS_RESET] = "RESET", [ORNIC_QPS_INIT] = "INIT",
		[ORNIC_QPS_RTR] = "RTR",     [ORNIC_QPS_RTS] = "RTS",
		[ORNIC_QPS_SQD] = "SQD",     [ORNIC_QPS_SQE] = "SQE",
		[ORNIC_QPS_ERR] = "ERR",
	};
	struct json_object *object = json_object_new_object();

	add(object, "qp", qp->num);
	json_object_object_add(object, "type",
			       json_object_new_string(qp_type(qp->type)));
	json_object_object_add(object, "state",
			       json_object_new_string(states[qp->state]));
	add(object, "peer", qp->peer);
	add(object, "sq_slots", qp->sq_slots);
	add(object, "sq_used", qp->sq_used);
	add(object, "rq_wqes", qp->rq_wqes);
	add(object, "rq_used", qp->rq_used);
	add(object, "tx_bytes", qp->tx_bytes);
	add(object, "sends", qp->sends);
	add(object, "rx_messages", qp->rx_messages);
	add(object, "retransmits", qp->retransmits);
	add(object, "ack_timeouts", qp->ack_timeouts);
	add(object, "seq_naks_received", qp->seq_naks_received);
	add(object, "rnr_naks_received", qp->rnr_naks_received);
	add(object, "rnr_naks_sent", qp->rnr_naks_sent);
	return object;
}

struct json_object *report_qps(const struct slot *slot, uint32_t place)
{
	struct json_object *answer = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct card_qp qp;
	unsigned int i;

	for (i = 0; i < REPORT_QPS; i++) {
		if (!card_next_qp(slot->card, &place, &qp))
			break;
		json_object_array_add(list, report_qp(&qp));
	}
	json_object_object_add(answer, "qps", list);
	if (i == REPORT_QPS)
		add(answer, "next", place);
	return answer;
}

static void report_trace(struct json_object *object, const struct tracer *tracer)
{
	json_object_object_add(object, "running", json_object_new_boolean(!!tracer->owner));
	add(object, "waiting", tracer->ring.tail - tracer->ring.head);
	add(object, "lost", tracer->ring.lost);
}

struct json_object *answer_error(const char *text)
{
	struct json_object *answer = json_object_new_object();
	char shown[ERROR_MAX];
	unsigned int i;

	/* The text may quote the request, and JSON is UTF-8 */
	for (i = 0; text[i] && i < sizeof(shown) - 1; i++)
		shown[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
	shown[i] = '\0';
	json_object_object_add(answer, "error", json_object_new_string(shown));
	return answer;
}

struct json_object *report_stats(const struct device *device)
{
	struct json_object *root = json_object_new_object();
	struct json_object *cards, *leaving, *capture;
	const struct slot *slot;
	unsigned int i;

	if (!root)
		return NULL;
	json_object_object_add(root, "version",
			       json_object_new_string(ORNIC_RELEASE));
	cards = group(root, "cards");
	leaving = json_object_new_array();
	json_object_object_add(root, "leaving", leaving);
	for (i = 0; i < device->slot_count; i++) {
		slot = device->slot[i];
		if (slot->leaving)
			json_object_array_add(leaving, json_object_new_string(slot->name));
		else
			json_object_object_add(cards, slot->name, report_card(slot));
	}
	report_switch(group(root, "switch"), &device->loop.sw);
	capture = group(root, "capture");
	json_object_object_add(capture, "running",
			       json_object_new_boolean(device->stream.running));
	add(capture, "packets", device->stream.packets);
	add(capture, "lost", device->stream.lost);
	report_loop(group(root, "loop"), &device->loop);
	report_trace(group(root, "trace"), &device->tracer);
	return root;
}
