// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The command line: usage text and parser */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ornic_hw_cmd.h>

#include "base/feature.h"
#include "base/limit.h"
#include "env/number.h"
#include "process/options.h"

#define PROGRAM "ornic-device"

/* Long enough for the peer's response, too short to waste much CPU time */
#define SPIN_US_DEFAULT 200
#define SPIN_US_MAX 1000000

static const char usage[] =
	"Usage: " PROGRAM " --nic socket=PATH [OPTION]...\n"
	"A software ORNIC card: an RDMA NIC for stock QEMU over vfio-user.\n"
	"\n"
	"  --nic socket=PATH[,mac=MAC][,vectors=N][,shadow=on|off]\n"
	"        [,ci-lag=N][,rq-doorbell=on|off][,push=on|off]\n"
	"        [,commands=forward|reverse]\n"
	"        [,ready=MS][,writes=early|late][,entries=split|whole|pairs]\n"
	"        [,spoofcheck=on|off][,permit=MAC]...\n"
	"        [,profile=full|rdma|ethernet][,without=FEATURE[,FEATURE]...]\n"
	"        [,flow=full|basic|exact][,parse=full|least][,version=MAJOR.MINOR]\n"
	"        [,limit=NAME:VALUE[,NAME:VALUE]...]\n"
	"        one card; QEMU connects to PATH. N MSI-X vectors, 1 to 64 (16).\n"
	"        shadow=off: plain doorbells only, as silicon may do it.\n"
	"        ci-lag=N: sq_ci and rq_ci lag N entries behind, 0 to 256.\n"
	"        rq-doorbell=on: look for receives only when a doorbell told of them.\n"
	"        push=on: take short WQEs that come with their doorbell.\n"
	"        commands=reverse: complete the latest of several commands first.\n"
	"        ready=MS: be ready MS milliseconds after power-on and reset (0).\n"
	"        writes=late: write memory until a read tells that the card is reset.\n"
	"        entries=whole: write completions and events by one copy each.\n"
	"        entries=pairs: write two completions at once where that is possible.\n"
	"        spoofcheck=on: send only with MAC, and up to 8 of permit, as source.\n"
	"        profile: be a card for RDMA only, or for Ethernet only.\n"
	"        without: lack features, or all of them. FEATURE: srq, resize_srq, xrc,\n"
	"        mcast, mw, reg_mr, modify_mr, resize_cq, cq_moderation, cqe_ext, wq,\n"
	"        flow, stat_sets, tso, rate_limit, null_mr, flow_copy, comp_cntr,\n"
	"        push.\n"
	"        flow=basic: flow rules as simple hardware has them.\n"
	"        flow=exact: flow rules with masks of whole fields only.\n"
	"        parse=least: find headers, and hash, no more than a card must.\n"
	"        version: have this version of the hardware interface.\n"
	"        limit: report limits that the card does not have, such as max_cqe.\n"
	"        May be repeated: the cards of one process share a switch.\n"
	"  --port dgram,local=PATH,remote=PATH[,mac=MAC[,permit=MAC]...]\n"
	"        plug QEMU's -netdev dgram into the switch: our socket, QEMU's.\n"
	"        mac: drop what comes from other addresses than MAC, and up to 8 of\n"
	"        permit; frames to MAC go to no port without mac.\n"
	"  --port tap,name=IF[,mac=MAC[,permit=MAC]...]\n"
	"        plug a TAP interface of the host into the switch.\n"
	"  --lie none|all|LABEL[.PLACE][,...][,rate=PPM][,seed=N][,count=N]\n"
	"        [,until=reset]\n"
	"        the card of the last --nic breaks the hardware interface so, to\n"
	"        test a driver. LABEL: phase, index, length, number, status, type,\n"
	"        order, twice, silence, late, spurious, nonsense, ones, dma.\n"
	"  --pcap FILE\n"
	"        capture all packets of the switch; implies --bytes.\n"
	"  --control PATH\n"
	"        answer requests on a Unix socket, one per line: help, stats, link,\n"
	"        inject, fault, lie, add, remove.\n"
	"  --spin-us N\n"
	"        spin at most N microseconds after work before sleeping (200). The\n"
	"        card learns how much of it pays, and yields the processor meanwhile.\n"
	"  --sandbox=on|off\n"
	"        give up all system calls but a few after the start. The default is\n"
	"        on where the kernel can do it; with on it must.\n"
	"  --user=NAME|UID:GID\n"
	"        become this user after the start.\n"
	"  --bytes\n"
	"        make real packets even between cards of this process.\n"
	"  -v, --verbose\n"
	"        tell what guests do wrong.\n"
	"  --help, --version\n"
	"\n"
	"In QEMU (10.1 or later), with guest memory that can be shared:\n"
	"  -machine q35,memory-backend=mem\n"
	"  -object memory-backend-memfd,id=mem,size=1G,share=on\n"
	"  -device '{\"driver\":\"vfio-user-pci\",\"x-msg-timeout\":60000,\n"
	"            \"socket\":{\"type\":\"unix\",\"path\":\"PATH\"}}'\n";

