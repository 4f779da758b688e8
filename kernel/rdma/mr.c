// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory regions and memory windows */
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/iter.h>
#include <rdma/uverbs_ioctl.h>

#include "device.h"
#include "mr.h"
#include "pbl.h"
#include "pd.h"

/* Page sizes for which struct ornic_buf has a valid page_shift */
#define ORNIC_PAGE_SIZES	GENMASK(31, ORNIC_INDEX_PAGE_SHIFT)

/* Both use the bits of enum ibv_access_flags */
static_assert(IB_ACCESS_LOCAL_WRITE == ORNIC_ACCESS_LOCAL_WRITE);
static_assert(IB_ACCESS_REMOTE_WRITE == ORNIC_ACCESS_REMOTE_WRITE);
static_assert(IB_ACCESS_REMOTE_READ == ORNIC_ACCESS_REMOTE_READ);
static_assert(IB_ACCESS_REMOTE_ATOMIC == ORNIC_ACCESS_REMOTE_ATOMIC);
static_assert(IB_ACCESS_MW_BIND == ORNIC_ACCESS_MW_BIND);
static_assert(IB_ZERO_BASED == ORNIC_ACCESS_ZERO_BASED);
static_assert(IB_ACCESS_FLUSH_GLOBAL == ORNIC_ACCESS_FLUSH_GLOBAL);
static_assert(IB_ACCESS_FLUSH_PERSISTENT == ORNIC_ACCESS_FLUSH_PERSISTENT);
static_assert(IB_ACCESS_RELAXED_ORDERING == ORNIC_ACCESS_RELAXED_ORDERING);

/**
 * ornic_mr_access - convert access flags
 * @dev:	the device
 * @access:	IB_ACCESS_*
 * @hw:		set to ORNIC_ACCESS_*
 *
 * Return: 0, or -EOPNOTSUPP for flags that the device does not support.
 */
int ornic_mr_access(const struct ornic_ib_dev *dev, int access, u32 *hw)
{
	u32 known = dev->odev->lim.access_flags;

	/* Optional flags are hints and may be ignored */
	*hw = access & (~IB_ACCESS_OPTIONAL | known);
	return *hw & ~known ? -EOPNOTSUPP : 0;
}

/* As ornic_mr_access(), which posting uses, too; logs what it refuses */
static int ornic_mr_check_access(const struct ornic_ib_dev *dev, int access, u32 *hw)
{
	if (!ornic_mr_access(dev, access, hw))
		return 0;

	return ornic_check_flags(&dev->ibdev, "MR access", *hw, dev->odev->lim.access_flags);
}

static int ornic_mr_check_length(const struct ornic_ib_dev *dev, u64 length)
{
	return ornic_check_range(&dev->ibdev, "MR length", length, 0, dev->odev->lim.max_mr_size);
}

/* Creates a region or a window; its variant is filled in */
static int ornic_mr_create(struct ornic_ib_dev *dev, bool urgent, struct ornic_create_mr_in *in,
			   u32 *key)
{
	/* A random variant keeps an old key from working again soon */
	in->variant = get_random_u8();
	return ornic_cmd_create_as(dev->odev, urgent, ORNIC_CMD_CREATE_MR, in, sizeof(*in), key);
}

/**
 * ornic_mr_init_shared - create the PD and the MR that all processes share
 * @dev:	its null_key and void_pdn are filled in
 *
 * Return: 0 or as ornic_cmd_exec().
 */
int ornic_mr_init_shared(struct ornic_ib_dev *dev)
{
	struct ornic_create_mr_in in = {
		.access = cpu_to_le32(ORNIC_ACCESS_LOCAL_WRITE),
		.type = ORNIC_MR_NULL,
		.length = cpu_to_le64(U64_MAX),
	};
	int err;

	err = ornic_pd_alloc(dev->odev, &dev->void_pdn);
	if (err || !(dev->odev->lim.features & ORNIC_FEAT_NULL_MR))
		return err;

	in.pdn = cpu_to_le32(dev->void_pdn);
	err = ornic_mr_create(dev, false, &in, &dev->null_key);
	if (err)
		goto err_free_pd;

	return 0;

err_free_pd:
	ornic_pd_free(dev->odev, dev->void_pdn);
	return err;
}

/**
 * ornic_mr_uninit_shared - undo ornic_mr_init_shared()
 * @dev:	has no MRs
 */
void ornic_mr_uninit_shared(struct ornic_ib_dev *dev)
{
	if (dev->odev->lim.features & ORNIC_FEAT_NULL_MR)
		ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_MR, dev->null_key);
	ornic_pd_free(dev->odev, dev->void_pdn);
}

