// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Packet capture into a pcap file */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <time.h>

#include "loop/switch.h"
#include "ports/capture.h"

#define SNAPLEN 65535
/* Interval between flushes; a reader of the growing file lags by this much */
#define FLUSH_NS (100ULL * 1000 * 1000)

struct capture {
	struct loop *loop;
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	struct timer flush;
	uint8_t packet[SNAPLEN];
};

static void capture_timer(struct timer *timer)
{
	capture_flush(container_of(timer, struct capture, flush));
}

void capture_flush(struct capture *capture)
{
	pcap_dump_flush(capture->dumper);
}

static void capture_packet(void *arg, const struct frame *frame)
{
	struct capture *capture = arg;
	struct pcap_pkthdr header;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	header.ts.tv_sec = now.tv_sec;
	/* libpcap takes nanoseconds from tv_usec with PCAP_TSTAMP_PRECISION_NANO */
	header.ts.tv_usec = now.tv_nsec;
	header.len = frame_len(frame);
	header.caplen = header.len < SNAPLEN ? header.len : SNAPLEN;
	frame_read(frame, 0, capture->packet, header.caplen);
	pcap_dump((uint8_t *)capture->dumper, &header, capture->packet);
	if (!timer_armed(&capture->flush))
		timer_arm(&capture->loop->timers, &capture->flush,
			  capture->loop->now_ns + FLUSH_NS);
}

int capture_create(struct loop *loop, const struct log *log, const char *path,
		   struct capture **out)
{
	struct capture *capture;

	capture = calloc(1, sizeof(*capture));
	if (!capture)
		goto no_memory;
	capture->loop = loop;
	timer_init(&capture->flush, capture_timer);
	capture->pcap = pcap_open_dead_with_tstamp_precision(
		DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
	if (!capture->pcap)
		goto free_capture;
	capture->dumper = pcap_dump_open(capture->pcap, path);
	if (!capture->dumper) {
		log_msg(log, ENV_LOG_ERR, NULL, "cannot capture: %s",
			pcap_geterr(capture->pcap));
		pcap_close(capture->pcap);
		free(capture);
		return -EIO;
	}
	pcap_dump_flush(capture->dumper);
	loop->sw.tap = capture_packet;
	loop->sw.tap_arg = capture;
	*out = capture;
	return 0;

free_capture:
	free(capture);
no_memory:
	log_msg(log, ENV_LOG_ERR, NULL, "cannot capture: out of memory");
	return -ENOMEM;
}

void capture_destroy(struct capture *capture)
{
	if (!capture)
		return;
	capture->loop->sw.tap = NULL;
	timer_cancel(&capture->loop->timers, &capture->flush);
	pcap_dump_close(capture->dumper);
	pcap_close(capture->pcap);
	free(capture);
}
