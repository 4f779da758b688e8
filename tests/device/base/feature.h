/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Features by name, and which features and operations depend on which */
#ifndef ORNIC_DEVICE_FEATURE_H
#define ORNIC_DEVICE_FEATURE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * feature_find - find a feature by its name
 * @name: name of ORNIC_FEAT_* in lower case, or "all"
 * @bits: set to its bit, or to those of all features
 *
 * Return: false when there is none of this name.
 */
bool feature_find(const char *name, uint64_t *bits);

/**
 * feature_close - leave out features that need another one
 * @features: any set of ORNIC_FEAT_*
 *
 * Return: those of @features for which all that they need is in @features.
 */
uint64_t feature_close(uint64_t features);

/**
 * feature_send_ops - leave out operations that need a feature
 * @ops: bit n: enum ornic_wr_opcode n
 * @features: ORNIC_FEAT_*
 *
 * Return: those of @ops that work with @features.
 */
uint64_t feature_send_ops(uint64_t ops, uint64_t features);

#endif /* ORNIC_DEVICE_FEATURE_H */