/* Its commands are executed with the dma_resv lock held, so they are urgent */
static bool ornic_mr_is_dmabuf(const struct ornic_mr *mr)
{
	return mr->umem && mr->umem->is_dmabuf;
}

/* Both keys of a region are the same */
static int ornic_mr_create_keys(struct ornic_ib_dev *dev, struct ornic_create_mr_in *in,
				struct ornic_mr *mr)
{
	int err;

	err = ornic_mr_create(dev, ornic_mr_is_dmabuf(mr), in, &mr->ibmr.lkey);
	mr->ibmr.rkey = mr->ibmr.lkey;
	return err;
}

struct ib_mr *ornic_ib_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibpd->device);
	struct ornic_create_mr_in in = {
		.pdn = cpu_to_le32(to_ornic_pd(ibpd)->pdn),
		.type = ORNIC_MR_DMA,
	};
	struct ornic_mr *mr;
	u32 hw_access;
	int err;

	err = ornic_mr_check_access(dev, access, &hw_access);
	if (err)
		return ERR_PTR(err);

	mr = kzalloc_obj(*mr);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	mr->access = access;
	in.access = cpu_to_le32(hw_access);
	err = ornic_mr_create_keys(dev, &in, mr);
	if (err)
		goto err_free_mr;

	return &mr->ibmr;

err_free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

/* Uses the largest pages that the device and the alignment of memory allow */
static int ornic_mr_list_pages(struct ornic_ib_dev *dev, struct ib_umem *umem, u64 iova,
			       struct ornic_pbl *pbl)
{
	struct ib_block_iter iter;
	unsigned long page_size;
	size_t npages;
	u32 i = 0;
	int err;

	page_size = ib_umem_find_best_pgsz(umem, dev->odev->lim.page_sizes & ORNIC_PAGE_SIZES,
					   iova);
	if (!page_size) {
		ibdev_dbg_ratelimited(&dev->ibdev,
				      "MR at iova %#llx: its memory has no page size of %#llx\n",
				      iova, (u64)dev->odev->lim.page_sizes & ORNIC_PAGE_SIZES);
		return -EINVAL;
	}

	npages = ib_umem_num_dma_blocks(umem, page_size);
	if (npages > ORNIC_PBL_MAX) {
		ibdev_dbg_ratelimited(&dev->ibdev,
				      "MR at iova %#llx: %zu pages of %#lx bytes, limit %llu\n",
				      iova, npages, page_size, ORNIC_PBL_MAX);
		return -EINVAL;
	}

	err = ornic_pbl_alloc(pbl, npages, ilog2(page_size), false);
	if (err)
		return err;

	rdma_umem_for_each_dma_block(umem, &iter, page_size)
		ornic_pbl_set(pbl, i++, rdma_block_iter_dma_address(&iter));

	err = ornic_pbl_map(&dev->ibdev, pbl);
	if (err)
		ornic_pbl_free(&dev->ibdev, pbl);
	return err;
}

static u64 ornic_mr_first_offset(const struct ornic_pbl *pbl, u64 iova)
{
	return iova & ((1ull << pbl->buf.page_shift) - 1);
}

/* Checks the arguments before memory is pinned, and fills in the command */
static int ornic_mr_prepare(const struct ornic_ib_dev *dev, struct ib_pd *ibpd, u64 length,
			    u64 iova, int access, const struct ib_dmah *dmah,
			    struct ornic_create_mr_in *in)
{
	u32 hw_access;
	int err;

	if (dmah) {
		ibdev_dbg_ratelimited(&dev->ibdev, "MR with a DMA handle is not supported\n");
		return -EOPNOTSUPP;
	}

	err = ornic_mr_check_length(dev, length);
	if (err)
		return err;

	err = ornic_mr_check_access(dev, access, &hw_access);
	if (err)
		return err;

	*in = (struct ornic_create_mr_in) {
		.pdn = cpu_to_le32(to_ornic_pd(ibpd)->pdn),
		.access = cpu_to_le32(hw_access),
		.type = ORNIC_MR_MEMORY,
		.iova = cpu_to_le64(iova),
		.length = cpu_to_le64(length),
	};
	return 0;
}

/* The region owns the umem on success only */
static struct ib_mr *ornic_mr_register(struct ornic_ib_dev *dev, struct ib_umem *umem, int access,
				       struct ornic_create_mr_in *in)
{
	u64 iova = le64_to_cpu(in->iova);
	struct ornic_mr *mr;
	int err;

