// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Defines the trace events of the verbs driver */
#define CREATE_TRACE_POINTS
#include "ornic_rdma_trace.h"
