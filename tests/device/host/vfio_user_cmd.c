// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * vfio-user commands; each checks all of its request before it executes it,
 * REGION_WRITE_MULTI each entry.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "host/vfio_user.h"

/* Limit of nesting in the JSON of VERSION */
#define JSON_DEPTH 8

/* One request: its payload, and the buffer for the reply */
struct request {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t *out_len;
};

static void *put_reply(struct request *rq, const void *data, size_t len)
{
	uint8_t *at = rq->out + *rq->out_len;

	memcpy(at, data, len);
	*rq->out_len += len;
	return at;
}

static int do_version(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_version version;
	struct json_tokener *tokener;
	struct json_object *json;
	char text[256];
	bool ok;
	int len;

	memcpy(&version, rq->in, sizeof(version));
	if (vu->negotiated) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_STATE,
			      "VERSION once more");
		return -EINVAL;
	}
	if (version.major != 0) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_VERSION,
			      "client speaks version %u.%u", version.major,
			      version.minor);
		return -EINVAL;
	}
	len = rq->in_len - sizeof(version);
	/* The JSON text is optional and must be an object */
	if (len) {
		tokener = json_tokener_new_ex(JSON_DEPTH);
		if (!tokener)
			return -ENOMEM;
		json = rq->in[rq->in_len - 1] ?
			       NULL :
			       json_tokener_parse_ex(
				       tokener,
				       (const char *)rq->in + sizeof(version),
				       len);
		ok = json_object_is_type(json, json_type_object);
		json_object_put(json);
		json_tokener_free(tokener);
		if (!ok) {
			env_violation(vu->env, VIOLATION_VFIO_BAD_VERSION,
				      "capabilities are no JSON object");
			return -EINVAL;
		}
	}
	version.minor = 0;
	len = snprintf(text, sizeof(text),
		       "{\"capabilities\":{\"max_msg_fds\":%u,"
		       "\"max_data_xfer_size\":%u,\"max_dma_maps\":%u,"
		       "\"write_multiple\":true}}",
		       VFIO_USER_MAX_FDS, VFIO_USER_MAX_XFER, MEM_MAX_REGIONS);
	put_reply(rq, &version, sizeof(version));
	put_reply(rq, text, len + 1);
	vu->negotiated = true;
	return 0;
}

static int do_dma_map(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_dma_map map;
	int fd, err;

	memcpy(&map, rq->in, sizeof(map));
	if (map.argsz < sizeof(map)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_ARGSZ,
			      "DMA_MAP argsz %u", map.argsz);
		return -EINVAL;
	}
	if (!map.flags ||
	    map.flags & ~(VFIO_USER_MAP_READ | VFIO_USER_MAP_WRITE)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_FLAGS,
			      "DMA_MAP flags %#x", map.flags);
		return -EINVAL;
	}
	vfio_user_charge(vu, VFIO_USER_COST_MAP);
	fd = vu->in_fd_count ? vu->in_fd[0] : -1;
	err = vu->ops->dma_map(vu, map.iova, map.size, map.flags, fd,
			       map.offset);
	if (err)
		env_violation(vu->env, VIOLATION_VFIO_BAD_MAP,
			      "DMA_MAP %#llx+%#llx offset %#llx: %s",
			      (unsigned long long)map.iova,
			      (unsigned long long)map.size,
			      (unsigned long long)map.offset, strerror(-err));
	return err;
}

static int do_dma_unmap(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_dma_unmap unmap;
	int err;

	memcpy(&unmap, rq->in, sizeof(unmap));
	if (unmap.argsz < sizeof(unmap)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_ARGSZ,
			      "DMA_UNMAP argsz %u", unmap.argsz);
		return -EINVAL;
	}
	if (unmap.flags & ~VFIO_USER_UNMAP_ALL ||
	    (unmap.flags && (unmap.iova || unmap.size))) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_FLAGS,
			      "DMA_UNMAP flags %#x", unmap.flags);
		return -EINVAL;
	}
	vfio_user_charge(vu, VFIO_USER_COST_MAP);
	err = vu->ops->dma_unmap(vu, unmap.iova,
				 unmap.flags ? UINT64_MAX : unmap.size);
	if (err) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_UNMAP,
			      "DMA_UNMAP %#llx+%#llx: %s",
			      (unsigned long long)unmap.iova,
			      (unsigned long long)unmap.size, strerror(-err));
		return err;
	}
	put_reply(rq, &unmap, sizeof(unmap));
	return 0;
}

