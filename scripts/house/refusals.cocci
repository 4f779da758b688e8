// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Prints each error number of a refusal, and "cold" for one that no message explains: the message
 * is the statement before, or the condition calls a function that logs the reason. refusals.py
 * reads the output.
 */

@said@
identifier message = {ibdev_dbg, ibdev_dbg_ratelimited, netdev_dbg, NL_SET_ERR_MSG_MOD,
		      NL_SET_ERR_MSG_FMT_MOD, ornic_refuse, verbs_err};
identifier E = {EINVAL, EOPNOTSUPP, ENOTSUP, EBUSY, ERANGE, EPERM};
expression x;
position p;
@@
 message(...);
(
 return -E@p;
|
 return E@p;
|
 return ERR_PTR(-E@p);
|
 x = -E@p;
|
 x = E@p;
)

@asked@
identifier asked = ornic_check_bits;
identifier E = {EINVAL, EOPNOTSUPP, ENOTSUP, EBUSY, ERANGE, EPERM};
symbol errno;
position p;
@@
 if (<+... asked(...) ...+>)
(
 return E@p;
|
 {
 errno = E@p;
 ...
 }
)

@compared@
expression x;
identifier E = {EINVAL, EOPNOTSUPP, ENOTSUP, EBUSY, ERANGE, EPERM};
position p;
@@
(
 x == -E@p
|
 x != -E@p
|
 x == E@p
|
 x != E@p
)

@cold@
identifier E = {EINVAL, EOPNOTSUPP, ENOTSUP, EBUSY, ERANGE, EPERM};
position p != {said.p, asked.p, compared.p};
@@
 E@p

@script:python@
p << cold.p;
E << cold.E;
@@
print(f"cold {p[0].file} {p[0].line} {p[0].current_element} {E}")

@every@
identifier E = {EINVAL, EOPNOTSUPP, ENOTSUP, EBUSY, ERANGE, EPERM};
position p;
@@
 E@p

@script:python@
p << every.p;
@@
print(f"every {p[0].file} {p[0].line}")
