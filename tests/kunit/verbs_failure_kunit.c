// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Kernel verbs on a device that fails or is removed. Each test leaves a device that recovers or is
 * reset, so the next one has to wait for it.
 */
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/fdtable.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/task.h>

#include "../../kernel/net/dbuf.h"
#include "../../kernel/rdma/cq.h"
#include "../../kernel/rdma/device.h"
#include "../../kernel/rdma/qp.h"
#include "verbs_kunit.h"

#define TEST_RECOVERY	(60 * HZ)
/* Health checks are 2 s apart */
#define TEST_CHECKS_MS	20000

static struct ib_client test_client = { .name = "ornic_kunit" };

/*
 * A device that recovers can be found before all clients of the RDMA core have it. The core delays
 * the registration of a client until then.
 */
static int test_wait_for_clients(void)
{
	int err = ib_register_client(&test_client);

	if (!err)
		ib_unregister_client(&test_client);
	return err;
}

static int test_failure_init(struct kunit *test)
{
	unsigned long end = jiffies + TEST_RECOVERY;
	int err;

	for (;;) {
		err = verbs_init(test);
		if (!err)
			return test_wait_for_clients();
		if (time_after(jiffies, end))
			return err;
		verbs_exit(test);
		msleep(100);
	}
}

static struct ornic_dev *test_odev(struct verbs *v)
{
	return to_ornic_ib_dev(v->ibdev)->odev;
}

/*
 * The driver gives up a device that fails often. A reset from outside brings it up all the same,
 * and does not count.
 */
static void test_failure_exit(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct pci_dev *pdev = v && v->ibdev ? pci_dev_get(test_odev(v)->pdev) : NULL;

	verbs_exit(test);
	if (!pdev)
		return;

	KUNIT_EXPECT_EQ(test, pci_reset_function(pdev), 0);
	pci_dev_put(pdev);
}

static bool test_is_bus_master(struct ornic_dev *odev)
{
	u16 command;

	pci_read_config_word(odev->pdev, PCI_COMMAND, &command);
	return command & PCI_COMMAND_MASTER;
}

/* Entries of a new ring, from the consumer index on */
static struct ornic_cqe *test_cqe(struct ib_cq *ibcq, u32 ahead)
{
	struct ornic_cq_ring *ring = &to_ornic_cq(ibcq)->ring;

	return ornic_cq_entry(ring, ring->ci + ahead);
}

/* ---- A dma-buf that its exporter revokes ---------------------------------- */

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

static struct ib_mr *test_export_register(struct kunit *test, struct dma_buf *dmabuf, int *fd)
{
	struct verbs *v = test->priv;
	struct ib_mr *mr;

	*fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	KUNIT_ASSERT_GE(test, *fd, 0);
	mr = v->ibdev->ops.reg_user_mr_dmabuf(v->pd, 0, PAGE_SIZE, 0, *fd, IB_ACCESS_LOCAL_WRITE,
					      NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	/* As the core does */
	mr->pd = v->pd;
	return mr;
}

/* A process may ask for any change of a region, without libibverbs */
static void ornic_test_revoked_region_stays_revoked(struct kunit *test)
{
	static const int changes[] = { IB_MR_REREG_PD, IB_MR_REREG_ACCESS, IB_MR_REREG_TRANS };
	struct verbs *v = test->priv;
	struct dma_buf *dmabuf = test_export_make(test);
	struct test_export *export = dmabuf->priv;
	struct ib_mr *mr;
	int i, fd;

	mr = test_export_register(test, dmabuf, &fd);
	test_export_revoke(dmabuf);
	KUNIT_EXPECT_EQ(test, export->maps, 0);
	for (i = 0; i < ARRAY_SIZE(changes); i++)
		KUNIT_EXPECT_PTR_EQ(test, v->ibdev->ops.rereg_user_mr(mr, changes[i], 0, PAGE_SIZE, 0,
								      IB_ACCESS_LOCAL_WRITE, v->pd,
								      NULL),
				    ERR_PTR(-EOPNOTSUPP));
	KUNIT_EXPECT_EQ(test, v->ibdev->ops.dereg_mr(mr, NULL), 0);
	close_fd(fd);
}

/* Destroys a region without the driver, so that the device refuses to revoke it */
static void ornic_test_refused_revoke_stops_the_device(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct dma_buf *dmabuf = test_export_make(test);
	struct test_export *export = dmabuf->priv;
	struct ornic_dev *odev = test_odev(v);
	struct ib_mr *mr;
	int fd;

	mr = test_export_register(test, dmabuf, &fd);
	KUNIT_ASSERT_EQ(test, ornic_cmd_destroy(odev, ORNIC_CMD_DESTROY_MR, mr->lkey), 0);
	KUNIT_ASSERT_EQ(test, export->maps, 1);

	test_export_revoke(dmabuf);
	KUNIT_EXPECT_EQ(test, export->maps, 0);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));

	KUNIT_EXPECT_EQ(test, v->ibdev->ops.dereg_mr(mr, NULL), 0);
	close_fd(fd);
}