static int do_device_info(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_device_info info;

	memcpy(&info, rq->in, sizeof(info));
	if (info.argsz < sizeof(info)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_ARGSZ,
			      "GET_INFO argsz %u", info.argsz);
		return -EINVAL;
	}
	info = (struct vfio_user_device_info){
		.argsz = sizeof(info),
		.flags = VFIO_USER_DEVICE_RESET_OK | VFIO_USER_DEVICE_PCI,
		.regions = VFIO_USER_REGIONS,
		.irqs = VFIO_USER_IRQS,
	};
	put_reply(rq, &info, sizeof(info));
	return 0;
}

static int do_region_info(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_region_info info;
	uint64_t size;

	memcpy(&info, rq->in, sizeof(info));
	if (info.argsz < sizeof(info)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_ARGSZ,
			      "GET_REGION_INFO argsz %u", info.argsz);
		return -EINVAL;
	}
	if (info.index >= VFIO_USER_REGIONS) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_REGION,
			      "GET_REGION_INFO of region %u", info.index);
		return -EINVAL;
	}
	size = vu->region_size[info.index];
	info = (struct vfio_user_region_info){
		.argsz = sizeof(info),
		.flags = size ? VFIO_USER_REGION_READABLE |
					VFIO_USER_REGION_WRITABLE :
				0,
		.index = info.index,
		.size = size,
	};
	put_reply(rq, &info, sizeof(info));
	return 0;
}

static int do_irq_info(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_irq_info info;

	memcpy(&info, rq->in, sizeof(info));
	if (info.argsz < sizeof(info)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_ARGSZ,
			      "GET_IRQ_INFO argsz %u", info.argsz);
		return -EINVAL;
	}
	if (info.index >= VFIO_USER_IRQS) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_IRQ,
			      "GET_IRQ_INFO of irq %u", info.index);
		return -EINVAL;
	}
	info = (struct vfio_user_irq_info){
		.argsz = sizeof(info),
		.flags = VFIO_USER_IRQ_EVENTFD,
		.index = info.index,
		.count = vu->irq_count[info.index],
	};
	put_reply(rq, &info, sizeof(info));
	return 0;
}

static int set_irq_fds(struct vfio_user *vu, const struct vfio_user_irq_set *set)
{
	unsigned int i;

	if (vu->in_fd_count && vu->in_fd_count != set->count) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_FDS,
			      "SET_IRQS of %u with %u descriptors", set->count,
			      vu->in_fd_count);
		return -EINVAL;
	}
	for (i = 0; i < vu->in_fd_count; i++) {
		if (irqfd_valid(&vu->loop->irqfd, vu->in_fd[i]))
			continue;
		env_violation(vu->env, VIOLATION_VFIO_BAD_EVENTFD,
			      "SET_IRQS: descriptor %u is no eventfd", i);
		return -EINVAL;
	}
	if (set->index != VFIO_USER_IRQ_MSIX)
		return 0;
	for (i = 0; i < set->count; i++) {
		vu->ops->irq_set_fd(vu, set->start + i,
				    vu->in_fd_count ? vu->in_fd[i] : -1);
		if (vu->in_fd_count)
			vu->in_fd[i] = -1;
	}
	return 0;
}

static int trigger_irqs(struct vfio_user *vu,
			const struct vfio_user_irq_set *set, const uint8_t *data)
{
	unsigned int i;

	if (set->index != VFIO_USER_IRQ_MSIX)
		return 0;
	/* DATA_NONE with count 0 disables all interrupts of the index */
	if (!data && !set->count)
		for (i = 0; i < vu->irq_count[set->index]; i++)
			vu->ops->irq_set_fd(vu, i, -1);
	for (i = 0; i < set->count; i++)
		if (!data || data[i])
			vu->ops->irq_trigger(vu, set->start + i);
	return 0;
}

