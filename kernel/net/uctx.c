// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbell pages and boards (ORNIC specification, sections 5 and A.2). A page
 * that a process has left is kept for the next one, so that few processes cost
 * a command.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "core.h"
#include "health.h"
#include "uctx.h"

/* Both sides access boards at any time: no bounce buffers, no cache flushes */
#define ORNIC_BOARD_ATTRS	DMA_ATTR_REQUIRE_COHERENT

static int ornic_uctx_alloc_cmd(struct ornic_core *core, u32 flags, dma_addr_t board, u32 *num)
{
	struct ornic_alloc_uctx_in in = {
		.flags = cpu_to_le32(flags),
		.board_addr = cpu_to_le64(board),
	};

	return ornic_cmd_create(&core->odev, ORNIC_CMD_ALLOC_UCTX, &in, sizeof(in), num);
}

/**
 * ornic_uctx_init - initialise the doorbell pages, once per probe
 * @core:	the device
 */
void ornic_uctx_init(struct ornic_core *core)
{
	spin_lock_init(&core->spares_lock);
}

/**
 * ornic_uctx_kernel_init - set up doorbell page 0
 * @core:	the device; commands work
 *
 * Return: 0 or a negative error number.
 */
int ornic_uctx_kernel_init(struct ornic_core *core)
{
	struct ornic_dev *odev = &core->odev;
	u32 num;
	int err;

	if (odev->shadow) {
		err = ornic_dbuf_alloc(odev, &core->board, sizeof(struct ornic_board));
		if (err)
			return err;
	}

	err = ornic_uctx_alloc_cmd(core, ORNIC_UCTX_KERNEL, core->board.dma, &num);
	if (err)
		goto err_free_board;

	if (num) {
		ornic_fail(core, "kernel got doorbell page %u instead of 0", num);
		err = -EIO;
		goto err_free_board;
	}

	odev->board = core->board.addr;
	return 0;

err_free_board:
	ornic_dbuf_free(odev, &core->board);
	return err;
}

static int ornic_uctx_alloc_board(struct ornic_dev *odev, struct ornic_uctx *uctx)
{
	struct device *dev = &odev->pdev->dev;

	/* A board that is kept must not keep the cgroup of a dead process */
	uctx->board = alloc_page((uctx->keepable ? GFP_KERNEL : GFP_KERNEL_ACCOUNT) | __GFP_ZERO);
	if (!uctx->board)
		return -ENOMEM;

	uctx->board_dma = dma_map_page_attrs(dev, uctx->board, 0, PAGE_SIZE, DMA_BIDIRECTIONAL,
					     ORNIC_BOARD_ATTRS);
	if (dma_mapping_error(dev, uctx->board_dma)) {
		put_page(uctx->board);
		return -ENOMEM;
	}

	return 0;
}

static void ornic_uctx_free_board(struct ornic_dev *odev, struct ornic_uctx *uctx)
{
	if (!uctx->board)
		return;

	dma_unmap_page_attrs(&odev->pdev->dev, uctx->board_dma, PAGE_SIZE, DMA_BIDIRECTIONAL,
			     ORNIC_BOARD_ATTRS);
	/* Processes that map it hold references */
	put_page(uctx->board);
}

/* A bound on the boards that no process is charged for */
static void ornic_uctx_get_keepable(struct ornic_core *core, struct ornic_uctx *uctx)
{
	spin_lock(&core->spares_lock);
	uctx->keepable = core->num_keepable < ORNIC_UCTX_SPARES;
	core->num_keepable += uctx->keepable;
	spin_unlock(&core->spares_lock);
}

static void ornic_uctx_put_keepable(struct ornic_core *core, const struct ornic_uctx *uctx)
{
	spin_lock(&core->spares_lock);
	core->num_keepable -= uctx->keepable;
	spin_unlock(&core->spares_lock);
}

static bool ornic_uctx_take_spare(struct ornic_core *core, struct ornic_uctx *uctx)
{
	bool found;

	spin_lock(&core->spares_lock);
	found = core->num_spares;
	if (found)
		*uctx = core->spares[--core->num_spares];
	spin_unlock(&core->spares_lock);

	/* Not looked at while the page has no queues ([ORNIC-OBJ-9]) */
	if (found && uctx->board)
		clear_page(page_address(uctx->board));
	return found;
}