/*
 * The core leaks an object of a process, with a warning, if the driver does not destroy it, and a
 * kernel consumer frees its memory. So the driver succeeds even if the device refuses.
 */
static void ornic_test_refused_destroy_stops_the_device(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct ornic_dev *odev = test_odev(v);
	struct ib_mr *mr;

	mr = ib_alloc_mr(v->pd, IB_MR_TYPE_MEM_REG, 2);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_ASSERT_EQ(test, ornic_cmd_destroy(odev, ORNIC_CMD_DESTROY_MR, mr->lkey), 0);

	KUNIT_EXPECT_EQ(test, ornic_cmd_destroy(odev, ORNIC_CMD_DESTROY_MR, mr->lkey), 0);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/*
 * [ORNIC-ADM-13] A refused resize makes the driver free the new ring. A device that refuses without
 * a valid reason may still use that ring: here it denies an SRQ number that it gave.
 */
static void ornic_test_refused_resize_stops_the_device(struct kunit *test)
{
	struct ornic_resize_in in = { .num = cpu_to_le32(U32_MAX) };
	struct verbs *v = test->priv;
	struct ornic_dev *odev = test_odev(v);

	/* A process may have let its CQ overrun */
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_RESIZE_CQ, &in, sizeof(in), NULL, 0),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_RESIZE_SRQ, &in, sizeof(in), NULL, 0),
			-EIO);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));
}

/* [ORNIC-OBJ-3] The driver must not destroy the number, because it belongs to the first object */
static void ornic_test_number_given_twice_stops_the_device(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct ornic_dev *odev = test_odev(v);
	struct ornic_res second = {
		.num = to_ornic_cq(v->cqs[0])->res.num,
		.type = ORNIC_RES_CQ,
	};

	KUNIT_EXPECT_EQ(test, ornic_res_add(odev, &second), -EBUSY);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));
}

static int test_create_eq(struct ornic_dev *odev, const struct ornic_dbuf *ring, u32 *num)
{
	const u32 dbr_offset = ring->size / 2;
	struct ornic_create_eq_in in = {
		.log_size = 4,
		.dbr_addr = cpu_to_le64(ring->dma + dbr_offset),
	};

	ornic_dbuf_describe(ring, 0, dbr_offset, &in.buf);
	return ornic_cmd_create(odev, ORNIC_CMD_CREATE_EQ, &in, sizeof(in), num);
}

/*
 * [ORNIC-OBJ-3] Destroys an EQ without the driver, so that the next one gets its number
 * ([ORNIC-OBJ-1])
 */
static void ornic_test_object_given_twice_stops_the_device(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct ornic_dev *odev = test_odev(v);
	struct ornic_object in = {};
	struct ornic_dbuf rings[2];
	u32 num, i;

	for (i = 0; i < ARRAY_SIZE(rings); i++)
		KUNIT_ASSERT_EQ(test, ornic_dbuf_alloc(odev, &rings[i], PAGE_SIZE), 0);
	KUNIT_ASSERT_EQ(test, test_create_eq(odev, &rings[0], &num), 0);
	/* After destruction by the driver the number is free */
	KUNIT_ASSERT_EQ(test, ornic_cmd_destroy(odev, ORNIC_CMD_DESTROY_EQ, num), 0);
	KUNIT_ASSERT_EQ(test, test_create_eq(odev, &rings[0], &num), 0);

	in.num = cpu_to_le32(num);
	KUNIT_ASSERT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_DESTROY_EQ, &in, sizeof(in), NULL, 0),
			0);
	KUNIT_EXPECT_EQ(test, test_create_eq(odev, &rings[1], &num), -EIO);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));

	for (i = 0; i < ARRAY_SIZE(rings); i++)
		ornic_dbuf_free(odev, &rings[i]);
}

