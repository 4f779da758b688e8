// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Arm words of the reserved type */
#include "kit.h"

/* [ORNIC-DB-23] Type 3 asks for what NEXT asks for */
static void arm_type_3(struct kit *w, bool late)
{
	kit_complete(w, 1, ORNIC_WC_SUCCESS, false);
	kit_expect_cqe(w, 1);
	if (late)
		kit_post(w, 2);
	kit_arm_cq(w, 3);
	if (!late) {
		host_run(w->host);
		kit_expect_no_event(w);
		kit_post(w, 2);
	}
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	kit_expect_no_event(w);
}

static void test_arm_type_3(void **state)
{
	arm_type_3(*state, false);
}

/* Without the shadow the doorbell may come after the entry */
static void test_late_arm_type_3(void **state)
{
	arm_type_3(*state, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_arm_type_3, kit_setup,
						kit_teardown),
		cmocka_unit_test_setup_teardown(test_late_arm_type_3,
						kit_setup_no_shadow,
						kit_teardown),
	};

	return cmocka_run_group_tests_name("arm", tests, NULL, NULL);
}
