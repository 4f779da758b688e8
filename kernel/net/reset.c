// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reset of the device, and its access to memory (hardware.rst, section 2) */
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/random.h>

#include "core.h"
#include "ornic_trace.h"
#include "reset.h"

#define ORNIC_RESET_POLL_US		1000
#define ORNIC_DMA_TEST_TIMEOUT_US	(2 * USEC_PER_SEC)
#define ORNIC_RESET_TIMEOUT_UNIT_US	(100 * USEC_PER_MSEC)
/* Writes of the device arrive within this time after bus mastering was disabled */
#define ORNIC_RESET_QUIET_MS		1

/**
 * ornic_reset_is_gone - check whether the device answers on the bus
 * @core:	the device
 *
 * Return: true if the PCI channel is offline or the magic number is wrong, such
 * as all ones from an empty slot.
 */
bool ornic_reset_is_gone(struct ornic_core *core)
{
	return pci_channel_offline(core->odev.pdev) ||
	       readl(core->regs + ORNIC_REG_MAGIC) != ORNIC_MAGIC;
}

static int ornic_reset_identify(struct ornic_core *core)
{
	u32 magic, version;

	magic = readl(core->regs + ORNIC_REG_MAGIC);
	if (magic != ORNIC_MAGIC) {
		dev_err(ornic_device(core), "no ORNIC device: magic %#x\n", magic);
		return -ENODEV;
	}

	version = readl(core->regs + ORNIC_REG_VERSION);
	if (ORNIC_GET(ORNIC_VERSION_MAJOR, version) !=
	    ORNIC_GET(ORNIC_VERSION_MAJOR, ORNIC_VERSION)) {
		dev_err(ornic_device(core), "unknown hardware interface version %u.%u\n",
			ORNIC_GET(ORNIC_VERSION_MAJOR, version),
			ORNIC_GET(ORNIC_VERSION_MINOR, version));
		return -ENODEV;
	}

	return 0;
}

static int ornic_reset_and_wait(struct ornic_core *core)
{
	u32 caps, status;
	u64 timeout_us;

	/* Defined before the device is ready, too ([ORNIC-REG-7]) */
	caps = readl(core->regs + ORNIC_REG_CAPS);
	/* 0 means 1 s, which is the minimum here */
	timeout_us = max(ORNIC_GET(ORNIC_CAPS_RESET_TIMEOUT, caps), 10) *
		     ORNIC_RESET_TIMEOUT_UNIT_US;

	/*
	 * A device that is not ready yet ignores this write and goes on with
	 * its reset. The first read cannot return the state before the reset
	 * ([ORNIC-RST-5]).
	 */
	writel(ORNIC_CTRL_RESET, core->regs + ORNIC_REG_CTRL);
	if (read_poll_timeout(readl, status,
			      status != ~0u && (status & ORNIC_STATUS_READY) &&
			      !(status & (ORNIC_STATUS_ENABLED | ORNIC_STATUS_FATAL)),
			      ORNIC_RESET_POLL_US, timeout_us, false,
			      core->regs + ORNIC_REG_STATUS)) {
		dev_err(ornic_device(core), "device is not ready after reset: status %#x\n",
			status);
		return -ETIMEDOUT;
	}

	return 0;
}

/**
 * ornic_reset - reset the device and wait until it is ready
 * @core:	the device, ready or not
 *
 * Return: 0, -ENODEV if the device is not supported, or -ETIMEDOUT.
 */
int ornic_reset(struct ornic_core *core)
{
	int err;

	err = ornic_reset_identify(core);
	if (!err)
		err = ornic_reset_and_wait(core);

	trace_ornic_reset(ornic_device(core), err);
	return err;
}

/**
 * ornic_reset_check_dma - check that the device accesses the memory of the host
 * @core:	the device, just reset, with bus mastering enabled
 *
 * Return: 0, -ENOMEM or -EIO.
 */
int ornic_reset_check_dma(struct ornic_core *core)
{
	struct ornic_dma_test *test;
	struct ornic_dbuf buf;
	__le64 answer;
	u64 nonce;
	int err;

	err = ornic_dbuf_alloc(&core->odev, &buf, sizeof(*test));
	if (err)
		return err;

	test = buf.addr;
	nonce = get_random_u64();
	test->nonce = cpu_to_le64(nonce);

	writeq(buf.dma, core->regs + ORNIC_REG_DMA_TEST);
	err = read_poll_timeout(READ_ONCE, answer, answer == cpu_to_le64(~nonce),
				ORNIC_RESET_POLL_US, ORNIC_DMA_TEST_TIMEOUT_US, false,
				test->answer);
	if (err) {
		/* Prevent a late answer from reaching freed memory */
		ornic_reset_halt(core);
		err = -EIO;
	}

	ornic_dbuf_free(&core->odev, &buf);
	return err;
}

/**
 * ornic_reset_halt - make sure that the device does not access memory any more
 * @core:	the device
 *
 * May be called in any context. The read waits for the start of the reset, not
 * for its end.
 */
void ornic_reset_halt(struct ornic_core *core)
{
	struct pci_dev *pdev = core->odev.pdev;
	bool answered = false;

	/* Registers behind a frozen channel are out of reach */
	if (!pci_channel_offline(pdev)) {
		writel(ORNIC_CTRL_RESET, core->regs + ORNIC_REG_CTRL);
		/* The last write of the device is ahead of the answer ([ORNIC-RST-2]) */
		answered = readl(core->regs + ORNIC_REG_STATUS) != ~0u;
	}

	pci_clear_master(pdev);

	/* No device answers with all ones ([ORNIC-PCI-6]) */
	if (!answered)
		mdelay(ORNIC_RESET_QUIET_MS);
}