/* Otherwise the consumer would wait for the completion that the stray one replaced */
static void ornic_test_stray_completion_stops_the_device(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct ornic_dev *odev = test_odev(v);
	struct ornic_cqe *cqe = test_cqe(v->cqs[0], 0);
	struct ib_wc wc;

	/* Invalidated entries are not completions */
	WRITE_ONCE(cqe->qpn, cpu_to_le32(ORNIC_CQE_PHASE | ORNIC_QPN_NONE));
	KUNIT_EXPECT_EQ(test, ib_poll_cq(v->cqs[0], 1, &wc), 0);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), 0);

	/* The CQ has no QP */
	cqe = test_cqe(v->cqs[0], 0);
	WRITE_ONCE(cqe->qpn, cpu_to_le32(ORNIC_CQE_PHASE | 2));
	KUNIT_EXPECT_EQ(test, ib_poll_cq(v->cqs[0], 1, &wc), 0);
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));
}

/* Waits until the driver finds that the device has failed */
static void test_wait_for_stop(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct ornic_dev *odev = test_odev(v);
	u32 ms;
	int err = 0;

	for (ms = 0; !err && ms < TEST_CHECKS_MS; ms += 100) {
		msleep(100);
		err = ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0);
	}
	KUNIT_EXPECT_EQ(test, err, -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));
}

/* [ORNIC-GEN-10] Otherwise the consumer would wait for the missing entry */
static void ornic_test_gap_in_a_cq_stops_the_device(struct kunit *test)
{
	struct verbs *v = test->priv;

	WRITE_ONCE(test_cqe(v->cqs[0], 2)->qpn, cpu_to_le32(ORNIC_CQE_PHASE | 2));
	test_wait_for_stop(test);
}

/* The QP of the MAD layer, by its number in the device */
static u32 test_gsi(struct verbs *v)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(v->ibdev);
	struct ornic_qp *qp;
	unsigned long num;
	u32 found = 0;

	xa_lock_irq(&dev->qps);
	xa_for_each(&dev->qps, num, qp)
		if (qp->ibqp.qp_type == IB_QPT_GSI)
			found = num;
	xa_unlock_irq(&dev->qps);
	KUNIT_ASSERT_NE(v->test, found, 0);
	return found;
}

/* Otherwise rdma_cm would hear nothing until the driver is loaded again */
static void ornic_test_gsi_in_error_stops_the_device(struct kunit *test)
{
	struct ornic_modify_qp_in in = {
		.mask = cpu_to_le32(ORNIC_QP_ATTR_STATE),
		.attr.state = ORNIC_QPS_ERR,
	};
	struct verbs *v = test->priv;

	in.qpn = cpu_to_le32(test_gsi(v));
	/* Its answer may come after the driver has stopped the device */
	ornic_cmd_exec(test_odev(v), ORNIC_CMD_MODIFY_QP, &in, sizeof(in), NULL, 0);
	test_wait_for_stop(test);
}

/* The same when the receives do not complete, because their ring is lost */
static void ornic_test_lost_ring_of_the_gsi_stops_the_device(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct ornic_ib_dev *dev = to_ornic_ib_dev(v->ibdev);
	struct ornic_qp *qp = xa_load(&dev->qps, test_gsi(v));

	qp->res.event(&qp->res, ORNIC_EVENT_QP_FATAL);
	test_wait_for_stop(test);
}

/* [ORNIC-PCI-6] Registers are out of reach then, but memory may be freed all the same */
static void ornic_test_frozen_channel_ends_bus_mastering(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct ornic_dev *odev = test_odev(v);

	KUNIT_EXPECT_TRUE(test, test_is_bus_master(odev));
	odev->pdev->error_state = pci_channel_io_frozen;
	ornic_dev_fail(odev, "a test wants it to");
	odev->pdev->error_state = pci_channel_io_normal;
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, test_is_bus_master(odev));
}