	mr = kzalloc_obj(*mr);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	mr->access = access;
	mr->umem = umem;
	err = ornic_mr_list_pages(dev, umem, iova, &mr->pbl);
	if (err)
		goto err_free_mr;

	in->first_offset = cpu_to_le64(ornic_mr_first_offset(&mr->pbl, iova));
	in->buf = mr->pbl.buf;
	err = ornic_mr_create_keys(dev, in, mr);
	if (err)
		goto err_free_pbl;

	mr->ibmr.page_size = 1u << mr->pbl.buf.page_shift;
	return &mr->ibmr;

err_free_pbl:
	ornic_pbl_free(&dev->ibdev, &mr->pbl);
err_free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

struct ib_mr *ornic_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
				   int access, struct ib_dmah *dmah, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibpd->device);
	struct ornic_create_mr_in in;
	struct ib_umem *umem;
	struct ib_mr *ibmr;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);

	err = ornic_mr_prepare(dev, ibpd, length, iova, access, dmah, &in);
	if (err)
		return ERR_PTR(err);

	umem = ib_umem_get_va(&dev->ibdev, start, length, access);
	if (IS_ERR(umem))
		return ERR_CAST(umem);

	ibmr = ornic_mr_register(dev, umem, access, &in);
	if (IS_ERR(ibmr))
		ib_umem_release(umem);
	return ibmr;
}

/*
 * The exporter takes its memory back. Moving the region to a PD without QPs
 * keeps the key allocated, but makes it useless; accesses in progress end
 * before the command does. Windows cannot make the command fail: the core does
 * not let any be bound to a dma-buf.
 */
static void ornic_mr_revoke(void *priv)
{
	struct ornic_mr *mr = priv;
	struct ornic_ib_dev *dev = to_ornic_ib_dev(mr->ibmr.device);
	struct ornic_modify_mr_in in = {
		.key = cpu_to_le32(mr->ibmr.lkey),
		.mask = cpu_to_le32(ORNIC_MODIFY_MR_PD),
		.pdn = cpu_to_le32(dev->void_pdn),
	};
	int err;

	/* The exporter holds the dma_resv lock, and others may wait for it */
	err = ornic_cmd_exec_urgent(dev->odev, ORNIC_CMD_MODIFY_MR, &in, sizeof(in), NULL, 0);
	/* The exporter reuses the memory next: stop a device that may use it */
	if (err)
		ornic_dev_fail(dev->odev, "revoking mr %#x failed: %d", mr->ibmr.lkey, err);
}

/* Pinned, because the device cannot wait for pages; the exporter may revoke */
struct ib_mr *ornic_ib_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 iova,
					  int fd, int access, struct ib_dmah *dmah,
					  struct uverbs_attr_bundle *attrs)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibpd->device);
	struct ornic_create_mr_in in;
	struct ib_umem_dmabuf *dmabuf;
	struct ib_mr *ibmr;
	int err;

	err = ornic_mr_prepare(dev, ibpd, length, iova, access, dmah, &in);
	if (err)
		return ERR_PTR(err);

	/*
	 * Threads wait for each other here, and not with the dma_resv lock, which others may want:
	 * a process may have any number of dma-bufs.
	 */
	down(&dev->dmabufs);
	dmabuf = ib_umem_dmabuf_get_pinned_revocable_and_lock(&dev->ibdev, offset, length, fd,
							      access);
	if (IS_ERR(dmabuf)) {
		ibmr = ERR_CAST(dmabuf);
		goto out_up;
	}

	ibmr = ornic_mr_register(dev, &dmabuf->umem, access, &in);
	if (!IS_ERR(ibmr)) {
		/* For ornic_mr_revoke(): the core sets it only after return */
		ibmr->device = &dev->ibdev;
		ib_umem_dmabuf_set_revoke_locked(dmabuf, ornic_mr_revoke, to_ornic_mr(ibmr));
	}
	ib_umem_dmabuf_revoke_unlock(dmabuf);
	if (IS_ERR(ibmr))
		ib_umem_release(&dmabuf->umem);
out_up:
	up(&dev->dmabufs);
	return ibmr;
}