static int do_set_irqs(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_irq_set set;
	const uint8_t *data = NULL;
	unsigned int count;

	memcpy(&set, rq->in, sizeof(set));
	if (set.argsz < sizeof(set)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_ARGSZ,
			      "SET_IRQS argsz %u", set.argsz);
		return -EINVAL;
	}
	/* QEMU masks interrupts itself, so only TRIGGER is supported */
	if ((set.flags & VFIO_USER_IRQ_ACTION_MASK) != VFIO_USER_IRQ_TRIGGER ||
	    set.flags & ~(VFIO_USER_IRQ_ACTION_MASK | VFIO_USER_IRQ_DATA_MASK) ||
	    __builtin_popcount(set.flags & VFIO_USER_IRQ_DATA_MASK) != 1) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_FLAGS,
			      "SET_IRQS flags %#x", set.flags);
		return -EINVAL;
	}
	count = set.index < VFIO_USER_IRQS ? vu->irq_count[set.index] : 0;
	if (set.index >= VFIO_USER_IRQS || set.start > count ||
	    set.count > count - set.start) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_IRQ,
			      "SET_IRQS of irq %u, %u from %u on", set.index,
			      set.count, set.start);
		return -EINVAL;
	}
	/* Each vector may take a system call */
	vfio_user_charge(vu, set.count ? set.count : count);
	if (!(set.flags & VFIO_USER_IRQ_DATA_EVENTFD) && vu->in_fd_count) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_FDS,
			      "SET_IRQS with unexpected descriptors");
		return -EINVAL;
	}
	if (set.flags & VFIO_USER_IRQ_DATA_EVENTFD)
		return set_irq_fds(vu, &set);
	if (set.flags & VFIO_USER_IRQ_DATA_BOOL) {
		if (rq->in_len - sizeof(set) < set.count) {
			env_violation(vu->env, VIOLATION_VFIO_BAD_SIZE,
				      "SET_IRQS of %u with %zu bytes",
				      set.count, rq->in_len - sizeof(set));
			return -EINVAL;
		}
		data = rq->in + sizeof(set);
	}
	return trigger_irqs(vu, &set, data);
}

/* Check one access to a region */
static int check_access(struct vfio_user *vu, uint32_t region, uint64_t offset,
			uint32_t count)
{
	uint64_t size;

	if (region >= VFIO_USER_REGIONS || !vu->region_size[region]) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_REGION,
			      "access to region %u", region);
		return -EINVAL;
	}
	size = vu->region_size[region];
	if (!count || count > VFIO_USER_MAX_XFER || offset > size ||
	    count > size - offset) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_RANGE,
			      "region %u: %u bytes at %#llx", region, count,
			      (unsigned long long)offset);
		return -EINVAL;
	}
	if (region == VFIO_USER_REGION_CONFIG)
		return 0;
	if (count > 8 || count & (count - 1) || offset & (count - 1)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_RANGE,
			      "BAR%u: %u bytes at %#llx", region, count,
			      (unsigned long long)offset);
		return -EINVAL;
	}
	return 0;
}

static int do_region_read(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_region_access access;
	int err;

	memcpy(&access, rq->in, sizeof(access));
	err = check_access(vu, access.region, access.offset, access.count);
	if (err)
		return err;
	put_reply(rq, &access, sizeof(access));
	vu->ops->region_read(vu, access.region, access.offset,
			     rq->out + *rq->out_len, access.count);
	*rq->out_len += access.count;
	return 0;
}

static int do_region_write(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_region_access access;
	int err;

	memcpy(&access, rq->in, sizeof(access));
	if (access.count != rq->in_len - sizeof(access)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_SIZE,
			      "REGION_WRITE of %u with %zu bytes", access.count,
			      rq->in_len - sizeof(access));
		return -EINVAL;
	}
	err = check_access(vu, access.region, access.offset, access.count);
	if (err)
		return err;
	vu->ops->region_write(vu, access.region, access.offset,
			      rq->in + sizeof(access), access.count);
	put_reply(rq, &access, sizeof(access));
	return 0;
}

static int do_write_multi(struct vfio_user *vu, struct request *rq)
{
	struct vfio_user_write_entry entry;
	struct vfio_user_write_multi multi;
	size_t i;
	int err;

	memcpy(&multi, rq->in, sizeof(multi));
	if (multi.count != (rq->in_len - sizeof(multi)) / sizeof(entry) ||
	    (rq->in_len - sizeof(multi)) % sizeof(entry)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_SIZE,
			      "WRITE_MULTI of %llu with %zu bytes",
			      (unsigned long long)multi.count,
			      rq->in_len - sizeof(multi));
		return -EINVAL;
	}
	for (i = vu->multi_done; i < multi.count; i++) {
		vu->unfinished = !vu->budget;
		if (vu->unfinished) {
			vu->multi_done = i;
			return 0;
		}
		vfio_user_charge(vu, 1);
		memcpy(&entry, rq->in + sizeof(multi) + i * sizeof(entry),
		       sizeof(entry));
		err = entry.count > sizeof(entry.data) ? -EINVAL : 0;
		if (err)
			env_violation(vu->env, VIOLATION_VFIO_BAD_RANGE,
				      "WRITE_MULTI: entry of %u bytes",
				      entry.count);
		else
			err = check_access(vu, entry.region, entry.offset,
					   entry.count);
		if (err)
			return err;
		vu->ops->region_write(vu, entry.region, entry.offset,
				      entry.data, entry.count);
	}
	put_reply(rq, &multi, sizeof(multi));
	return 0;
}

