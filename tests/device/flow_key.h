/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What rules and hashes look at: the fields of a frame, down to those of a
 * packet that is encapsulated in it. flow.h is for those who need to know only
 * where IP and L4 are, and fast.
 */
#ifndef ORNIC_DEVICE_FLOW_KEY_H
#define ORNIC_DEVICE_FLOW_KEY_H

#include <ornic_hw_cmd.h>

#include "frame.h"

/**
 * flow_key - the fields of a frame
 * @frame: not FRAME_LOCAL; only headers in @frame->hdr are seen
 * @key: filled. A header that is cut, or whose length lies, is not there
 */
void flow_key(const struct frame *frame, struct ornic_flow_key *key);

#endif /* ORNIC_DEVICE_FLOW_KEY_H */
