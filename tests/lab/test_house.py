# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/house: each check reports a planted violation, and no good text."""

import subprocess

import pytest
from house import CHECKS, commits, nouns, refusals, statics


@pytest.mark.parametrize("check, name, good, bad", [
    ("spdx", "a.c", "// SPDX-License-Identifier: MIT\n", "int a;\n" * 5),
    ("columns", "a.py", "a" * 100, "a" * 101),
    ("columns", "kernel/net/a.c", "\t/* " + "a" * 66 + " */", "\t/* " + "a" * 67 + " */"),
    ("columns", "a.h", "\t\"" + "a" * 100 + "\",", "\tf(\"" + "a" * 100 + "\", a);"),
    ("stops", "a.c", "/* A sentence */", "/* A sentence. */"),
    ("stops", "a.c", "/* A sentence. Another one. */", "/* A sentence. Another one */"),
    ("words", "a.c", "/* Users who want no rules delete them */", "/* Who polls is told */"),
    ("words", "a.py", "a = \"nobody\"", "# The ring, which nobody reads"),
    ("words", "kernel/net/a.c", "f(\"no such key\");", "f(\"key of somebody\");"),
    ("words", "a.7", ".TH A\n.PP\nWhat is it?", ".TH A\n.PP\n.B What is posted is gone."),
    ("nouns", "kernel/rdma/qp_kernel.c", "", None),
    ("names", "kernel/net/eq.c", "int\nornic_eq_arm(int a)\n{\n}", "int ornic_arm(int a)\n{\n}"),
    ("names", "kernel/net/start.c", "void ornic_stop(void)\n{\n}", "void ornic_go(void)\n{\n}"),
    ("statics", "user-provider/a.c", "static int ornic_a(void)\n{\n}", "int ornic_a(void)\n{\n}"),
])
def test_check(check, name, good, bad):
    assert not list(CHECKS[check]([(name, good)]))
    assert bad is None or len(list(CHECKS[check]([(name, bad)]))) == 1


@pytest.mark.parametrize("name", ["user-provider/domain.c", "tests/device/eth/rule_match.h",
                                  "kernel/rdma/ucontext.c"])
def test_stem(name):
    (found,) = nouns.noun_stems([(name, "")])
    assert "the other parts call this" in found


def test_private_functions():
    """A prototype is no use, but an inline function of a header is one, and so is a test."""
    function = ("kernel/rdma/a.c", "int ornic_a(int a)\n{\n\treturn a;\n}\n")
    prototype = "int ornic_a(int a);\n"
    for name, text, found in (("kernel/rdma/a.h", prototype, 1),
                              ("kernel/rdma/b.c", "/* ornic_a() */", 1),
                              ("kernel/rdma/b.c", "f(ornic_a(1));", 0),
                              ("kernel/rdma/a.h", f"{prototype}#define B ornic_a(1)\n", 0),
                              ("tests/kunit/a.c", "f(ornic_a(1));", 0)):
        assert len(list(statics.private_functions([function, (name, text)]))) == found, text


@pytest.mark.parametrize("body, is_cold", [
    ("if (a)\n\treturn -EINVAL;\nreturn 0;", True),
    ("if (a) {\n\tibdev_dbg(dev, \"a\");\n\treturn 0;\n}\nreturn -EOPNOTSUPP;", True),
    ("if (a)\n\tibdev_dbg(dev, \"a\");\nreturn -EINVAL;", True),
    ("ibdev_dbg(dev, \"a\");\na++;\nreturn -EINVAL;", True),
    ("/* ibdev_dbg(dev, \"a\"); */\nreturn a ? -EBUSY : 0;", True),
    ("if (a) {\n\tibdev_dbg(dev, \"(%d\\n\", f(a));\n\treturn -EINVAL;\n}\nreturn 0;", False),
    ("case 1:\n\tNL_SET_ERR_MSG_MOD(extack, \"a\");\n\terr = -EINVAL;\n\tgoto out;", False),
    ("ornic_refuse(ctx, \"%d\", a);\nreturn ERR_PTR(-EINVAL);", False),
    ("if (!ornic_check_bits(ctx, \"a\", a, 0)) {\n\terrno = EINVAL;\n\treturn 0;\n}", False),
    ("if (a == -EBUSY)\n\treturn -ENOMEM; /* EINVAL */\nf(\"EINVAL\");", False),
])
def test_refusal(body, is_cold):
    text = f"static __attribute__((cold)) int\nornic_a(int a)\n{{\n{body}\n}}\n"
    found = [line for line in refusals.cold_refusals([("kernel/rdma/a.c", text)])
             if not line.startswith("refusals.py")]
    assert len(found) == is_cold and all(": ornic_a() refuses" in line for line in found)


def test_refusal_exceptions():
    """Exceptions are per function, and one that is not needed is a violation."""
    body = "int ornic_wr_a(int a)\n{\n\treturn EINVAL;\n}\n"
    found = list(refusals.cold_refusals([("user-provider/a.c", body)]))
    assert len(found) == len(refusals.EXCEPTIONS) - 1
    assert not any("ornic_(build|rq|wr)" in line for line in found)


def test_commits(tmp_path):
    """Commits that are not in origin/main are checked. A tree without history has none."""
    def git(*argv):
        user = ["-c", "user.name=n", "-c", "user.email=e"]
        subprocess.run(["git", "-C", tmp_path, *user, *argv], check=True, capture_output=True)

    assert not list(commits.commit_messages([], tmp_path))
    git("init", "-q")
    for message in ("old", "device: Add a card\n\nThe reason.", "net/ornic: adds it"):
        git("commit", "-q", "--allow-empty", "-m", message)
    found = list(commits.commit_messages([], tmp_path))
    assert ["old" in line for line in found] == [False, False, True, True]
    git("update-ref", "refs/remotes/origin/main", "HEAD~2")
    assert list(commits.commit_messages([], tmp_path)) == found[:2]
