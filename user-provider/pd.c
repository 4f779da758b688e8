// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Protection, parent and thread domains; memory and locks of objects */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compat.h"
#include "ornic.h"
#include "ornic_abi.h"

/**
 * ornic_alloc_pd() - allocate a protection domain
 * @ibctx: context
 *
 * Return: the domain; NULL with errno set.
 */
struct ibv_pd *ornic_alloc_pd(struct ibv_context *ibctx)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct ibv_alloc_pd cmd = {};
	struct ornic_pd *pd;
	int ret;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	ret = ibv_cmd_alloc_pd(ibctx, &pd->ibv_pd, &cmd, sizeof(cmd), &resp,
			       sizeof(resp));
	if (ret) {
		free(pd);
		errno = ret;
		return NULL;
	}
	return &pd->ibv_pd;
}

/* An allocator needs both callbacks */
static bool
ornic_pd_check_allocator(const struct ibv_parent_domain_init_attr *attr)
{
	return !(attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) ||
	       (attr->alloc && attr->free);
}

/**
 * ornic_alloc_parent_domain() - allocate a parent domain
 * @ibctx: context
 * @attr: protection domain; thread domain and allocator are optional
 *
 * The allocator provides the memory of the provider's objects. The kernel
 * allocates rings and doorbell records, so the flag that allows unprotected
 * memory in a confidential guest has no effect.
 *
 * Return: the parent domain; NULL with errno set.
 */
struct ibv_pd *
ornic_alloc_parent_domain(struct ibv_context *ibctx,
			  struct ibv_parent_domain_init_attr *attr)
{
	struct ornic_pd *parent;
	struct ornic_pd *pd;

	if (ibv_check_alloc_parent_domain(attr))
		return NULL;

	if (!ornic_check_bits(ibctx, "parent domain comp_mask", attr->comp_mask,
			      IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
			      IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT |
			      IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC)) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	pd = to_ornic_pd(attr->pd);
	if (pd->pd || !ornic_pd_check_allocator(attr)) {
		ornic_refuse(ibctx, "%s", pd->pd ?
			     "the pd of a parent domain is a parent domain" :
			     "a parent domain needs both alloc and free");
		errno = EINVAL;
		return NULL;
	}

	parent = calloc(1, sizeof(*parent));
	if (!parent)
		return NULL;

	ibv_initialize_parent_domain(&parent->ibv_pd, attr->pd);
	parent->pd = pd;
	atomic_fetch_add(&pd->users, 1);
	if (attr->td) {
		parent->td = to_ornic_td(attr->td);
		atomic_fetch_add(&parent->td->users, 1);
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) {
		parent->alloc = attr->alloc;
		parent->free = attr->free;
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)
		parent->pd_context = attr->pd_context;
	return &parent->ibv_pd;
}

/**
 * ornic_import_pd() - import a protection domain of another context
 * @ibctx: imported context
 * @handle: handle of the domain, not checked until a command uses it
 *
 * Return: the domain; NULL with errno set.
 */
struct ibv_pd *ornic_import_pd(struct ibv_context *ibctx, uint32_t handle)
{
	struct ornic_pd *pd;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	pd->ibv_pd.context = ibctx;
	pd->ibv_pd.handle = handle;
	return &pd->ibv_pd;
}

/**
 * ornic_unimport_pd() - release an imported domain, which stays allocated
 * @ibpd: domain from ornic_import_pd(), freed; nothing refers to it
 */
void ornic_unimport_pd(struct ibv_pd *ibpd)
{
	free(to_ornic_pd(ibpd));
}

/**
 * ornic_dealloc_pd() - free a protection or parent domain
 * @ibpd: domain, freed on success
 *
 * Return: 0 or a positive errno, EBUSY while objects refer to it.
 */
int ornic_dealloc_pd(struct ibv_pd *ibpd)
{
	struct ornic_pd *pd = to_ornic_pd(ibpd);
	int users = atomic_load(&pd->users);
	int ret;

	if (users) {
		ornic_refuse(ibpd->context, "%d objects use the %s domain",
			     users, pd->pd ? "parent" : "protection");
		return EBUSY;
	}

	if (pd->pd) {
		if (pd->td)
			atomic_fetch_sub(&pd->td->users, 1);
		atomic_fetch_sub(&pd->pd->users, 1);
	} else {
		ret = ibv_cmd_dealloc_pd(ibpd);
		if (ret)
			return ret;
	}

	free(pd);
	return 0;
}

/**
 * ornic_alloc_td() - allocate a thread domain
 * @ibctx: context
 * @attr: no options are defined
 *
 * Return: the domain; NULL with errno set.
 */
struct ibv_td *ornic_alloc_td(struct ibv_context *ibctx,
			      struct ibv_td_init_attr *attr)
{
	struct ornic_td *td;