static int do_reset(struct vfio_user *vu, struct request *rq)
{
	(void)rq;
	vfio_user_charge(vu, VFIO_USER_COST_RESET);
	vu->ops->reset(vu);
	return 0;
}

/* A command: handler, name, limits of payload and descriptors */
struct command {
	int (*fn)(struct vfio_user *vu, struct request *rq);
	const char *name;
	size_t min;
	size_t max;
	unsigned int max_fds;
};

#define MAX_PAYLOAD (VFIO_USER_MAX_MSG - sizeof(struct vfio_user_header))

static const struct command commands[VFIO_USER_CMD_COUNT] = {
	[VFIO_USER_VERSION] = {
		.fn = do_version,
		.name = "VERSION",
		.min = sizeof(struct vfio_user_version),
		.max = MAX_PAYLOAD,
	},
	[VFIO_USER_DMA_MAP] = {
		.fn = do_dma_map,
		.name = "DMA_MAP",
		.min = sizeof(struct vfio_user_dma_map),
		.max = sizeof(struct vfio_user_dma_map),
		.max_fds = 1,
	},
	[VFIO_USER_DMA_UNMAP] = {
		.fn = do_dma_unmap,
		.name = "DMA_UNMAP",
		.min = sizeof(struct vfio_user_dma_unmap),
		.max = sizeof(struct vfio_user_dma_unmap),
	},
	[VFIO_USER_DEVICE_GET_INFO] = {
		.fn = do_device_info,
		.name = "DEVICE_GET_INFO",
		.min = sizeof(struct vfio_user_device_info),
		.max = sizeof(struct vfio_user_device_info),
	},
	[VFIO_USER_DEVICE_GET_REGION_INFO] = {
		.fn = do_region_info,
		.name = "DEVICE_GET_REGION_INFO",
		.min = sizeof(struct vfio_user_region_info),
		.max = MAX_PAYLOAD,
	},
	[VFIO_USER_DEVICE_GET_IRQ_INFO] = {
		.fn = do_irq_info,
		.name = "DEVICE_GET_IRQ_INFO",
		.min = sizeof(struct vfio_user_irq_info),
		.max = sizeof(struct vfio_user_irq_info),
	},
	[VFIO_USER_DEVICE_SET_IRQS] = {
		.fn = do_set_irqs,
		.name = "DEVICE_SET_IRQS",
		.min = sizeof(struct vfio_user_irq_set),
		.max = MAX_PAYLOAD,
		.max_fds = VFIO_USER_MAX_FDS,
	},
	[VFIO_USER_REGION_READ] = {
		.fn = do_region_read,
		.name = "REGION_READ",
		.min = sizeof(struct vfio_user_region_access),
		.max = sizeof(struct vfio_user_region_access),
	},
	[VFIO_USER_REGION_WRITE] = {
		.fn = do_region_write,
		.name = "REGION_WRITE",
		.min = sizeof(struct vfio_user_region_access),
		.max = MAX_PAYLOAD,
	},
	[VFIO_USER_DEVICE_RESET] = {
		.fn = do_reset,
		.name = "DEVICE_RESET",
	},
	[VFIO_USER_REGION_WRITE_MULTI] = {
		.fn = do_write_multi,
		.name = "REGION_WRITE_MULTI",
		.min = sizeof(struct vfio_user_write_multi),
		.max = MAX_PAYLOAD,
	},
};

int vfio_user_handle(struct vfio_user *vu, size_t *reply_len)
{
	const struct vfio_user_header *header = &vu->in_header;
	const struct command *command;
	struct request rq = {
		.in = vu->in + sizeof(*header),
		.in_len = header->size - sizeof(*header),
		.out = vu->out + sizeof(*header),
		.out_len = reply_len,
	};

	if (header->cmd >= VFIO_USER_CMD_COUNT || !commands[header->cmd].fn) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_COMMAND, "command %u",
			      header->cmd);
		return -EINVAL;
	}
	command = &commands[header->cmd];
	if (!vu->negotiated && header->cmd != VFIO_USER_VERSION) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_STATE,
			      "%s before VERSION, closing", command->name);
		return -EINVAL;
	}
	if (rq.in_len < command->min || rq.in_len > command->max) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_SIZE,
			      "%s with %zu bytes", command->name, rq.in_len);
		return -EINVAL;
	}
	if (vu->in_fd_count > command->max_fds) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_FDS,
			      "%s with %u descriptors", command->name,
			      vu->in_fd_count);
		return -EINVAL;
	}
	return command->fn(vu, &rq);
}