enum long_option {
	OPT_NIC = 256,
	OPT_PORT,
	OPT_LIE,
	OPT_PCAP,
	OPT_CONTROL,
	OPT_SPIN_US,
	OPT_SANDBOX,
	OPT_USER,
	OPT_BYTES,
	OPT_HELP,
	OPT_VERSION,
};

static const struct option long_options[] = {
	{ "nic", required_argument, NULL, OPT_NIC },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "lie", required_argument, NULL, OPT_LIE },
	{ "pcap", required_argument, NULL, OPT_PCAP },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ "spin-us", required_argument, NULL, OPT_SPIN_US },
	{ "sandbox", required_argument, NULL, OPT_SANDBOX },
	{ "user", required_argument, NULL, OPT_USER },
	{ "bytes", no_argument, NULL, OPT_BYTES },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

/* Why the latest option was refused; empty if getopt_long() has said it */
static char refusal[256];

static bool bad(const char *what, const char *value)
{
	snprintf(refusal, sizeof(refusal), "%s: '%s'", what, value);
	return false;
}

static bool parse_number(const char *text, unsigned int min, unsigned int max,
			 unsigned int *out)
{
	uint64_t value;

	if (!number_parse(text, min, max, &value))
		return false;
	*out = value;
	return true;
}

static bool parse_mac(const char *text, uint8_t *mac)
{
	unsigned int byte[MAC_LEN];
	unsigned int i;
	int used = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1],
		   &byte[2], &byte[3], &byte[4], &byte[5], &used) != MAC_LEN ||
	    text[used])
		return false;
	for (i = 0; i < MAC_LEN; i++)
		mac[i] = byte[i];
	return !(mac[0] & 1);
}

static bool parse_switch(const char *text, bool *on)
{
	*on = !strcmp(text, "on");
	return *on || !strcmp(text, "off");
}

/* Locally administered MAC address for card @index of this process */
static void default_mac(unsigned int index, uint8_t *mac)
{
	const uint8_t made[MAC_LEN] = { 0x02, 0x0e, 0x1c, 0x00, 0x00,
					index + 1 };

	memcpy(mac, made, MAC_LEN);
}

/* ---- keys of --nic: each returns false when the value is bad ---- */

static bool nic_socket(struct options_nic *nic, char *value)
{
	nic->path = value;
	return true;
}

static bool nic_mac(struct options_nic *nic, char *value)
{
	return parse_mac(value, nic->config.mac);
}

static bool nic_vectors(struct options_nic *nic, char *value)
{
	return parse_number(value, 1, CARD_VECTORS_MAX, &nic->config.vectors);
}

static bool nic_shadow(struct options_nic *nic, char *value)
{
	bool shadow;

	if (!parse_switch(value, &shadow))
		return false;
	nic->config.no_shadow = !shadow;
	return true;
}

static bool nic_ci_lag(struct options_nic *nic, char *value)
{
	nic->config.ci_lags = true;
	return parse_number(value, 0, ORNIC_CI_LAG_MAX, &nic->config.ci_lag);
}

static bool nic_spoofcheck(struct options_nic *nic, char *value)
{
	return parse_switch(value, &nic->config.spoofcheck.on);
}

static bool parse_permit(struct port_spoofcheck *check, const char *value)
{
	if (check->permitted_count == PORT_PERMITTED_MAX)
		return bad("too many of permit", value);
	if (!parse_mac(value, check->permitted[check->permitted_count]))
		return bad("permit must be a unicast MAC address", value);
	check->permitted_count++;
	return true;
}

static bool nic_permit(struct options_nic *nic, char *value)
{
	return parse_permit(&nic->config.spoofcheck, value);
}

