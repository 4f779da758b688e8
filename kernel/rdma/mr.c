// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/iter.h>
#include <rdma/uverbs_ioctl.h>

#include "ornic_rdma.h"

/* As the device counts pages in 32 bits, so do we count their shift */
#define ORNIC_PAGE_SIZES	GENMASK(31, ORNIC_INDEX_PAGE_SHIFT)

/* The flags of both are the same bits: enum ibv_access_flags */
static_assert(IB_ACCESS_LOCAL_WRITE == ORNIC_ACCESS_LOCAL_WRITE);
static_assert(IB_ACCESS_REMOTE_WRITE == ORNIC_ACCESS_REMOTE_WRITE);
static_assert(IB_ACCESS_REMOTE_READ == ORNIC_ACCESS_REMOTE_READ);
static_assert(IB_ACCESS_REMOTE_ATOMIC == ORNIC_ACCESS_REMOTE_ATOMIC);
static_assert(IB_ACCESS_MW_BIND == ORNIC_ACCESS_MW_BIND);
static_assert(IB_ZERO_BASED == ORNIC_ACCESS_ZERO_BASED);
static_assert(IB_ACCESS_FLUSH_GLOBAL == ORNIC_ACCESS_FLUSH_GLOBAL);
static_assert(IB_ACCESS_FLUSH_PERSISTENT == ORNIC_ACCESS_FLUSH_PERSISTENT);
static_assert(IB_ACCESS_RELAXED_ORDERING == ORNIC_ACCESS_RELAXED_ORDERING);

static int ornic_mr_access(const struct ornic_ib_dev *dev, int access, u32 *hw)
{
	u32 known = dev->odev->lim.access_flags;

	/* What is optional is a hint and may be ignored */
	*hw = access & (~IB_ACCESS_OPTIONAL | known);
	return *hw & ~known ? -EOPNOTSUPP : 0;
}

static int ornic_mr_create(struct ornic_ib_dev *dev, struct ornic_mr *mr,
			   struct ornic_create_mr_in *in)
{
	struct ornic_create_mr_out out;
	int err;

	/* A key that was used before is not to work again soon */
	in->variant = get_random_u8();
	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_CREATE_MR, in, sizeof(*in), &out, sizeof(out));
	if (err)
		return err;

	mr->ibmr.lkey = le32_to_cpu(out.key);
	mr->ibmr.rkey = mr->ibmr.lkey;
	return 0;
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

	err = ornic_mr_access(dev, access, &hw_access);
	if (err)
		return ERR_PTR(err);

	mr = kzalloc_obj(*mr);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	in.access = cpu_to_le32(hw_access);
	err = ornic_mr_create(dev, mr, &in);
	if (err)
		goto err_free_mr;

	return &mr->ibmr;

err_free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

static int ornic_mr_list_pages(struct ornic_ib_dev *dev, struct ornic_mr *mr,
			       unsigned long page_size)
{
	struct ib_block_iter iter;
	u32 i = 0;
	int err;

	err = ornic_pbl_alloc(&mr->pbl, ib_umem_num_dma_blocks(mr->umem, page_size),
			      ilog2(page_size));
	if (err)
		return err;

	rdma_umem_for_each_dma_block(mr->umem, &iter, page_size)
		ornic_pbl_set(&mr->pbl, i++, rdma_block_iter_dma_address(&iter));

	err = ornic_pbl_map(&dev->ibdev, &mr->pbl);
	if (err)
		ornic_pbl_free(&dev->ibdev, &mr->pbl);
	return err;
}

struct ib_mr *ornic_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
				   int access, struct ib_dmah *dmah, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibpd->device);
	struct ornic_create_mr_in in = {};
	unsigned long page_size;
	struct ornic_mr *mr;
	u32 hw_access;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);

	err = ornic_mr_access(dev, access, &hw_access);
	if (err)
		return ERR_PTR(err);

	if (length > dev->odev->lim.max_mr_size)
		return ERR_PTR(-EINVAL);

	mr = kzalloc_obj(*mr);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	mr->umem = ib_umem_get_va(&dev->ibdev, start, length, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		goto err_free_mr;
	}

	page_size = ib_umem_find_best_pgsz(mr->umem, dev->odev->lim.page_sizes & ORNIC_PAGE_SIZES,
					   iova);
	if (!page_size) {
		err = -EINVAL;
		goto err_release_umem;
	}

	err = ornic_mr_list_pages(dev, mr, page_size);
	if (err)
		goto err_release_umem;

	in.pdn = cpu_to_le32(to_ornic_pd(ibpd)->pdn);
	in.access = cpu_to_le32(hw_access);
	in.type = ORNIC_MR_MEMORY;
	in.iova = cpu_to_le64(iova);
	in.length = cpu_to_le64(length);
	in.first_offset = cpu_to_le64(iova & (page_size - 1));
	in.buf = mr->pbl.buf;
	err = ornic_mr_create(dev, mr, &in);
	if (err)
		goto err_free_pbl;

	mr->ibmr.page_size = page_size;
	return &mr->ibmr;

err_free_pbl:
	ornic_pbl_free(&dev->ibdev, &mr->pbl);
err_release_umem:
	ib_umem_release(mr->umem);
err_free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

int ornic_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibmr->device);
	struct ornic_mr *mr = to_ornic_mr(ibmr);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	err = ornic_cmd_destroy(dev->odev, ORNIC_CMD_DESTROY_MR, mr->ibmr.lkey);
	if (err)
		return err;

	ornic_pbl_free(&dev->ibdev, &mr->pbl);
	ib_umem_release(mr->umem);
	kfree(mr);
	return 0;
}
