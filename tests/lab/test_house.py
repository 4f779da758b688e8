# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/house: each check reports a planted violation, and no good text."""

import subprocess

import pytest
from house import CHECKS, NOT_YET, commits, layout, nouns, refusals, run, source, words

SPDX = "// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB\n"
HEAD = SPDX + "/* Completion queues */\n"
HASH = "# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB\n"


@pytest.mark.parametrize("name, text", [
    ("a.c", HEAD + "int a;\n"),
    ("a.c", SPDX + "/*\n * Completion queues\n */\n#include <b.h>\n"),
    ("a.h", "/* SPDX-License-Identifier: MIT */\n/* Completion queues */\nint a;\n"),
    ("a.py", HASH + "\"\"\"Completion queues.\"\"\"\n"),
    ("a", "#!/bin/sh\n" + HASH + "#\n# Runs a program\nset -e\n"),
    ("a.md", "<!-- SPDX-License-Identifier: MIT -->\n# Completion queues\n"),
    ("Kconfig", HASH + "config ORNIC\n"),
])
def test_head(name, text):
    assert not list(layout.heads([(name, text)]))
    assert list(layout.heads([(name, text.replace("SPDX", "SPD"))]))


@pytest.mark.parametrize("name, text", [
    ("a.c", SPDX + "int a;\n"),
    ("a.c", SPDX + "int a;\n/* Completion queues */\n"),
    ("a.py", HASH + "import re\n\n\ndef f():\n    \"\"\"Completion queues.\"\"\"\n"),
    ("a", "#!/bin/sh\n" + HASH + "# shellcheck shell=bash\nset -e\n# Completion queues\n"),
])
def test_no_description(name, text):
    (found,) = layout.heads([(name, text)])
    assert "no description" in found


@pytest.mark.parametrize("name, line, wide", [
    ("tests/a.c", "\tint a;" + " " * 86 + "\n", False),
    ("tests/a.c", "\tint a;" + " " * 87 + "\n", True),
    ("tests/a.c", "/* " + "a " * 45 + "*/\n", False),
    ("kernel/a.c", "/* " + "a " * 37 + "*/\n", False),
    ("kernel/a.c", "/* " + "a " * 45 + "*/\n", True),
    ("kernel/a.c", "int a; /* " + "a " * 37 + "*/\n", True),
    ("user-provider/a.h", "\tprintf(\"" + "a " * 37 + "\");\n", False),
    ("tests/a.py", "\"" + "a " * 50 + "\",\n", False),
    ("tests/a.py", "say(\"" + "a " * 50 + "\", a)\n", True),
    ("tests/a.list", "a" * 120 + "\n", False),
])
def test_columns(name, line, wide):
    assert bool(list(layout.line_widths([(name, line)]))) is wide


@pytest.mark.parametrize("text, wrong", [
    ("/* One sentence */", False),
    ("/* One sentence. */", True),
    ("int a; /* one sentence. */", True),
    ("/* Names, sizes, etc. */", False),
    ("/* And so on ... */", False),
    ("/* One sentence. Another one. */", False),
    ("/* One sentence. Another one */", True),
    ("/*\n * One sentence,\n * on two lines.\n */", False),
    ("/*\n * One sentence,\n * on two lines\n */", False),
    ("/*\n * One sentence.\n * Another one\n */", True),
    ("// One sentence.\n// Another one", True),
    ("char *a = \"/* One sentence. */\";", False),
    ("/* ---- 1. A section ---- */", False),
])
def test_full_stop(text, wrong):
    assert bool(list(layout.full_stops([("a.c", text + "\n")]))) is wrong


def test_full_stop_of_docstring():
    good = "def f():\n    \"\"\"Returns it.\"\"\"\n"
    assert not list(layout.full_stops([("a.py", good)]))
    assert list(layout.full_stops([("a.py", good.replace("it.", "it"))]))