static bool nic_rq_doorbell(struct options_nic *nic, char *value)
{
	return parse_switch(value, &nic->config.rq_doorbell);
}

static bool nic_push(struct options_nic *nic, char *value)
{
	return parse_switch(value, &nic->config.push);
}

static bool nic_commands(struct options_nic *nic, char *value)
{
	nic->config.commands_reverse = !strcmp(value, "reverse");
	return nic->config.commands_reverse || !strcmp(value, "forward");
}

static bool nic_ready(struct options_nic *nic, char *value)
{
	return parse_number(value, 0, CARD_READY_MS_MAX, &nic->config.ready_ms);
}

static bool nic_writes(struct options_nic *nic, char *value)
{
	nic->config.late_writes = !strcmp(value, "late");
	return nic->config.late_writes || !strcmp(value, "early");
}

static bool nic_entries(struct options_nic *nic, char *value)
{
	nic->config.pair_entries = !strcmp(value, "pairs");
	nic->config.whole_entries = nic->config.pair_entries ||
				    !strcmp(value, "whole");
	return nic->config.whole_entries || !strcmp(value, "split");
}

static bool nic_profile(struct options_nic *nic, char *value)
{
	static const char *const names[] = {
		[ORNIC_PROFILE_RDMA] = "rdma",
		[ORNIC_PROFILE_ETHERNET] = "ethernet",
		[ORNIC_PROFILE_RDMA | ORNIC_PROFILE_ETHERNET] = "full",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!names[i] || strcmp(names[i], value))
			continue;
		nic->config.profiles = i;
		return true;
	}
	return false;
}

static bool nic_without(struct options_nic *nic, char *value)
{
	uint64_t bits;

	if (!feature_find(value, &bits))
		return false;
	nic->config.without |= bits;
	return true;
}

static bool nic_flow(struct options_nic *nic, char *value)
{
	nic->config.flow_basic = !strcmp(value, "basic");
	nic->config.flow_exact = !strcmp(value, "exact");
	return nic->config.flow_basic || nic->config.flow_exact || !strcmp(value, "full");
}

static bool nic_parse(struct options_nic *nic, char *value)
{
	nic->config.parse_least = !strcmp(value, "least");
	return nic->config.parse_least || !strcmp(value, "full");
}

static bool nic_version(struct options_nic *nic, char *value)
{
	unsigned int major, minor;
	int used = 0;

	if (sscanf(value, "%5u.%5u%n", &major, &minor, &used) != 2 ||
	    value[used] || major > UINT16_MAX || minor > UINT16_MAX ||
	    !(major | minor))
		return false;
	nic->config.version = ORNIC_PREP(ORNIC_VERSION_MAJOR, major) |
			      ORNIC_PREP(ORNIC_VERSION_MINOR, minor);
	return true;
}

static bool nic_limit(struct options_nic *nic, char *value)
{
	struct card_limits *limits = &nic->config.limits;
	char *number = strchr(value, ':');
	size_t offset;
	bool found;

	if (limits->count == CARD_LIMITS_MAX)
		return bad("--nic: too many of limit", value);
	if (!number)
		return bad("--nic: limit must be NAME:VALUE", value);
	*number = '\0';
	found = limit_find(value, &offset);
	*number = ':';
	if (!found)
		return bad("--nic: limit: no such limit", value);
	if (!parse_number(number + 1, 0, UINT32_MAX,
			  &limits->limit[limits->count].value))
		return bad("--nic: limit must be NAME:VALUE", value);
	limits->limit[limits->count++].offset = offset;
	return true;
}

/**
 * struct nic_key - a key of --nic
 * @name: before the equals sign
 * @parse: sets the value
 * @reason: message when it cannot; NULL: it prints one itself
 * @list: further values may follow, with commas and without the key
 */
