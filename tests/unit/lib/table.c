// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Simple tables of reStructuredText, which tests read from hardware.rst */
#include <stdbool.h>
#include <stdio.h>

#include <ornic_hw_cmd.h>

#include "table.h"
#include "unit.h"

#define LINE 256

/* Column boundaries, from a line of '=' */
struct ruler {
	unsigned int columns;
	unsigned int from[TABLE_COLUMNS + 1];
};

static void read_ruler(struct ruler *ruler, const char *line)
{
	unsigned int i;

	ruler->columns = 0;
	for (i = 0; line[i] == '=' || line[i] == ' '; i++) {
		if (line[i] != '=' || (i && line[i - 1] == '='))
			continue;
		assert_true(ruler->columns < TABLE_COLUMNS);
		ruler->from[ruler->columns++] = i;
	}
	ruler->from[ruler->columns] = LINE;
}

static void read_cell(char *cell, const char *line, unsigned int from,
		      unsigned int to)
{
	unsigned int len = strlen(line), n = 0, i;

	if (to > len)
		to = len;
	for (i = from; i < to; i++) {
		if (line[i] == '`' || line[i] == '\n')
			continue;
		assert_true(n < TABLE_CELL - 1);
		cell[n++] = line[i];
	}
	while (n && cell[n - 1] == ' ')
		n--;
	cell[n] = 0;
}

static void read_row(struct table *table, const struct ruler *ruler,
		     const char *line)
{
	unsigned int i;

	assert_true(table->rows < TABLE_ROWS);
	for (i = 0; i < ruler->columns; i++)
		read_cell(table->cell[table->rows][i], line, ruler->from[i],
			  ruler->from[i + 1]);
	table->rows++;
}

void table_read(struct table *table, const char *label)
{
	FILE *file = fopen(DOCUMENTS "/hardware.rst", "r");
	unsigned int rulers = 0;
	struct ruler ruler = {};
	bool found = false;
	char line[LINE];

	assert_non_null(file);
	memset(table, 0, sizeof(*table));
	while (rulers < 3 && fgets(line, sizeof(line), file)) {
		found |= !strncmp(line, label, strlen(label));
		if (!found)
			continue;
		if (!strncmp(line, "===", 3)) {
			read_ruler(&ruler, line);
			rulers++;
		} else if (rulers) {
			read_row(table, &ruler, line);
		}
	}
	fclose(file);
	table->columns = ruler.columns;
	if (rulers != 3)
		fail_msg("no table behind %s", label);
}

const char *const table_qp_states[TABLE_QP_STATES] = {
	[ORNIC_QPS_RESET] = "RESET", [ORNIC_QPS_INIT] = "INIT",
	[ORNIC_QPS_RTR] = "RTR", [ORNIC_QPS_RTS] = "RTS",
	[ORNIC_QPS_SQD] = "SQD", [ORNIC_QPS_SQE] = "SQE",
	[ORNIC_QPS_ERR] = "ERR",
};

unsigned int table_qp_state(const char *name)
{
	unsigned int i;

	for (i = 0; i < TABLE_QP_STATES; i++)
		if (!strcmp(table_qp_states[i], name))
			return i;
	fail_msg("no state %s", name);
	return 0;
}

const void *table_find(const void *elements, size_t size, unsigned int count,
		       const char *name)
{
	const char *element = elements, *found;

	for (; count--; element += size) {
		memcpy(&found, element, sizeof(found));
		if (!strcmp(found, name))
			return element;
	}
	fail_msg("there is no %s", name);
	return NULL;
}

bool table_has_word(const char *cell, const char *word)
{
	const char *at = strstr(cell, word);
	size_t len = strlen(word);

	return at && (at == cell || at[-1] == ' ') && (!at[len] || at[len] == ' ');
}
