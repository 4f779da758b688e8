// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <errno.h>
#include <stdlib.h>

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
	struct ornic_ualloc_pd_resp resp = {};
	struct ibv_alloc_pd cmd = {};
	struct ornic_pd *pd;
	int ret;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	ret = ibv_cmd_alloc_pd(ibctx, &pd->ibv_pd, &cmd, sizeof(cmd),
			       &resp.ibv_resp, sizeof(resp));
	if (ret) {
		free(pd);
		errno = ret;
		return NULL;
	}
	return &pd->ibv_pd;
}

/**
 * ornic_alloc_parent_domain() - join a protection domain and a thread domain
 * @ibctx: context
 * @attr: the two; the thread domain is optional
 *
 * Own allocators are refused: the kernel allocates the rings, so nothing would
 * ever be asked of them.
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

	if (!check_comp_mask(attr->comp_mask,
			     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	pd = to_ornic_pd(attr->pd);
	if (pd->pd) {
		/* A parent domain has no parent */
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
	return &parent->ibv_pd;
}

/**
 * ornic_dealloc_pd() - free a protection or parent domain
 * @ibpd: domain, freed on success
 *
 * Return: 0, EBUSY while others refer to it, or what the kernel answers.
 */
int ornic_dealloc_pd(struct ibv_pd *ibpd)
{
	struct ornic_pd *pd = to_ornic_pd(ibpd);
	int ret;

	if (atomic_load(&pd->users))
		return EBUSY;

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

	if (attr->comp_mask) {
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

	if (atomic_load(&td->users))
		return EBUSY;

	free(td);
	return 0;
}

/**
 * ornic_get_parent_domain() - take a reference on a parent domain
 * @ibpd: protection or parent domain, or NULL
 *
 * Return: the parent domain, or NULL if @ibpd is none.
 */
struct ornic_pd *ornic_get_parent_domain(struct ibv_pd *ibpd)
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

/**
 * ornic_put_parent_domain() - give a reference back
 * @pd: what ornic_get_parent_domain() returned
 */
void ornic_put_parent_domain(struct ornic_pd *pd)
{
	if (pd)
		atomic_fetch_sub(&pd->users, 1);
}

/**
 * ornic_lock_init() - make a lock
 * @lock: lock
 * @needed: false if one thread at a time uses what it protects
 */
void ornic_lock_init(struct ornic_lock *lock, bool needed)
{
	pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
	lock->needed = needed;
}

/**
 * ornic_lock_destroy() - end of a lock
 * @lock: lock, not held
 */
void ornic_lock_destroy(struct ornic_lock *lock)
{
	pthread_spin_destroy(&lock->spin);
}
