/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The program without real time: the clock advances each time it is read,
 * waiting returns at once, and all event loops share one AIO context, because
 * the kernel takes long to destroy one. libFuzzer has real time.
 */
#ifndef ORNIC_FUZZ_STILL_H
#define ORNIC_FUZZ_STILL_H

/*
 * Time per reading of the clock, ns: more than the interval between polls of
 * the descriptors, so that each turn polls them
 */
#define STILL_STEP_NS 30000

/* Set the clock back, before an input */
void still_begin(void);

#endif /* ORNIC_FUZZ_STILL_H */