/*
 * Keeps a page for the next process. A board that is still mapped, by a process
 * that has outlived the removal of the verbs driver, must not get another user.
 */
static bool ornic_uctx_keep_spare(struct ornic_core *core, const struct ornic_uctx *uctx)
{
	if (!uctx->keepable || (uctx->board && page_count(uctx->board) != 1))
		return false;

	/* There is room: no more pages are keepable */
	spin_lock(&core->spares_lock);
	core->spares[core->num_spares++] = *uctx;
	spin_unlock(&core->spares_lock);

	return true;
}

static void ornic_uctx_destroy(struct ornic_dev *odev, struct ornic_uctx *uctx)
{
	ornic_cmd_release(odev, ORNIC_CMD_FREE_UCTX, uctx->num);
	ornic_uctx_free_board(odev, uctx);
	ornic_uctx_put_keepable(to_ornic_core(odev), uctx);
}

/**
 * ornic_uctx_kernel_uninit - free doorbell page 0 and those kept for processes
 * @core:	the device; no process uses it any more
 */
void ornic_uctx_kernel_uninit(struct ornic_core *core)
{
	struct ornic_dev *odev = &core->odev;
	struct ornic_uctx uctx;

	while (ornic_uctx_take_spare(core, &uctx))
		ornic_uctx_destroy(odev, &uctx);

	odev->board = NULL;
	ornic_cmd_release(odev, ORNIC_CMD_FREE_UCTX, 0);
	ornic_dbuf_free(odev, &core->board);
}

/*
 * A system with large pages has the push page in the mapping of the doorbell
 * page, which is uncached. Without write-combining a push costs more than it
 * saves.
 */
static bool ornic_uctx_has_push(const struct ornic_core *core)
{
	return core->odev.lim.features & ORNIC_FEAT_PUSH && arch_can_pci_mmap_wc() &&
	       core->db_stride / 2 >= PAGE_SIZE;
}

int ornic_uctx_alloc(struct ornic_dev *odev, struct ornic_uctx *uctx)
{
	struct ornic_core *core = to_ornic_core(odev);
	int err;

	if (!odev->lim.max_uctx)
		return -EOPNOTSUPP;

	/* A dead device must not seem to work */
	if (ornic_cmdq_running(&core->cmdq) && ornic_uctx_take_spare(core, uctx))
		return 0;

	*uctx = (struct ornic_uctx) {};
	ornic_uctx_get_keepable(core, uctx);
	if (odev->shadow) {
		err = ornic_uctx_alloc_board(odev, uctx);
		if (err)
			goto err_put_keepable;
	}

	err = ornic_uctx_alloc_cmd(core, 0, uctx->board_dma, &uctx->num);
	if (err)
		goto err_free_board;

	/* Page 0 is the kernel's: never map it into a process */
	if (!uctx->num || uctx->num >= core->db_pages) {
		ornic_fail(core, "process got doorbell page %u of %u", uctx->num, core->db_pages);
		err = -EIO;
		goto err_free_board;
	}

	uctx->db_phys = core->db_phys + (phys_addr_t)uctx->num * core->db_stride;
	if (ornic_uctx_has_push(core))
		uctx->push_phys = uctx->db_phys + core->db_stride / 2;
	return 0;

err_free_board:
	ornic_uctx_free_board(odev, uctx);
err_put_keepable:
	ornic_uctx_put_keepable(core, uctx);
	return err;
}
EXPORT_SYMBOL_NS_GPL(ornic_uctx_alloc, "ORNIC");

void ornic_uctx_free(struct ornic_dev *odev, struct ornic_uctx *uctx)
{
	if (!ornic_uctx_keep_spare(to_ornic_core(odev), uctx))
		ornic_uctx_destroy(odev, uctx);
}
EXPORT_SYMBOL_NS_GPL(ornic_uctx_free, "ORNIC");
