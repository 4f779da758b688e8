// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Kernel verbs on a card that fails under them. Each test ends with a card that
 * recovers, so that the next one has to wait for it.
 */
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/fdtable.h>
#include <linux/jiffies.h>
#include <linux/module.h>

#include "../../kernel/rdma/ornic_rdma.h"
#include "verbs_kunit.h"

#define TEST_RECOVERY	(60 * HZ)

static int test_failure_init(struct kunit *test)
{
	unsigned long end = jiffies + TEST_RECOVERY;
	int err;

	for (;;) {
		err = verbs_init(test);
		if (!err || time_after(jiffies, end))
			return err;
		verbs_exit(test);
		msleep(100);
	}
}

static struct ornic_dev *test_odev(struct verbs *v)
{
	return to_ornic_ib_dev(v->ibdev)->odev;
}

static bool test_is_bus_master(struct ornic_dev *odev)
{
	u16 command;

	pci_read_config_word(odev->pdev, PCI_COMMAND, &command);
	return command & PCI_COMMAND_MASTER;
}

/* ---- A buffer whose exporter takes it back -------------------------------- */

struct test_export {
	struct page *page;
	struct sg_table sgt;
	u32 maps;
};

static struct sg_table *test_export_map(struct dma_buf_attachment *attach,
					enum dma_data_direction direction)
{
	struct test_export *export = attach->dmabuf->priv;
	int err;

	err = sg_alloc_table_from_pages(&export->sgt, &export->page, 1, 0, PAGE_SIZE, GFP_KERNEL);
	if (err)
		return ERR_PTR(err);

	err = dma_map_sgtable(attach->dev, &export->sgt, direction, 0);
	if (err) {
		sg_free_table(&export->sgt);
		return ERR_PTR(err);
	}
	export->maps++;
	return &export->sgt;
}

static void test_export_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			      enum dma_data_direction direction)
{
	struct test_export *export = attach->dmabuf->priv;

	dma_unmap_sgtable(attach->dev, sgt, direction, 0);
	sg_free_table(sgt);
	export->maps--;
}

static void test_export_release(struct dma_buf *dmabuf)
{
	struct test_export *export = dmabuf->priv;

	__free_page(export->page);
	kfree(export);
}

static const struct dma_buf_ops test_export_ops = {
	.map_dma_buf = test_export_map,
	.unmap_dma_buf = test_export_unmap,
	.release = test_export_release,
};

static struct dma_buf *test_export_make(struct kunit *test)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct test_export *export;
	struct dma_buf *dmabuf;

	export = kzalloc_obj(*export);
	KUNIT_ASSERT_NOT_NULL(test, export);
	export->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, export->page);
	info.ops = &test_export_ops;
	info.size = PAGE_SIZE;
	info.flags = O_RDWR;
	info.priv = export;
	dmabuf = dma_buf_export(&info);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, dmabuf);
	return dmabuf;
}

static void test_export_revoke(struct dma_buf *dmabuf)
{
	dma_resv_lock(dmabuf->resv, NULL);
	dma_buf_invalidate_mappings(dmabuf);
	dma_resv_unlock(dmabuf->resv);
}

/* Behind the driver's back, so that the card refuses to revoke a region that it does not know */
static void ornic_test_refused_revoke_stops_the_device(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct dma_buf *dmabuf = test_export_make(test);
	struct test_export *export = dmabuf->priv;
	struct ornic_dev *odev = test_odev(v);
	struct ib_mr *mr;
	int fd;

	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	KUNIT_ASSERT_GE(test, fd, 0);
	mr = v->ibdev->ops.reg_user_mr_dmabuf(v->pd, 0, PAGE_SIZE, 0, fd, IB_ACCESS_LOCAL_WRITE,
					      NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_ASSERT_EQ(test, ornic_cmd_destroy(odev, ORNIC_CMD_DESTROY_MR, mr->lkey), 0);
	KUNIT_ASSERT_EQ(test, export->maps, 1);

	test_export_revoke(dmabuf);
	KUNIT_EXPECT_EQ(test, export->maps, 0);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));

	KUNIT_EXPECT_EQ(test, v->ibdev->ops.dereg_mr(mr, NULL), 0);
	close_fd(fd);
}

/* Nor does a consumer in the kernel keep the memory of what the card refuses to destroy */
static void ornic_test_refused_destroy_stops_the_device(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct ornic_dev *odev = test_odev(v);
	struct ib_mr *mr;

	mr = ib_alloc_mr(v->pd, IB_MR_TYPE_MEM_REG, 2);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_ASSERT_EQ(test, ornic_cmd_destroy(odev, ORNIC_CMD_DESTROY_MR, mr->lkey), 0);

	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));
}

static struct kunit_case ornic_failure_cases[] = {
	KUNIT_CASE(ornic_test_refused_revoke_stops_the_device),
	KUNIT_CASE(ornic_test_refused_destroy_stops_the_device),
	{}
};

static struct kunit_suite ornic_failure_suite = {
	.name = "ornic_failure",
	.init = test_failure_init,
	.exit = verbs_exit,
	.test_cases = ornic_failure_cases,
};

kunit_test_suite(ornic_failure_suite);

MODULE_IMPORT_NS("DMA_BUF");
MODULE_IMPORT_NS("ORNIC");