/* Changes a region; @next has the umem and page list of its new memory */
static int ornic_mr_modify(struct ornic_ib_dev *dev, const struct ornic_mr *mr, int flags,
			   u64 length, u64 iova, u32 hw_access, struct ib_pd *ibpd,
			   const struct ornic_mr *next)
{
	struct ornic_modify_mr_in in = { .key = cpu_to_le32(mr->ibmr.lkey) };
	u32 mask = 0;

	if (flags & IB_MR_REREG_PD) {
		mask |= ORNIC_MODIFY_MR_PD;
		in.pdn = cpu_to_le32(to_ornic_pd(ibpd)->pdn);
	}
	if (flags & IB_MR_REREG_ACCESS) {
		mask |= ORNIC_MODIFY_MR_ACCESS;
		in.access = cpu_to_le32(hw_access);
	}
	if (flags & IB_MR_REREG_TRANS) {
		mask |= ORNIC_MODIFY_MR_MEMORY;
		in.iova = cpu_to_le64(iova);
		in.length = cpu_to_le64(length);
		in.first_offset = cpu_to_le64(ornic_mr_first_offset(&next->pbl, iova));
		in.buf = next->pbl.buf;
	}
	in.mask = cpu_to_le32(mask);
	return ornic_cmd_exec(dev->odev, ORNIC_CMD_MODIFY_MR, &in, sizeof(in), NULL, 0);
}

/* Changes the region in place: keys stay, and errors leave it as it was */
struct ib_mr *ornic_ib_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				     u64 iova, int access, struct ib_pd *ibpd,
				     struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibmr->device);
	struct ornic_mr *mr = to_ornic_mr(ibmr);
	struct ornic_mr next = {
		.access = flags & IB_MR_REREG_ACCESS ? access : mr->access,
	};
	u32 hw_access;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);

	/*
	 * The exporter may have revoked a dma-buf and may use its memory for others.
	 * The region must never be valid again.
	 */
	if (mr->umem->is_dmabuf) {
		ibdev_dbg_ratelimited(&dev->ibdev, "MR of a dma-buf cannot be changed\n");
		return ERR_PTR(-EOPNOTSUPP);
	}

	err = ib_umem_check_rereg(mr->umem, flags, access);
	if (err)
		return ERR_PTR(err);

	err = ornic_mr_check_access(dev, next.access, &hw_access);
	if (err)
		return ERR_PTR(err);

	if (flags & IB_MR_REREG_TRANS) {
		err = ornic_mr_check_length(dev, length);
		if (err)
			return ERR_PTR(err);

		next.umem = ib_umem_get_va(&dev->ibdev, start, length, next.access);
		if (IS_ERR(next.umem))
			return ERR_CAST(next.umem);

		err = ornic_mr_list_pages(dev, next.umem, iova, &next.pbl);
		if (err)
			goto err_release_umem;
	}

	err = ornic_mr_modify(dev, mr, flags, length, iova, hw_access, ibpd, &next);
	if (err)
		goto err_free_pbl;

	if (flags & IB_MR_REREG_TRANS) {
		swap(mr->umem, next.umem);
		swap(mr->pbl, next.pbl);
		mr->ibmr.page_size = 1u << mr->pbl.buf.page_shift;
		ornic_pbl_free(&dev->ibdev, &next.pbl);
		ib_umem_release(next.umem);
	}
	mr->access = next.access;
	return NULL;

err_free_pbl:
	ornic_pbl_free(&dev->ibdev, &next.pbl);
err_release_umem:
	ib_umem_release(next.umem);
	return ERR_PTR(err);
}

/*
 * Windows that are bound to a region keep it, and the core tries again when it
 * has freed them. A device that refuses without windows refuses for ever: the
 * core would warn and leak the region with its memory.
 */
static int ornic_mr_destroy_cmd(struct ornic_ib_dev *dev, struct ornic_mr *mr)
{
	struct ornic_pd *pd = to_ornic_pd(mr->ibmr.pd);
	int freed = atomic_read_acquire(&pd->windows_freed);
	int windows = atomic_read(&pd->windows);
	int err;

	err = ornic_cmd_destroy_as(dev->odev, ornic_mr_is_dmabuf(mr), ORNIC_CMD_DESTROY_MR,
				   mr->ibmr.lkey);
	/* None existed before, and none was allocated meanwhile */
	if (err && freed == windows && atomic_read(&pd->windows) == windows) {
		ornic_dev_fail(dev->odev, "mr %#x is busy without windows", mr->ibmr.lkey);
		err = 0;
	}
	return err;
}