@pytest.mark.parametrize("text", [
    "Of what is sent there is no completion",
    "Who polls must not be told",
    "What is posted is gone.",
    "It is good. That the QP takes it was asked.",
    "The ring, which nobody reads",
    "Somebody has it",
    "It is what it is",
    "As good as free",
    "The ring is not to be seen",
    "We know the number",
    "Thus it ends",
    "TODO: the rest",
])
def test_forbidden_form(text):
    """A form is found in comments, docstrings, documents and manual pages, on its own line."""
    for name, source_text in [
            ("a.c", f"int a;\n/*\n * {text}\n */\n"), ("a.py", f"a = 1\n\n# {text}\n"),
            ("a.py", f"def f():\n    \"\"\"Good text.\n    {text}\"\"\"\n"),
            ("a", f"set\n\n# {text}\n"),
            ("a.rst", f"Title\n=====\n{text}\n"), ("a.7", f".TH A\n.PP\n.B {text}\n")]:
        found = list(words.forbidden_forms([(name, source_text)]))
        assert len(found) == 1 and found[0].startswith(f"{name}:3: "), (name, found)


@pytest.mark.parametrize("text", [
    "XRC targets and RSS QPs own no rings",
    "Users who want no rules delete them",
    "What is this?",
    "Type 2: of what is left nothing is read",
    "The week of a process: 5",
])
def test_good_form(text):
    assert not list(words.forbidden_forms([("a.c", f"/* {text} */\n")]))
    assert not list(words.forbidden_forms([("a.c", "char *a = \"Nobody\";\n")]))


def cold(text, name="kernel/rdma/a.c"):
    """Returns the cold refusals of a function with this body, without complaints about
    exceptions."""
    body = f"int ornic_a(int a)\n{{\n{text}\n}}\n"
    return [line for line in refusals.cold_refusals([(name, body)])
            if not line.startswith("refusals.py")]


@pytest.mark.parametrize("text", [
    "if (a)\n\treturn -EINVAL;\nreturn 0;",
    "if (a) {\n\tibdev_dbg(dev, \"a\");\n\treturn 0;\n}\nreturn -EOPNOTSUPP;",
    "return a ? -EBUSY : 0;",
    "errno = EINVAL;\nreturn 0;",
])
def test_cold_refusal(text):
    (found,) = cold(text)
    assert found.startswith("kernel/rdma/a.c:") and "ornic_a()" in found


@pytest.mark.parametrize("text", [
    "if (a) {\n\tibdev_dbg_ratelimited(dev, \"%d\\n\", a);\n\treturn -EINVAL;\n}\nreturn 0;",
    "if (a) {\n\tNL_SET_ERR_MSG_FMT_MOD(extack, \"%d\", a);\n\terr = -EINVAL;\n\tgoto out;\n}\n"
    "out:\nreturn err;",
    "if (a) {\n\tornic_refuse(ctx, \"%d\", a);\n\terrno = EINVAL;\n\treturn 0;\n}\nreturn 1;",
    "if (!ornic_check_bits(ctx, \"a\", a, 0))\n\treturn EINVAL;\nreturn 0;",
    "if (a == -EBUSY)\n\treturn 0;\nreturn -ENOMEM; /* EINVAL */",
])
def test_explained_refusal(text):
    assert not cold(text)


def test_refusal_exceptions():
    """Exceptions are per function, and one that is not needed is a violation."""
    body = "int ornic_wr_a(int a)\n{\n\treturn EINVAL;\n}\n"
    found = list(refusals.cold_refusals([("user-provider/a.c", body)]))
    assert len(found) == len(refusals.EXCEPTIONS) - 1
    assert not any("ornic_(build|rq|wr)" in line for line in found)