	if (!ornic_check_bits(ibctx, "thread domain comp_mask",
			      attr->comp_mask, 0)) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;

	td->ibv_td.context = ibctx;
	return &td->ibv_td;
}

/**
 * ornic_dealloc_td() - free a thread domain
 * @ibtd: domain, freed on success
 *
 * Return: 0, or EBUSY while a parent domain refers to it.
 */
int ornic_dealloc_td(struct ibv_td *ibtd)
{
	struct ornic_td *td = to_ornic_td(ibtd);
	int users = atomic_load(&td->users);

	if (users) {
		ornic_refuse(ibtd->context,
			     "%d parent domains use the thread domain", users);
		return EBUSY;
	}

	free(td);
	return 0;
}

/* Returns @ibpd with a new reference if it is a parent domain, else NULL */
static struct ornic_pd *ornic_pd_get_parent(struct ibv_pd *ibpd)
{
	struct ornic_pd *pd;

	if (!ibpd)
		return NULL;

	pd = to_ornic_pd(ibpd);
	if (!pd->pd)
		return NULL;

	atomic_fetch_add(&pd->users, 1);
	return pd;
}

static void ornic_pd_put_parent(struct ornic_pd *pd)
{
	if (pd)
		atomic_fetch_sub(&pd->users, 1);
}

/*
 * ibv_alloc_parent_domain(3) has the RDMA driver ID in the upper 32 bits. The
 * PCI IDs replace it, because only drivers in the kernel tree have one.
 */
static uint64_t ornic_object_resource_type(enum ornic_resource resource)
{
	return ((uint64_t)ORNIC_PCI_VENDOR_ID << 48) |
	       ((uint64_t)ORNIC_PCI_DEVICE_ID << 32) | resource;
}

static void *ornic_pd_ask_allocator(struct ornic_pd *pd, size_t size,
				    enum ornic_resource resource)
{
	if (!pd || !pd->alloc)
		return IBV_ALLOCATOR_USE_DEFAULT;

	return pd->alloc(&pd->ibv_pd, pd->pd_context, size, ORNIC_CACHE_LINE,
			 ornic_object_resource_type(resource));
}

/**
 * ornic_lines_zalloc() - allocate memory that begins with a cache line
 * @size: bytes
 *
 * Return: zeroed memory for free(), or NULL.
 */
void *ornic_lines_zalloc(size_t size)
{
	void *object;

	if (posix_memalign(&object, ORNIC_CACHE_LINE, size))
		return NULL;
	return memset(object, 0, size);
}

/**
 * ornic_object_alloc() - allocate an object
 * @owner: filled in, to be stored in the object
 * @ibpd: protection or parent domain of the object, or NULL
 * @size: bytes
 * @resource: type of the object
 *
 * The object holds a reference to a parent domain until ornic_object_free().
 *
 * Return: zeroed memory; NULL with errno set.
 */
void *ornic_object_alloc(struct ornic_owner *owner, struct ibv_pd *ibpd,
			 size_t size, enum ornic_resource resource)
{
	void *object;

	owner->pd = ornic_pd_get_parent(ibpd);
	object = ornic_pd_ask_allocator(owner->pd, size, resource);
	owner->allocated = object != IBV_ALLOCATOR_USE_DEFAULT;
	if (!owner->allocated)
		object = ornic_lines_zalloc(size);
	else if (object)
		memset(object, 0, size);

	if (!object) {
		ornic_pd_put_parent(owner->pd);
		errno = ENOMEM;
	}
	return object;
}

/**
 * ornic_object_free() - free an object
 * @owner: copied out of the object
 * @object: memory from ornic_object_alloc()
 * @resource: type of the object
 */
void ornic_object_free(const struct ornic_owner *owner, void *object,
		       enum ornic_resource resource)
{
	struct ornic_pd *pd = owner->pd;

	if (owner->allocated)
		pd->free(&pd->ibv_pd, pd->pd_context, object,
			 ornic_object_resource_type(resource));
	else
		free(object);
	ornic_pd_put_parent(pd);
}

/**
 * ornic_owner_is_one_thread() - check if an object needs no lock
 * @owner: owner of the object
 *
 * Return: whether its parent domain has a thread domain.
 */
bool ornic_owner_is_one_thread(const struct ornic_owner *owner)
{
	return owner->pd && owner->pd->td;
}

/**
 * ornic_lock_init() - initialise a lock
 * @lock: lock
 * @needed: false if one thread at a time uses what it protects
 */
void ornic_lock_init(struct ornic_lock *lock, bool needed)
{
	pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
	lock->needed = needed;
}

/**
 * ornic_lock_destroy() - destroy a lock
 * @lock: lock, not held
 */
void ornic_lock_destroy(struct ornic_lock *lock)
{
	pthread_spin_destroy(&lock->spin);
}
