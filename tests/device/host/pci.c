// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* PCI configuration space: initial values, writable bits, side effects */
#include <linux/pci_regs.h>
#include <ornic_hw.h>
#include <string.h>

#include "base/config.h"
#include "host/pci.h"

#define REVISION 1
#define CLASS_ETHERNET 0x0200

/* Offsets of the capabilities, in the order of their list */
#define CAP_PM 0x40
#define CAP_MSIX 0x50
#define CAP_EXP 0x60
#define ECAP_DSN 0x100
#define ECAP_ERR 0x110

/*
 * Errors of the AER capability: those that an endpoint must be able to report,
 * and its own internal errors
 */
#define ERR_UNCOR                                                   \
	(PCI_ERR_UNC_DLP | PCI_ERR_UNC_POISON_TLP |                 \
	 PCI_ERR_UNC_COMP_TIME | PCI_ERR_UNC_UNX_COMP |             \
	 PCI_ERR_UNC_MALF_TLP | PCI_ERR_UNC_UNSUP | PCI_ERR_UNC_INTN)
#define ERR_UNCOR_MASKED PCI_ERR_UNC_INTN
#define ERR_UNCOR_FATAL \
	(PCI_ERR_UNC_DLP | PCI_ERR_UNC_MALF_TLP | PCI_ERR_UNC_INTN)
#define ERR_COR                                                       \
	(PCI_ERR_COR_BAD_TLP | PCI_ERR_COR_BAD_DLLP |                 \
	 PCI_ERR_COR_REP_ROLL | PCI_ERR_COR_REP_TIMER |               \
	 PCI_ERR_COR_ADV_NFAT | PCI_ERR_COR_INTERNAL)
#define ERR_COR_MASKED (PCI_ERR_COR_ADV_NFAT | PCI_ERR_COR_INTERNAL)
#define ERR_VERSION 2

/* Power states, as PCI_PM_CTRL_STATE_MASK encodes them */
#define POWER_D0 0
#define POWER_D3HOT 3

/* A 16 GT/s x16 link, as the link registers encode it */
#define LINK_SPEED PCI_EXP_LNKCAP_SLS_16_0GB
#define LINK_WIDTH (16 << 4)
#define LINK_SPEEDS                                              \
	(PCI_EXP_LNKCAP2_SLS_2_5GB | PCI_EXP_LNKCAP2_SLS_5_0GB | \
	 PCI_EXP_LNKCAP2_SLS_8_0GB | PCI_EXP_LNKCAP2_SLS_16_0GB)

static void put(uint8_t *space, unsigned int offset, uint64_t value,
		unsigned int len)
{
	while (len--) {
		space[offset++] = (uint8_t)value;
		value >>= 8;
	}
}

static unsigned int get16(const uint8_t *space, unsigned int offset)
{
	return space[offset] | space[offset + 1] << 8;
}

static unsigned int power_state(const struct pci *pci)
{
	return pci->config[CAP_PM + PCI_PM_CTRL] & PCI_PM_CTRL_STATE_MASK;
}

static void set_power_state(struct pci *pci, unsigned int state)
{
	pci->config[CAP_PM + PCI_PM_CTRL] &= ~PCI_PM_CTRL_STATE_MASK;
	pci->config[CAP_PM + PCI_PM_CTRL] |= state;
}

static void init_header(struct pci *pci)
{
	uint8_t *at = pci->initial;

	put(at, PCI_VENDOR_ID, ORNIC_PCI_VENDOR_ID, 2);
	put(at, PCI_DEVICE_ID, ORNIC_PCI_DEVICE_ID, 2);
	put(pci->rw, PCI_COMMAND,
	    PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
		    PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE,
	    2);
	put(at, PCI_STATUS, PCI_STATUS_CAP_LIST, 2);
	put(pci->w1c, PCI_STATUS,
	    PCI_STATUS_PARITY | PCI_STATUS_SIG_TARGET_ABORT |
		    PCI_STATUS_REC_TARGET_ABORT | PCI_STATUS_REC_MASTER_ABORT |
		    PCI_STATUS_SIG_SYSTEM_ERROR | PCI_STATUS_DETECTED_PARITY,
	    2);
	put(at, PCI_CLASS_REVISION, REVISION, 1);
	put(at, PCI_CLASS_DEVICE, CLASS_ETHERNET, 2);
	put(pci->rw, PCI_CACHE_LINE_SIZE, 0xff, 1);
	/* QEMU reads the type bits; it keeps the addresses itself */
	put(at, PCI_BASE_ADDRESS_0 + 4 * ORNIC_BAR_REGS,
	    PCI_BASE_ADDRESS_MEM_TYPE_64, 4);
	put(at, PCI_BASE_ADDRESS_0 + 4 * ORNIC_BAR_DB,
	    PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH, 4);
	put(at, PCI_SUBSYSTEM_VENDOR_ID, ORNIC_PCI_VENDOR_ID, 2);
	put(at, PCI_SUBSYSTEM_ID, ORNIC_PCI_DEVICE_ID, 2);
	put(at, PCI_CAPABILITY_LIST, CAP_PM, 1);
	put(pci->rw, PCI_INTERRUPT_LINE, 0xff, 1);
}