/* ---- Commands that wait for a slot of the admin queue ---------------------- */

/* More than the slots, and than the shares of processes: each thread is a process of its own */
#define TEST_FLOOD	64

struct test_flood {
	struct ornic_dev *odev;
	atomic_t running;
	struct completion all;
};

static int test_flood_run(void *arg)
{
	struct test_flood *flood = arg;
	int err;

	if (atomic_inc_return(&flood->running) == TEST_FLOOD)
		complete(&flood->all);
	do {
		err = ornic_cmd_exec(flood->odev, ORNIC_CMD_NOP, NULL, 0, NULL, 0);
	} while (!err);
	return err;
}

/* Whether they wait for others or for the device. It stays dead while the test has it. */
static void ornic_test_failure_ends_all_commands(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct test_flood flood = { .odev = test_odev(v), .running = ATOMIC_INIT(0) };
	struct task_struct *tasks[TEST_FLOOD];
	u32 i, started;

	init_completion(&flood.all);
	for (started = 0; started < TEST_FLOOD; started++) {
		tasks[started] = kthread_create(test_flood_run, &flood, "ornic_flood");
		if (IS_ERR(tasks[started]))
			break;
		get_task_struct(tasks[started]);
		wake_up_process(tasks[started]);
	}
	KUNIT_EXPECT_EQ(test, started, TEST_FLOOD);
	if (started == TEST_FLOOD)
		wait_for_completion(&flood.all);

	ornic_dev_fail(flood.odev, "a test wants it to");
	for (i = 0; i < started; i++) {
		KUNIT_EXPECT_EQ(test, kthread_stop(tasks[i]), -EIO);
		put_task_struct(tasks[i]);
	}
}

/* ---- CQs whose users are notified of the failure -------------------------- */

/**
 * struct test_told - a user of a CQ
 * @cq:		its CQ
 * @told:	the completion handler was called
 * @go:		the completion handler may return
 */
struct test_told {
	struct ib_cq *cq;
	struct completion told;
	struct completion go;
};

static void test_told_comp(struct ib_cq *cq, void *context)
{
	struct test_told *user = context;

	complete(&user->told);
	wait_for_completion_timeout(&user->go, VERBS_TIMEOUT);
}

static void test_told_init(struct verbs *v, struct test_told *user)
{
	const struct ib_cq_init_attr attr = { .cqe = 16 };

	init_completion(&user->told);
	init_completion(&user->go);
	user->cq = ib_create_cq(v->ibdev, test_told_comp, NULL, user, &attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(v->test, user->cq);
}

/* Users of a CQ that never had a QP are not notified */
static void test_use_cq(struct verbs *v, struct ib_cq *cq)
{
	struct ib_qp *qp = verbs_create_qp(v, IB_QPT_RC, cq, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(v->test, qp);
	KUNIT_ASSERT_EQ(v->test, ib_destroy_qp(qp), 0);
}

/**
 * struct test_free - a CQ to be freed
 * @work:	frees it
 * @cq:		the CQ
 * @task:	runs @work
 * @freed:	completed when @cq is freed
 */
struct test_free {
	struct work_struct work;
	struct ib_cq *cq;
	struct task_struct *task;
	struct completion freed;
};

static void test_free_work(struct work_struct *work)
{
	struct test_free *free = container_of(work, struct test_free, work);

	WRITE_ONCE(free->task, current);
	ib_free_cq(free->cq);
	complete(&free->freed);
}

/* Waits until the CQ is freed, or until freeing it blocks */
static void test_free_run(struct verbs *v, struct test_free *free)
{
	unsigned long end = jiffies + VERBS_TIMEOUT;
	struct task_struct *task;
	u32 asleep = 0;

	schedule_work(&free->work);
	while (asleep < 20 && !completion_done(&free->freed) && time_before(jiffies, end)) {
		msleep(20);
		task = READ_ONCE(free->task);
		asleep = task && READ_ONCE(task->__state) & TASK_UNINTERRUPTIBLE ? asleep + 1 : 0;
	}
	KUNIT_ASSERT_TRUE(v->test, asleep == 20 || completion_done(&free->freed));
}

/*
 * The device fails, and the driver notifies the users of CQs one after the other. Meanwhile the
 * next user frees its CQ. The driver must not queue the work of that CQ afterwards, because the CQ
 * is gone when the work runs.
 */
static void ornic_test_failure_while_a_cq_is_freed(struct kunit *test)
{
	struct test_told first, unused;
	struct test_free free = {};
	struct verbs *v = test->priv;

	INIT_WORK_ONSTACK(&free.work, test_free_work);
	init_completion(&free.freed);
	test_told_init(v, &unused);
	test_told_init(v, &first);
	test_use_cq(v, first.cq);
	free.cq = ib_alloc_cq(v->ibdev, NULL, 16, 0, IB_POLL_WORKQUEUE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, free.cq);
	test_use_cq(v, free.cq);

	ornic_dev_fail(test_odev(v), "a test wants it to");
	KUNIT_ASSERT_GT(test, wait_for_completion_timeout(&first.told, VERBS_TIMEOUT), 0);
	test_free_run(v, &free);
	/* The handler may be called more than once, and must not wait from now on */
	complete_all(&first.go);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&free.freed, VERBS_TIMEOUT), 0);
	flush_work(&free.work);
	destroy_work_on_stack(&free.work);
	flush_work(&to_ornic_ib_dev(v->ibdev)->flush_work);

	KUNIT_EXPECT_FALSE(test, completion_done(&unused.told));
	ib_destroy_cq(first.cq);
	ib_destroy_cq(unused.cq);
}

