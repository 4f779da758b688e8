/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Configuration space of the function. BARs, MSI-X table and masking belong to
 * QEMU; all the rest is read from and written to here, bit by bit as the PCI
 * specification has it: read-only, read-write, write-1-to-clear.
 */
#ifndef ORNIC_DEVICE_PCI_H
#define ORNIC_DEVICE_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

#define PCI_CONFIG_SIZE 4096

/**
 * enum pci_effect - what a write leads to, for the card to carry out
 * @PCI_EFFECT_COMMAND: the command register changed
 * @PCI_EFFECT_FLR: function-level reset was asked for
 */
enum pci_effect {
	PCI_EFFECT_COMMAND = 1 << 0,
	PCI_EFFECT_FLR = 1 << 1,
};

/**
 * struct pci - configuration space
 * @config: what is read
 * @initial: what it is after reset
 * @rw: bits that software writes
 * @w1c: bits that software clears by writing 1
 */
struct pci {
	uint8_t config[PCI_CONFIG_SIZE];
	uint8_t initial[PCI_CONFIG_SIZE];
	uint8_t rw[PCI_CONFIG_SIZE];
	uint8_t w1c[PCI_CONFIG_SIZE];
};

/**
 * pci_init - the function as it comes out of reset
 * @pci: configuration space
 * @vectors: MSI-X vectors, 1..NIC_VECTORS_MAX
 * @mac: makes the serial number
 */
void pci_init(struct pci *pci, unsigned int vectors, const uint8_t *mac);

/**
 * pci_reset - back to the values after reset
 * @pci: configuration space
 */
void pci_reset(struct pci *pci);

/**
 * pci_read - read bytes
 * @pci: configuration space
 * @offset: the first
 * @buf: where to
 * @len: how many; @offset + @len <= PCI_CONFIG_SIZE
 */
void pci_read(const struct pci *pci, unsigned int offset, void *buf,
	      unsigned int len);

/**
 * pci_write - write bytes
 * @pci: configuration space
 * @offset: the first
 * @buf: where from
 * @len: how many; @offset + @len <= PCI_CONFIG_SIZE
 *
 * Return: enum pci_effect bits.
 */
unsigned int pci_write(struct pci *pci, unsigned int offset, const void *buf,
		       unsigned int len);

/**
 * pci_memory_enabled - may BARs be accessed
 * @pci: configuration space
 *
 * Return: the memory space enable bit.
 */
bool pci_memory_enabled(const struct pci *pci);

/**
 * pci_master_enabled - may the function access memory and raise interrupts
 * @pci: configuration space
 *
 * Return: the bus master enable bit.
 */
bool pci_master_enabled(const struct pci *pci);

#endif /* ORNIC_DEVICE_PCI_H */