static void init_pm(struct pci *pci)
{
	uint8_t *at = pci->initial + CAP_PM;

	put(at, PCI_CAP_LIST_ID, PCI_CAP_ID_PM, 1);
	put(at, PCI_CAP_LIST_NEXT, CAP_MSIX, 1);
	put(at, PCI_PM_PMC, 3, 2);
	put(at, PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET, 2);
	put(pci->rw + CAP_PM, PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK, 2);
}

_Static_assert(CARD_VECTORS_MAX <= ORNIC_VECTORS_MAX,
	       "more vectors than the table has room for");

static void init_msix(struct pci *pci, unsigned int vectors)
{
	uint8_t *at = pci->initial + CAP_MSIX;

	put(at, PCI_CAP_LIST_ID, PCI_CAP_ID_MSIX, 1);
	put(at, PCI_CAP_LIST_NEXT, CAP_EXP, 1);
	put(at, PCI_MSIX_FLAGS, vectors - 1, 2);
	put(pci->rw + CAP_MSIX, PCI_MSIX_FLAGS,
	    PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL, 2);
	put(at, PCI_MSIX_TABLE, ORNIC_BAR_MSIX_TABLE | ORNIC_BAR_REGS, 4);
	put(at, PCI_MSIX_PBA, ORNIC_BAR_MSIX_PBA | ORNIC_BAR_REGS, 4);
}

static void init_express(struct pci *pci)
{
	uint8_t *at = pci->initial + CAP_EXP;
	uint8_t *rw = pci->rw + CAP_EXP;

	put(at, PCI_CAP_LIST_ID, PCI_CAP_ID_EXP, 1);
	put(at, PCI_CAP_LIST_NEXT, 0, 1);
	put(at, PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4, 2);
	put(at, PCI_EXP_DEVCAP,
	    1 /* 256-byte payloads */ | PCI_EXP_DEVCAP_EXT_TAG |
		    PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR,
	    4);
	put(at, PCI_EXP_DEVCTL,
	    PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN |
		    PCI_EXP_DEVCTL_READRQ_512B,
	    2);
	/* The FLR bit always reads 0 */
	put(rw, PCI_EXP_DEVCTL, 0xffff & ~PCI_EXP_DEVCTL_BCR_FLR, 2);
	put(pci->w1c + CAP_EXP, PCI_EXP_DEVSTA,
	    PCI_EXP_DEVSTA_CED | PCI_EXP_DEVSTA_NFED | PCI_EXP_DEVSTA_FED |
		    PCI_EXP_DEVSTA_URD,
	    2);
	put(at, PCI_EXP_LNKCAP, LINK_SPEED | LINK_WIDTH, 4);
	put(rw, PCI_EXP_LNKCTL,
	    PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES, 2);
	put(at, PCI_EXP_LNKSTA, LINK_SPEED | LINK_WIDTH, 2);
	put(at, PCI_EXP_DEVCAP2, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS, 4);
	put(rw, PCI_EXP_DEVCTL2, PCI_EXP_DEVCTL2_COMP_TMOUT_DIS, 2);
	put(at, PCI_EXP_LNKCAP2, LINK_SPEEDS, 4);
	put(at, PCI_EXP_LNKCTL2, LINK_SPEED, 2);
	put(rw, PCI_EXP_LNKCTL2, PCI_EXP_LNKCTL2_TLS, 2);
}

