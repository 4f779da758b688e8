/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Simple tables of reStructuredText, which tests read from hardware.rst */
#ifndef ORNIC_UNIT_TABLE_H
#define ORNIC_UNIT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define TABLE_ROWS 64
#define TABLE_COLUMNS 12
#define TABLE_CELL 48
#define TABLE_QP_STATES 7

/**
 * struct table - a table whose cells have one line each
 * @rows: number of rows, the head included
 * @columns: number of columns
 * @cell: text of the cells, without quotes and spaces around
 */
struct table {
	unsigned int rows;
	unsigned int columns;
	char cell[TABLE_ROWS][TABLE_COLUMNS][TABLE_CELL];
};

/* Names of the states, by enum ornic_qp_state */
extern const char *const table_qp_states[TABLE_QP_STATES];

/* Read the first table behind a line of hardware.rst that begins with @label */
void table_read(struct table *table, const char *label);

/* Return enum ornic_qp_state of a name; fail if there is none */
unsigned int table_qp_state(const char *name);
/*
 * Return the one of @count elements of @size bytes that has a name; the first
 * member is a pointer to it. Fail if there is none.
 */
const void *table_find(const void *elements, size_t size, unsigned int count,
		       const char *name);
#define TABLE_FIND(array, name) \
	table_find(array, sizeof((array)[0]), ARRAY_SIZE(array), name)
/* Is @word one of the words of a cell? */
bool table_has_word(const char *cell, const char *word);

#endif /* ORNIC_UNIT_TABLE_H */