static const struct nic_key {
	const char *name;
	bool (*parse)(struct options_nic *nic, char *value);
	const char *reason;
	bool list;
} nic_keys[] = {
	{ "socket", nic_socket, NULL, false },
	{ "mac", nic_mac, "--nic: not a unicast MAC address", false },
	{ "vectors", nic_vectors, "--nic: vectors must be 1 to 64", false },
	{ "shadow", nic_shadow, "--nic: shadow must be on or off", false },
	{ "ci-lag", nic_ci_lag, "--nic: ci-lag must be 0 to 256", false },
	{ "rq-doorbell", nic_rq_doorbell,
	  "--nic: rq-doorbell must be on or off", false },
	{ "push", nic_push, "--nic: push must be on or off", false },
	{ "commands", nic_commands,
	  "--nic: commands must be forward or reverse", false },
	{ "ready", nic_ready, "--nic: ready must be 0 to 19000", false },
	{ "writes", nic_writes, "--nic: writes must be early or late", false },
	{ "entries", nic_entries, "--nic: entries must be split, whole or pairs",
	  false },
	{ "spoofcheck", nic_spoofcheck, "--nic: spoofcheck must be on or off",
	  false },
	{ "permit", nic_permit, NULL, false },
	{ "profile", nic_profile,
	  "--nic: profile must be rdma, ethernet or full", false },
	{ "without", nic_without, "--nic: without: no such feature", true },
	{ "flow", nic_flow, "--nic: flow must be full, basic or exact", false },
	{ "parse", nic_parse, "--nic: parse must be full or least", false },
	{ "version", nic_version, "--nic: version must be MAJOR.MINOR", false },
	{ "limit", nic_limit, NULL, true },
};

static const struct nic_key *nic_find_key(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nic_keys); i++)
		if (!strcmp(nic_keys[i].name, name))
			return &nic_keys[i];
	return NULL;
}

/* @list: key of the word before, which takes a list, or NULL */
static bool parse_nic_word(struct options_nic *nic, char *word,
			   const struct nic_key **list)
{
	char *value = strchr(word, '=');
	const struct nic_key *key;

	if (!value && *list) {
		key = *list;
		value = word;
	} else {
		if (value)
			*value = '\0';
		key = nic_find_key(word);
		if (value)
			*value++ = '=';
	}
	if (!key)
		return bad("--nic: unknown key", word);
	if (!value || !*value)
		return bad("--nic: key without a value", key->name);
	*list = key->list ? key : NULL;
	return key->parse(nic, value) ||
	       (key->reason && bad(key->reason, value));
}

static bool parse_nic_words(struct options_nic *nic, char *arg)
{
	const struct nic_key *list = NULL;
	char *word;

	while ((word = strsep(&arg, ",")))
		if (*word && !parse_nic_word(nic, word, &list))
			return false;
	if (!nic->path)
		return bad("--nic: needs socket=PATH", "");
	if (nic->config.spoofcheck.permitted_count && !nic->config.spoofcheck.on)
		return bad("--nic: permit needs spoofcheck=on", nic->path);
	return true;
}

const char *options_parse_nic(struct options_nic *nic, unsigned int number, char *arg)
{
	memset(nic, 0, sizeof(*nic));
	snprintf(nic->name, sizeof(nic->name), OPTIONS_NAME, number);
	nic->config.name = nic->name;
	nic->config.vectors = CARD_VECTORS_DEFAULT;
	default_mac(number, nic->config.mac);
	return parse_nic_words(nic, arg) ? NULL : refusal;
}

static bool parse_nic(struct options *options, char *arg)
{
	unsigned int number = options->nic_count;

	if (number == OPTIONS_MAX_NICS)
		return bad("too many cards", arg);
	if (options_parse_nic(&options->nic[number], number, arg))
		return false;
	options->nic_count++;
	return true;
}

enum port_key {
	PORT_DGRAM,
	PORT_TAP,
	PORT_LOCAL,
	PORT_REMOTE,
	PORT_NAME,
	PORT_MAC,
	PORT_PERMIT,
};

/* Return: false when the value of the key is wrong */
static bool parse_port_key(struct options_port *port, enum port_key key, char *value)
{
	struct port_fd_config *config = &port->config;

	switch (key) {
	case PORT_LOCAL:
		port->local = value;
		return true;
	case PORT_REMOTE:
		port->remote = value;
		return true;
	case PORT_NAME:
		port->tap = value;
		return true;
	case PORT_MAC:
		config->spoofcheck.on = true;
		return parse_mac(value, config->mac) ||
		       bad("--port: mac must be a unicast MAC address", value);
	default:
		return parse_permit(&config->spoofcheck, value);
	}
}