/* The lower half of the EUI-64 comes first (PCIe 7.9.3) */
static void init_serial(struct pci *pci, const uint8_t *mac)
{
	uint8_t *at = pci->initial + ECAP_DSN;

	put(at, 0, PCI_EXT_CAP_ID_DSN | 1 << 16 | ECAP_ERR << 20, 4);
	put(at, 4, card_guid(mac), 8);
}

/*
 * Advanced Error Reporting (PCIe 7.8.4). vfio-user cannot deliver an error, so
 * the card never sets a status bit, and the header log stays 0.
 */
static void init_error(struct pci *pci)
{
	uint8_t *at = pci->initial + ECAP_ERR;
	uint8_t *rw = pci->rw + ECAP_ERR;

	put(at, 0, PCI_EXT_CAP_ID_ERR | ERR_VERSION << 16, 4);
	put(pci->w1c + ECAP_ERR, PCI_ERR_UNCOR_STATUS, ERR_UNCOR, 4);
	put(at, PCI_ERR_UNCOR_MASK, ERR_UNCOR_MASKED, 4);
	put(rw, PCI_ERR_UNCOR_MASK, ERR_UNCOR, 4);
	put(at, PCI_ERR_UNCOR_SEVER, ERR_UNCOR_FATAL, 4);
	put(rw, PCI_ERR_UNCOR_SEVER, ERR_UNCOR, 4);
	put(pci->w1c + ECAP_ERR, PCI_ERR_COR_STATUS, ERR_COR, 4);
	put(at, PCI_ERR_COR_MASK, ERR_COR_MASKED, 4);
	put(rw, PCI_ERR_COR_MASK, ERR_COR, 4);
	memset(pci->sticky + ECAP_ERR, 0xff, PCI_ERR_ROOT_COMMAND);
}

void pci_init(struct pci *pci, unsigned int vectors, const uint8_t *mac)
{
	memset(pci, 0, sizeof(*pci));
	init_header(pci);
	init_pm(pci);
	init_msix(pci, vectors);
	init_express(pci);
	init_serial(pci, mac);
	init_error(pci);
	pci_power_on(pci);
}

void pci_power_on(struct pci *pci)
{
	memcpy(pci->config, pci->initial, sizeof(pci->config));
}

void pci_reset(struct pci *pci)
{
	unsigned int i;

	for (i = 0; i < sizeof(pci->config); i++)
		if (!pci->sticky[i])
			pci->config[i] = pci->initial[i];
}

void pci_read(const struct pci *pci, unsigned int offset, void *buf,
	      unsigned int len)
{
	memcpy(buf, pci->config + offset, len);
}

unsigned int pci_write(struct pci *pci, unsigned int offset, const void *buf,
		       unsigned int len)
{
	const unsigned int flr = CAP_EXP + PCI_EXP_DEVCTL + 1;
	unsigned int command = get16(pci->config, PCI_COMMAND);
	unsigned int power = power_state(pci);
	const uint8_t *from = buf;
	unsigned int effects = 0;
	unsigned int i, at;

	for (i = 0; i < len; i++) {
		at = offset + i;
		pci->config[at] = (pci->config[at] & ~pci->rw[at]) |
				  (from[i] & pci->rw[at]);
		pci->config[at] &= ~(from[i] & pci->w1c[at]);
		if (at == flr && from[i] & (PCI_EXP_DEVCTL_BCR_FLR >> 8))
			effects |= PCI_EFFECT_FLR;
	}
	/* D1 and D2 are not supported, and a write of them is discarded */
	if (power_state(pci) != POWER_D0 && power_state(pci) != POWER_D3HOT)
		set_power_state(pci, power);
	if (get16(pci->config, PCI_COMMAND) != command ||
	    power_state(pci) != power)
		effects |= PCI_EFFECT_COMMAND;
	return effects;
}

bool pci_memory_enabled(const struct pci *pci)
{
	return power_state(pci) == POWER_D0 &&
	       get16(pci->config, PCI_COMMAND) & PCI_COMMAND_MEMORY;
}

bool pci_master_enabled(const struct pci *pci)
{
	return power_state(pci) == POWER_D0 &&
	       get16(pci->config, PCI_COMMAND) & PCI_COMMAND_MASTER;
}