@pytest.mark.parametrize("subject, body, fault", [
    ("device: Check source addresses", "The reason.\n", None),
    ("RDMA/ornic, net/ornic: Keep comments within 80 columns", "The reason.\n", None),
    ("libornic: Bring the CQ back", "The reason.\n", None),
    ("Check source addresses", "The reason.\n", "PREFIX"),
    ("card: Check source addresses", "The reason.\n", "PREFIX"),
    ("device: Check source addresses.", "The reason.\n", "PREFIX"),
    ("device: check source addresses", "The reason.\n", "capital"),
    ("device: Checked source addresses", "The reason.\n", "imperative"),
    ("device: Checks source addresses", "The reason.\n", "imperative"),
    ("device: Check source addresses", "\n", "no body"),
    ("device: Check source addresses", "The reason.\n\nSigned-off-by: A <a@b>\n", "Signed"),
])
def test_commit_message(subject, body, fault):
    found = list(commits.faults(subject, body))
    assert len(found) == (fault is not None)
    assert not fault or fault in found[0]


def test_commits(tmp_path, capsys):
    """The commits after the base are checked. A tree without its history has none."""
    def git(*argv):
        user = ["-c", "user.name=n", "-c", "user.email=e"]
        return subprocess.run(["git", "-C", tmp_path, *user, *argv], check=True,
                              capture_output=True, text=True).stdout.strip()

    assert not list(commits.commit_messages([], tmp_path))
    assert "nothing to check" in capsys.readouterr().out
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "old")
    base = git("rev-parse", "HEAD")
    git("commit", "-q", "--allow-empty", "-m", "device: Add a card\n\nThe reason.")
    assert not list(commits.commit_messages([], tmp_path, base))
    git("commit", "-q", "--allow-empty", "-m", "new")
    found = list(commits.commit_messages([], tmp_path, base))
    assert len(found) == 2 and all("\"new\"" in line for line in found)


@pytest.mark.parametrize("name, wrong", [
    ("kernel/rdma/flow.c", False),
    ("kernel/rdma/flow_spec.h", False),
    ("tests/device/objects/rwq_table.c", False),
    ("user-provider/wr_ex.c", False),
    ("user-provider/domain.c", True),
    ("tests/device/rule.c", True),
    ("tests/device/objects/rule_match.h", True),
    ("tests/device/rwq.c", True),
    ("kernel/rdma/ucontext.c", True),
    ("kernel/rdma/ucontext.rst", False),
    ("tests/unit/rule_test.c", False),
])
def test_stem(name, wrong):
    assert bool(list(nouns.noun_stems([(name, "")]))) is wrong


def test_table_of_nouns():
    """A word stands for one noun, and no noun is another word for one."""
    others = [other for words_for in nouns.NOUNS.values() for other in words_for]
    assert len(set(others)) == len(others) == len(nouns.OTHERS)
    assert not set(others) & set(nouns.NOUNS)


@pytest.mark.parametrize("name, code, wrong", [
    ("kernel/net/eq.c", "static void ornic_eq_arm(struct ornic_eq *eq)\n{\n", False),
    ("kernel/net/eq.c", "int ornic_eqs_create(struct ornic_core *core,\n\t\tu32 i)\n{\n", False),
    ("kernel/net/eq.c", "static void ornic_arm(struct ornic_eq *eq)\n{\n", True),
    ("kernel/net/eq.c", "static u32 *ornic_equal(void)\n{\n", True),
    ("kernel/net/eq.c", "void ornic_arm(void);\n", False),
    ("kernel/net/start.c", "void ornic_stop(struct ornic_core *core)\n{\n", False),
    ("kernel/rdma/eq.c", "static void ornic_arm(void)\n{\n", False),
])
def test_function_name(name, code, wrong):
    assert bool(list(nouns.function_names([(name, code)]))) is wrong


def test_left_out():
    """A check reads all files except those in its list, which have violations."""
    text = "/* Nobody */\n"
    assert len(run("words", [("kernel/a.c", text)])) == 1
    files = dict(source.files())
    for name, patterns in NOT_YET.items():
        assert name in CHECKS
        assert not run(name, [(pattern.replace("*", "").replace("[ch]", "c"), text)
                              for pattern in patterns])
    assert "scripts/house/words.py" in files and "README.md" in files
    assert not any(name.startswith(("build/", ".git/")) for name in files)