static bool parse_port(struct options *options, char *arg)
{
	static char *const keys[] = {
		[PORT_DGRAM] = (char *)"dgram",
		[PORT_TAP] = (char *)"tap",
		[PORT_LOCAL] = (char *)"local",
		[PORT_REMOTE] = (char *)"remote",
		[PORT_NAME] = (char *)"name",
		[PORT_MAC] = (char *)"mac",
		[PORT_PERMIT] = (char *)"permit",
		NULL,
	};
	bool dgram = false, tap = false;
	struct options_port *port;
	char *value;
	int key;

	if (options->port_count == OPTIONS_MAX_PORTS)
		return bad("too many ports", arg);
	port = &options->port[options->port_count];
	while (*arg) {
		key = getsubopt(&arg, keys, &value);
		if (key < 0)
			return bad("--port: unknown key", value);
		if (key >= PORT_LOCAL && (!value || !*value))
			return bad("--port: key without a value", keys[key]);
		if (key == PORT_DGRAM)
			dgram = true;
		else if (key == PORT_TAP)
			tap = true;
		else if (!parse_port_key(port, key, value))
			return false;
	}
	if (dgram == tap)
		return bad("--port: needs a kind, dgram or tap", "");
	if (dgram && (!port->local || !port->remote || port->tap))
		return bad("--port dgram: needs local=PATH,remote=PATH", "");
	if (tap && (!port->tap || port->local || port->remote))
		return bad("--port tap: needs name=IF", "");
	if (port->config.spoofcheck.permitted_count && !port->config.spoofcheck.on)
		return bad("--port: permit needs mac", "");
	options->port_count++;
	return true;
}

static bool parse_lie(struct options *options, char *arg)
{
	const char *reason;

	if (!options->nic_count)
		return bad("--lie: needs a --nic before it", arg);
	reason = lie_parse(&options->nic[options->nic_count - 1].config.lie,
			   arg);
	if (reason)
		snprintf(refusal, sizeof(refusal), "--lie: %s", reason);
	return !reason;
}

static bool parse_sandbox(struct options *options, const char *text)
{
	bool on;

	if (!parse_switch(text, &on))
		return bad("--sandbox: must be on or off", text);
	options->sandbox = on ? SANDBOX_ON : SANDBOX_OFF;
	return true;
}

static bool parse_user(struct options *options, const char *text)
{
	if (!sandbox_find_user(text, &options->user))
		return bad("--user: no such user, and not UID:GID", text);
	options->has_user = true;
	return true;
}

static bool parse_one(struct options *options, int option)
{
	switch (option) {
	case OPT_NIC:
		return parse_nic(options, optarg);
	case OPT_PORT:
		return parse_port(options, optarg);
	case OPT_LIE:
		return parse_lie(options, optarg);
	case OPT_PCAP:
		options->pcap = optarg;
		return true;
	case OPT_CONTROL:
		options->control = optarg;
		return true;
	case OPT_SPIN_US:
		if (!parse_number(optarg, 0, SPIN_US_MAX, &options->spin_us))
			return bad("--spin-us: must be 0 to 1000000", optarg);
		return true;
	case OPT_SANDBOX:
		return parse_sandbox(options, optarg);
	case OPT_USER:
		return parse_user(options, optarg);
	case OPT_BYTES:
		options->bytes = true;
		return true;
	case 'v':
		options->log.level = ENV_LOG_DEBUG;
		return true;
	default:
		return false;
	}
}

enum options_result options_parse(struct options *options, int argc,
				  char **argv)
{
	int option;

	memset(options, 0, sizeof(*options));
	options->spin_us = SPIN_US_DEFAULT;
	options->log.level = ENV_LOG_INFO;
	while ((option = getopt_long(argc, argv, "v", long_options, NULL)) >=
	       0) {
		if (option == OPT_HELP) {
			fputs(usage, stdout);
			return OPTIONS_DONE;
		}
		if (option == OPT_VERSION) {
			puts(PROGRAM " " ORNIC_RELEASE);
			return OPTIONS_DONE;
		}
		if (!parse_one(options, option))
			goto bad_line;
	}
	if (optind < argc) {
		bad("argument without an option", argv[optind]);
		goto bad_line;
	}
	if (!options->nic_count) {
		snprintf(refusal, sizeof(refusal), "no card: give at least one --nic");
		goto bad_line;
	}
	/* A capture shows the packets as they would be on a wire */
	if (options->pcap)
		options->bytes = true;
	return OPTIONS_RUN;

bad_line:
	if (*refusal)
		fprintf(stderr, PROGRAM ": %s\n", refusal);
	fprintf(stderr, "Try '" PROGRAM " --help'.\n");
	return OPTIONS_BAD;
}