/* ---- A device that is removed -------------------------------------------- */

/* The core takes the interface away before the last query that an event of the port asks for */
static void ornic_test_port_without_interface_is_down(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct net_device *ndev = ib_device_get_netdev(v->ibdev, ORNIC_IB_PORT);
	struct ib_port_attr attr;

	KUNIT_ASSERT_NOT_NULL(test, ndev);
	KUNIT_ASSERT_EQ(test, ib_device_set_netdev(v->ibdev, NULL, ORNIC_IB_PORT), 0);
	KUNIT_EXPECT_EQ(test, ib_query_port(v->ibdev, ORNIC_IB_PORT, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.state, IB_PORT_DOWN);
	KUNIT_EXPECT_EQ(test, attr.phys_state, IB_PORT_PHYS_STATE_DISABLED);

	KUNIT_EXPECT_EQ(test, ib_device_set_netdev(v->ibdev, ndev, ORNIC_IB_PORT), 0);
	KUNIT_EXPECT_EQ(test, ib_query_port(v->ibdev, ORNIC_IB_PORT, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.state, IB_PORT_ACTIVE);
	dev_put(ndev);
}

static struct kunit_case ornic_failure_cases[] = {
	KUNIT_CASE(ornic_test_revoked_region_stays_revoked),
	KUNIT_CASE(ornic_test_refused_revoke_stops_the_device),
	KUNIT_CASE(ornic_test_refused_destroy_stops_the_device),
	KUNIT_CASE(ornic_test_refused_resize_stops_the_device),
	KUNIT_CASE(ornic_test_number_given_twice_stops_the_device),
	KUNIT_CASE(ornic_test_object_given_twice_stops_the_device),
	KUNIT_CASE(ornic_test_stray_completion_stops_the_device),
	KUNIT_CASE(ornic_test_gap_in_a_cq_stops_the_device),
	KUNIT_CASE(ornic_test_gsi_in_error_stops_the_device),
	KUNIT_CASE(ornic_test_lost_ring_of_the_gsi_stops_the_device),
	KUNIT_CASE(ornic_test_frozen_channel_ends_bus_mastering),
	KUNIT_CASE(ornic_test_failure_ends_all_commands),
	KUNIT_CASE(ornic_test_failure_while_a_cq_is_freed),
	KUNIT_CASE(ornic_test_port_without_interface_is_down),
	{}
};

static struct kunit_suite ornic_failure_suite = {
	.name = "ornic_failure",
	.init = test_failure_init,
	.exit = test_failure_exit,
	.test_cases = ornic_failure_cases,
};

kunit_test_suite(ornic_failure_suite);

MODULE_IMPORT_NS("DMA_BUF");
MODULE_IMPORT_NS("ORNIC");