static int ornic_mr_destroy(struct ornic_ib_dev *dev, struct ornic_mr *mr)
{
	struct ib_umem_dmabuf *dmabuf;
	int err;

	/* Kernel consumers free the memory and ignore the result */
	if (!mr->umem) {
		ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_MR, mr->ibmr.lkey);
		return 0;
	}
	if (!ornic_mr_is_dmabuf(mr))
		return ornic_mr_destroy_cmd(dev, mr);

	/* Disable revocation before the umem is released */
	dmabuf = to_ib_umem_dmabuf(mr->umem);
	down(&dev->dmabufs);
	ib_umem_dmabuf_revoke_lock(dmabuf);
	err = ornic_mr_destroy_cmd(dev, mr);
	if (!err)
		ib_umem_dmabuf_set_revoke_locked(dmabuf, NULL, NULL);
	ib_umem_dmabuf_revoke_unlock(dmabuf);
	up(&dev->dmabufs);
	return err;
}

int ornic_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibmr->device);
	struct ornic_mr *mr = to_ornic_mr(ibmr);
	int err;

	err = ornic_mr_destroy(dev, mr);
	if (err)
		return err;

	ornic_pbl_free(&dev->ibdev, &mr->pbl);
	ib_umem_release(mr->umem);
	kfree(mr);
	return 0;
}

struct ib_mr *ornic_ib_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_pages)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibpd->device);
	struct ornic_create_mr_in in = {
		.pdn = cpu_to_le32(to_ornic_pd(ibpd)->pdn),
		.type = ORNIC_MR_REG,
		.max_pages = cpu_to_le32(max_pages),
	};
	struct ornic_mr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG) {
		ibdev_dbg(&dev->ibdev, "MR type %d is not supported\n", type);
		return ERR_PTR(-EOPNOTSUPP);
	}

	err = ornic_check_range(&dev->ibdev, "MR max_pages", max_pages, 1, dev->max_reg_pages);
	if (err)
		return ERR_PTR(err);

	mr = kzalloc_obj(*mr);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	/* A list even for one page; addresses and page size are set later */
	mr->max_pages = max_pages;
	err = ornic_pbl_alloc(&mr->pbl, max(max_pages, 2u), PAGE_SHIFT, true);
	if (err)
		goto err_free_mr;

	err = ornic_pbl_map(&dev->ibdev, &mr->pbl);
	if (err)
		goto err_free_pbl;

	err = ornic_mr_create_keys(dev, &in, mr);
	if (err)
		goto err_free_pbl;

	return &mr->ibmr;

err_free_pbl:
	ornic_pbl_free(&dev->ibdev, &mr->pbl);
err_free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

static int ornic_mr_set_page(struct ib_mr *ibmr, u64 page)
{
	struct ornic_mr *mr = to_ornic_mr(ibmr);

	if (mr->npages == mr->max_pages)
		return -ENOMEM;

	ornic_pbl_set(&mr->pbl, mr->npages++, page);
	return 0;
}

int ornic_ib_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		       unsigned int *offset)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibmr->device);
	struct ornic_mr *mr = to_ornic_mr(ibmr);
	int n;

	if (!is_power_of_2(ibmr->page_size) ||
	    !(dev->odev->lim.page_sizes & ORNIC_PAGE_SIZES & ibmr->page_size))
		return -EINVAL;

	mr->npages = 0;
	ornic_pbl_sync_for_cpu(&dev->ibdev, &mr->pbl);
	n = ib_sg_to_pages(ibmr, sg, nents, offset, ornic_mr_set_page);
	ornic_pbl_sync_for_device(&dev->ibdev, &mr->pbl);
	return n;
}

/*
 * Processes bind windows by work requests, which the kernel does not see: rkey
 * is the key that a window was created with.
 */
int ornic_ib_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct ornic_pd *pd = to_ornic_pd(ibmw->pd);
	struct ornic_create_mr_in in = {
		.pdn = cpu_to_le32(pd->pdn),
		.type = ibmw->type == IB_MW_TYPE_1 ? ORNIC_MR_MW1 : ORNIC_MR_MW2,
	};
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	/* Before a process can bind it, see ornic_mr_destroy_cmd() */
	atomic_inc(&pd->windows);
	err = ornic_mr_create(to_ornic_ib_dev(ibmw->device), false, &in, &ibmw->rkey);
	if (err)
		atomic_inc(&pd->windows_freed);
	return err;
}

int ornic_ib_dealloc_mw(struct ib_mw *ibmw)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibmw->device);
	struct ornic_pd *pd = to_ornic_pd(ibmw->pd);

	/* Nothing keeps a window, so the device has no reason to refuse */
	ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_MR, ibmw->rkey);
	atomic_inc(&pd->windows_freed);
	return 0;
}
