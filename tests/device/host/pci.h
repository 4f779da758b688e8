/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Configuration space of the function. QEMU handles BARs, MSI-X table and
 * masking. Everything else is read and written here, with bits that are
 * read-only, read-write or write-1-to-clear as the PCI specification requires.
 */
#ifndef ORNIC_DEVICE_PCI_H
#define ORNIC_DEVICE_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "env/port.h"

#define PCI_CONFIG_SIZE 4096

/**
 * enum pci_effect - side effects of a write, for the caller to carry out
 * @PCI_EFFECT_COMMAND: the command register or the power state changed
 * @PCI_EFFECT_FLR: a function-level reset was requested
 */
enum pci_effect {
	PCI_EFFECT_COMMAND = 1 << 0,
	PCI_EFFECT_FLR = 1 << 1,
};

/**
 * struct pci - configuration space
 * @config: current values
 * @initial: values after reset
 * @rw: bits that software can write
 * @w1c: bits that software clears by writing 1
 * @sticky: not 0 for bytes that only power-on resets
 */
struct pci {
	uint8_t config[PCI_CONFIG_SIZE];
	uint8_t initial[PCI_CONFIG_SIZE];
	uint8_t rw[PCI_CONFIG_SIZE];
	uint8_t w1c[PCI_CONFIG_SIZE];
	uint8_t sticky[PCI_CONFIG_SIZE];
};

/**
 * pci_init - initialise the configuration space
 * @pci: configuration space
 * @vectors: MSI-X vectors, 1..CARD_VECTORS_MAX
 * @mac: MAC address that the device serial number is made from
 */
void pci_init(struct pci *pci, unsigned int vectors, const uint8_t *mac);

/**
 * pci_power_on - restore the values after power-on
 * @pci: configuration space
 */
void pci_power_on(struct pci *pci);

/**
 * pci_reset - restore the values after a bus reset or a function level reset,
 *	which leave sticky registers alone
 * @pci: configuration space
 */
void pci_reset(struct pci *pci);

/**
 * pci_read - read bytes
 * @pci: configuration space
 * @offset: offset of the first byte
 * @buf: destination
 * @len: number of bytes; @offset + @len <= PCI_CONFIG_SIZE
 */
void pci_read(const struct pci *pci, unsigned int offset, void *buf,
	      unsigned int len);

/**
 * pci_write - write bytes
 * @pci: configuration space
 * @offset: offset of the first byte
 * @buf: source
 * @len: number of bytes; @offset + @len <= PCI_CONFIG_SIZE
 *
 * Return: mask of enum pci_effect.
 */
unsigned int pci_write(struct pci *pci, unsigned int offset, const void *buf,
		       unsigned int len);

/**
 * pci_memory_enabled - check whether BARs may be accessed
 * @pci: configuration space
 *
 * Return: the memory space enable bit; false in D3hot.
 */
bool pci_memory_enabled(const struct pci *pci);

/**
 * pci_master_enabled - check whether the function may access memory and raise
 *	interrupts
 * @pci: configuration space
 *
 * Return: the bus master enable bit; false in D3hot.
 */
bool pci_master_enabled(const struct pci *pci);

#endif /* ORNIC_DEVICE_PCI_H */
