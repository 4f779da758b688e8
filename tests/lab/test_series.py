# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/series: states of small trees, and of this one."""

import re
import subprocess

import pytest
from series import core, mail, places, states
from series.__main__ import Series
from series.cut import Cut, Parsed
from series.states import Patch, RecipeProblem, States, Without, Words

FUNCTION = """int f(struct a *a)
{{
{}
}}
"""


def cut(text, *gone, members=(), absent=()):
    return Cut(Parsed("a.c", text), set(gone), set(members), set(absent))


@pytest.mark.parametrize("before, after", [
    # A statement, with its comment and the check of its result
    ("\tg(a);\n\n\t/* Why */\n\terr = x(a);\n\tif (err)\n\t\treturn err;\n\n\treturn g(a);",
     "\tg(a);\n\n\treturn g(a);"),
    # A condition with what depends on it
    ("\tg(a);\n\tif (a->x)\n\t\tg(a);\n\treturn g(a);", "\tg(a);\n\treturn g(a);"),
    # The else branch stays
    ("\tif (x(a))\n\t\tg(1);\n\telse\n\t\tg(2);\n\treturn g(a);", "\tg(2);\n\treturn g(a);"),
    ("\tif (x(a)) {\n\t\tg(1);\n\t} else if (g(3)) {\n\t\tg(2);\n\t}\n\treturn g(a);",
     "\tif (g(3)) {\n\t\tg(2);\n\t}\n\treturn g(a);"),
    ("\tif (g(a)) {\n\t\tg(1);\n\t\tg(4);\n\t} else {\n\t\tx(2);\n\t}\n\treturn g(a);",
     "\tif (g(a)) {\n\t\tg(1);\n\t\tg(4);\n\t}\n\treturn g(a);"),
    # Braces around one statement go
    ("\tif (g(a)) {\n\t\tg(1);\n\t\tx(2);\n\t}\n\treturn g(a);",
     "\tif (g(a))\n\t\tg(1);\n\treturn g(a);"),
    ("\tdo {\n\t\tg(1);\n\t\tx(2);\n\t} while (g(a));\n\treturn g(a);",
     "\tdo {\n\t\tg(1);\n\t} while (g(a));\n\treturn g(a);"),
    # The last check of a result, which is returned anyway
    ("\terr = g(a);\n\tif (err)\n\t\treturn err;\n\n\terr = x(a);\n\treturn err;",
     "\terr = g(a);\n\n\treturn err;"),
    # A loop, a lock that protects nothing
    ("\twhile (g(a))\n\t\tx(a);\n\tmutex_lock(&a->m);\n\tx(a);\n\tmutex_unlock(&a->m);\n"
     "\treturn g(a);", "\treturn g(a);"),
    # Variables, with what uses them; others on the same line stay
    ("\tint b, c = 1, d;\n\n\td = x(a);\n\tb = c;\n\treturn g(b);",
     "\tint b, c = 1;\n\n\tb = c;\n\treturn g(b);"),
    ("\tint b = x(a);\n\n\tg(b);\n\treturn g(a);", "\treturn g(a);"),
    # A label without a goto, and what only it leads to
    ("\tg(a);\n\tif (x(a))\n\t\tgoto err_b;\n\treturn 0;\n\nerr_b:\n\tg(b);\n\treturn -1;",
     "\tg(a);\n\treturn 0;"),
    ("\tif (g(a))\n\t\tgoto err_a;\n\tif (x(a))\n\t\tgoto err_b;\n\treturn g(2);\n\nerr_b:\n"
     "\tg(b);\nerr_a:\n\treturn -1;",
     "\tif (g(a))\n\t\tgoto err_a;\n\treturn g(2);\n\nerr_a:\n\treturn -1;"),
    # Labels that have nothing between them any more
    ("\tif (g(a))\n\t\tgoto err_a;\n\tif (g(2))\n\t\tgoto err_b;\n\treturn 0;\n\nerr_b:\n"
     "\tx(b);\nerr_a:\n\treturn -1;",
     "\tif (g(a))\n\t\tgoto err_a;\n\tif (g(2))\n\t\tgoto err_a;\n\treturn 0;\n\nerr_a:\n"
     "\treturn -1;"),
    # Cases of a switch
    ("\tswitch (a->b) {\n\tcase 1:\n\t\treturn x(a);\n\tcase X:\n\tcase 2:\n\t\tg(a);\n\t\tbreak;\n"
     "\t}\n\treturn g(a);",
     "\tswitch (a->b) {\n\tcase 2:\n\t\tg(a);\n\t\tbreak;\n\t}\n\treturn g(a);"),
    # Elements of a list
    ("\tstruct a b = {\n\t\t.c = 1,\n\t\t.x = 2,\n\t};\n\n\treturn g(&b);",
     "\tstruct a b = {\n\t\t.c = 1,\n\t};\n\n\treturn g(&b);"),
])
def test_function(before, after):
    assert cut(FUNCTION.format(before), "x", "X").text == FUNCTION.format(after)


def test_function_of_nothing():
    """A function without statements goes, and its name with it."""
    found = cut(FUNCTION.format("\tx(a);\n\treturn 0;") + "\nint g;\n", "x")
    assert found.dead == {"f"} and found.text == "int g;\n"


def test_function_without_result():
    assert cut(FUNCTION.format("\tg(a);\n\treturn x(a);"), "x").dead == {"f"}


def test_only_else():
    found = cut(FUNCTION.format("\tif (g(a))\n\t\tx(1);\n\telse\n\t\tg(2);\n\treturn g(a);"), "x")
    assert found.problems == {"a.c:3: only the else branch remains"}


def test_remark():
    """A value that goes with another one is named."""
    found = cut(FUNCTION.format("\ta->b = a->x ? 1 : 2;\n\ta->c = x(a);\n\treturn g(a);"), "x")
    assert found.remarks == {(("f",), "a.c:3: no a->b, because of x")}


@pytest.mark.parametrize("condition, body", [
    ("x(a) || g(a)", "return 1;"), ("!x(a)", "g(a);"), ("!a->x", "g(a);"),
])
def test_remark_condition(condition, body):
    """A check goes that has a part without the name, or that is true without it."""
    found = cut(FUNCTION.format(f"\tif ({condition})\n\t\t{body}\n\treturn g(a);"), "x")
    assert len(found.remarks) == 1


@pytest.mark.parametrize("condition, body", [
    ("x(a) && g(a)", "g(a);"), ("!x(a)", "return 1;"), ("a->x", "g(a);"),
])
def test_no_remark_condition(condition, body):
    found = cut(FUNCTION.format(f"\tif ({condition})\n\t\t{body}\n\treturn g(a);"), "x")
    assert not found.remarks


@pytest.mark.parametrize("before, after", [
    # Members and values with their kernel-doc
    ("/**\n * struct a - a\n * @b:\tb\n * @c:\tc, with\n *\ttwo lines\n * @d:\td\n */\nstruct a {\n"
     "\tint b;\n\tstruct x c;\n\tvoid (*x)(int b);\n\tint d[4];\n};\n",
     "/**\n * struct a - a\n * @b:\tb\n * @d:\td\n */\nstruct a {\n\tint b;\n\tint d[4];\n};\n"),
    ("enum a {\n\tA,\n\tx,\n\tB = 4,\n};\n", "enum a {\n\tA,\n\tB = 4,\n};\n"),
    # Tables, prototypes, macros, exports, headers
    ("static const struct a b[] = {\n\t[A] = f,\n\t[B] = x,\n};\n",
     "static const struct a b[] = {\n\t[A] = f,\n};\n"),
    ("int a;\n\n/* Why */\nint x(int b);\nint c(struct x *b);\n", "int a;\n"),
    ("#define A\t1\n#define B\t(x + 1)\n", "#define A\t1\n"),
    ("#define A \\\n\t(B | \\\n\t x | \\\n\t C)\n", "#define A \\\n\t(B | \\\n\t C)\n"),
    ("#define A \\\n\t(B | \\\n\t C | \\\n\t x)\n", "#define A \\\n\t(B | \\\n\t C)\n"),
    ("int a;\nEXPORT_SYMBOL_GPL(x);\n", "int a;\n"),
    ('#include <a.h>\n\n#include "a.h"\n#include "y.h"\n', '#include <a.h>\n\n#include "a.h"\n'),
    # The heading of a section without items, a declaration that has no use
    ("int a;\n\n/* ---- X ---- */\n\nint x;\n\n/* ---- B ---- */\n\nint b;\n",
     "int a;\n\n/* ---- B ---- */\n\nint b;\n"),
    ("struct b;\nstruct c;\n\nint f(struct b *x1);\nint x(struct c *c);\n",
     "struct b;\n\nint f(struct b *x1);\n"),
])
def test_items(before, after):
    assert cut(before, "x", absent=["y.h"]).text == after


TREE = {
    "kernel/net/main.c": '#include "b.h"\n#include "main.h"\n\nint a(struct s *s)\n{\n\ts->n = 1;\n'
                         '\ts->m = 2;\n\tb(s);\n\treturn h(s);\n}\nEXPORT_SYMBOL_GPL(a);\n\n'
                         'static int g(int i)\n{\n\treturn i + 1;\n}\n\n'
                         'int h(struct s *s)\n{\n\ts->k = s->p ? s->p : 1;\n\treturn s->n;\n}\n',
    "kernel/net/main.h": "struct s {\n\tint n;\n\tint m;\n\tint p;\n\tint k;\n};\n\n"
                         "int a(struct s *s);\nint h(struct s *s);\n",
    "kernel/net/b.c": '#include "b.h"\n\nint b(struct s *s)\n{\n\treturn s->n;\n}\n',
    "kernel/net/b.h": "int b(struct s *s);\n",
}
# A member of two structures
TWICE = {"kernel/net/b.h": "struct t {\n\tint n;\n};\n\nint b(struct s *s);\n"}


def patches(**second):
    return [Patch("one", "Add a", "", ["net/main"], keep=["a"]),
            Patch("two", "Add b", "", **{"files": ["net/b"], **second})]


def test_states():
    """The first state has nothing of the second file; the last state is the tree."""
    found = States(TREE, patches(names=["m", "net/main:g"]))
    first = found.after(0)
    assert list(first) == ["kernel/net/main.c", "kernel/net/main.h"]
    assert first["kernel/net/main.c"] == \
        '#include "main.h"\n\nint a(struct s *s)\n{\n\ts->n = 1;\n\treturn h(s);\n}\n\n' \
        'int h(struct s *s)\n{\n\ts->k = s->p ? s->p : 1;\n\treturn s->n;\n}\n'
    assert "int m;" not in first["kernel/net/main.h"]
    assert found.after(1) == TREE


@pytest.mark.parametrize("exports", [["a"], []])
def test_exports(exports):
    """A function is exported when another module uses it, or before by the recipe."""
    tree = TREE | {"kernel/rdma/c.c": "int c(struct s *s)\n{\n\treturn a(s);\n}\n"}
    found = States(tree, [Patch("one", "Add a", "", ["net/main"], keep=["a"], exports=exports),
                          Patch("two", "Add b", "", ["net/b", "rdma/c"], keep=["c"])])
    assert ("EXPORT_SYMBOL_GPL(a)" in found.after(0)["kernel/net/main.c"]) == bool(exports)


@pytest.mark.parametrize("text, names", [
    ("struct a b = {\n\t.c = f(d.c),\n\t.e = g(h, d.e),\n};\n", {"struct", "a", "f", "d", "g", "h",
                                                              "e"}),
    ("int b = c.d;\n", {"int", "c", "d"}),
])
def test_uses(text, names):
    """A list that gives a member its value does not use the member."""
    assert cut(text).uses == names


@pytest.mark.parametrize("text, names", [
    ("TRACE_EVENT(a,\n\tTP_ARGS(b)\n);\n", ["trace_a"]),
    ("DEFINE_EVENT(a, c,\n\tTP_ARGS(b)\n);\n", ["trace_c"]),
    ("static DEFINE_IDA(a);\n", ["a"]),
    ("DECLARE_DRV_CMD(a, B,\n\t\tempty, c);\n", ["a", "a_resp"]),
])
def test_names(text, names):
    assert Parsed("a.c", text).items[0].names == names


def test_members_of_folders():
    """A member that one module has lost stays a member of structs of the other module."""
    tree = TREE | {"kernel/rdma/c.c": "int c(struct k *k)\n{\n\tk->m = 1;\n\treturn k->m;\n}\n"}
    first = States(tree, [Patch("one", "Add a", "", ["net/main", "rdma/c"], keep=["a", "c"]),
                          Patch("two", "Add b", "", ["net/b"], names=["net/main:m"])]).after(0)
    assert "m" not in first["kernel/net/main.h"].replace("main", "").split()
    assert first["kernel/rdma/c.c"] == tree["kernel/rdma/c.c"]


def test_declared_elsewhere():
    """A prototype in a header of all files does not make up for the file of the function."""
    tree = TREE | {"kernel/net/main.h": TREE["kernel/net/main.h"] + "int b(struct s *s);\n",
                   "kernel/net/b.h": "/* b */\n"}
    first = States(tree, patches()).after(0)
    assert "b(s)" not in first["kernel/net/main.c"] and "int b(" not in first["kernel/net/main.h"]


def test_member_name():
    """.n is the member, and not the variable."""
    tree = TREE | {"kernel/net/b.c": "int b(struct s *n)\n{\n\tn->m = 1;\n\tn->n = 2;\n"
                                     "\treturn n->m;\n}\n"}
    first = States(tree, [Patch("one", "Add a", "", ["net/main", "net/b"], keep=["a", "b"]),
                          Patch("two", "Add n", "", [], names=[".n"])]).after(0)
    assert first["kernel/net/b.c"] == "int b(struct s *n)\n{\n\tn->m = 1;\n\treturn n->m;\n}\n"


def test_idle_members():
    """Members that nothing sets, or nothing reads, in a state are named."""
    tree = TREE | {"kernel/net/b.c": '#include "b.h"\n\nint b(struct s *s)\n{\n\ts->p = 1;\n'
                                     '\treturn 1;\n}\n'}
    found = States(tree, patches())
    assert "s->p ? s->p" in found.after(0)["kernel/net/main.c"]
    assert found.idle == {"kernel/net/main.h: p: nothing sets it"}
    tree["kernel/net/b.c"] = tree["kernel/net/b.c"].replace("return 1", "return s->m")
    found = States(tree, patches())
    found.after(0)
    assert found.idle == {f"kernel/net/main.h: {member}" for member in
                          ("p: nothing sets it", "m: nothing reads it")}


def test_headers():
    """A header goes with its last use, and a comment that names what is not there is told."""
    tree = TREE | {"kernel/net/c.c": "#include <linux/delay.h>\n#include <linux/types.h>\n\n"
                                     '#include "main.h"\n\n/* See ornic_b() */\nint c(int i)\n'
                                     "{\n\tmsleep(b(h(i)));\n\treturn i;\n}\n"}
    tree["kernel/net/main.h"] += "int ornic_b(void);\n"
    found = States(tree, [Patch("one", "Add a", "", ["net/main", "net/c"], keep=["a", "c"]),
                          Patch("two", "Add b", "", ["net/b"], names=["ornic_b"])])
    assert found.after(0)["kernel/net/c.c"] == \
        "#include <linux/types.h>\n\n/* See ornic_b() */\nint c(int i)\n{\n\treturn i;\n}\n"
    assert "kernel/net/c.c: a comment names ornic_b, which is not there" in found.idle


def test_words():
    """Other words before a patch; what follows a parenthesis stays aligned."""
    before = "\treturn call_urgent(f(a), 1,\n\t\t\t   4);\n\t\t\t   g();\n"
    after = "\treturn call(f(a), 1,\n\t\t    4);\n\t\t\t   g();\n"
    assert Words(r"_urgent\(", "(").replace(before) == after


def test_flicker():
    """Lines that a patch removes, and a later one adds again."""
    assert list(mail.flicker({"a": "1\n2\n3"}, {"a": "3\n4"}, {"a": "2\n3\n4"})) == [("a", 1)]
    assert not list(mail.flicker({"a": "1\n2\n"}, {"a": "2\n"}, {"a": "2\n", "b": "1"}))


def test_without():
    """A replacement is for the states before its patch."""
    found = States(TREE, patches(names=["p"], without=[
        Without("main.c", "\ts->k = s->p ? s->p : 1;\n", "\ts->k = 1;\n")]))
    assert "\ts->k = 1;\n" in found.after(0)["kernel/net/main.c"]
    assert "int p;" not in found.after(0)["kernel/net/main.h"]
    assert found.after(1) == TREE


@pytest.mark.parametrize("second, message", [
    ({"files": ["net/c"]}, "there is no file net/c"),
    ({"files": []}, "no patch adds kernel/net/b.c kernel/net/b.h"),
    ({"files": ["net/b", "net/main"]}, "main.c is added twice"),
    ({"names": ["q"]}, "Add b: there is no name q"),
    ({"names": ["net/b:m"]}, "there is no name net/b:m"),
    ({"names": ["trace_*"]}, "there is no name trace_"),
    ({"names": [".n"]}, ".n is a member of struct s of kernel/net/main.h and struct t of"),
    ({"without": [Without("main.c", "s->q", "")]}, "main.c does not have this code"),
    ({"without": [Without("main.c", "s->n", "")]}, "or twice"),
    ({"without": [Without("c.c", "s->n", "")]}, "there is no file c.c"),
])
def test_recipe_problems(second, message):
    """The recipe must fit the tree."""
    with pytest.raises(RecipeProblem, match=message):
        States(TREE | TWICE, patches(**second))


def test_mailbox(tmp_path):
    """git applies a mailbox to what it is for, and gets the last state."""
    repository = mail.Repository(tmp_path / "one", "A B <a@b>", "2026-01-01T00:00:00Z")
    commits = [repository.commit({"a": "1\n"}, "Base"),
               repository.commit({"a": "1\n2\n", "b": "3\n"}, "net: Add b\n\nWhy."),
               repository.commit({"a": "2\n", "b": "3\n"}, "net: Remove 1\n\nWhy.")]
    assert repository.added(commits[1]) == 2
    series = states.Series("one", "net: Change a", "PATCH net-next", "What it is.\n", [])
    repository.mailbox(series, commits[0], commits[2], tmp_path / "mbox")
    text = (tmp_path / "mbox").read_text()
    assert "Subject: [PATCH net-next 0/2] net: Change a\n" in text and "What it is.\n" in text
    assert "Signed-off-by" not in text
    other = mail.Repository(tmp_path / "two", "A B <a@b>", "2026-01-01T00:00:00Z")
    other.commit({"a": "1\n"}, "Base")
    cover, *mails = text.split("\nFrom ")
    assert "0/2" in cover
    other.git("am", "-q", stdin="".join(f"From {mail_}\n" for mail_ in mails))
    assert other.files() == {"a": "2\n", "b": "3\n"}


CHANGE = """From 0 Mon Sep 17 00:00:00 2001
Subject: [PATCH] RDMA: Change
 b

Why.
---
 a/b | 1 +

diff --git a/a/b b/a/b
--- a/a/b
+++ b/a/b
@@ -1 +1,2 @@
 1
+2
"""


def test_change(tmp_path):
    """A patch may be a change of other code, as a mail."""
    (tmp_path / "mail").write_text(CHANGE)
    patch = states.of_change("one", tmp_path / "mail")
    assert (patch.subject, patch.message) == ("RDMA: Change b", "Why.")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_text("1\n")
    assert places.placed({}, tmp_path, changes=[patch.change]) == {"a/b": "1\n2\n"}
    (tmp_path / "a/b").write_text("2\n")
    with pytest.raises(places.PlaceProblem, match="mail: error: patch failed"):
        places.placed({}, tmp_path, changes=[patch.change])


def test_maintainers():
    text = "Maintainers List\n----\n\nA B\nM:\ta\n\nZ B\nM:\tz\n"
    entry = "ORNIC\nM:\to\n"
    assert places.add_maintainers("x\n" + text, entry) == \
        "x\nMaintainers List\n----\n\nA B\nM:\ta\n\nORNIC\nM:\to\n\nZ B\nM:\tz\n"


def test_provider():
    """In the tree of rdma-core the provider has neither compat.h nor barriers of its own."""
    files = core.read_tree()
    ours = "".join(text for path, text in files.items() if path.startswith("user-provider/"))
    assert not re.search(r"compat\.h|ORNIC_LACKS|\basm\b|ornic_index_(full_)?barrier", ours)
    assert "\tVERBS_DRIVER_ID(RDMA_DRIVER_ORNIC),\n" in files["user-provider/ornic.c"]
    assert "(uint64_t)RDMA_DRIVER_ORNIC << 32 | resource;" in files["user-provider/pd.c"]
    assert core.cmake(["user-provider/b.c", "user-provider/a.h", "user-provider/a.c"]) == \
        "rdma_provider(ornic\n  a.c\n  b.c\n)\n"


def test_header_of_provider():
    """Patch 1 for rdma-core names the last patch for Linux that changes the header it brings."""
    def recipe(name, folder="scripts/upstream/patches"):
        return states.load(places.TOP / f"scripts/series/recipe/{name}.toml",
                           places.TOP / folder).patches

    changes = [patch.subject for name in ("rdma-next", "rdma-wq", "rdma-more")
               for patch in recipe(name)
               if "rdma/ornic-abi" in patch.files
               or any(without.file == "ornic-abi.h" for without in patch.without)]
    (header, *_) = recipe("rdma-core", "scripts/upstream/patches/rdma-core")
    assert f'("{changes[-1]}")' in header.message


def test_lines():
    """Lines are added after all that begin in one way, or before one."""
    assert core.after("a", "b")("a 1\nc a\na 2\n") == "a 1\nb\nc a\na 2\nb\n"
    assert core.ahead("c", "b")("a\nc\nd\n") == "a\nb\nc\nd\n"
    for change in (core.after("x", "b"), core.ahead("x", "b")):
        with pytest.raises(places.PlaceProblem, match="not once: "):
            change("a\nc\n")


def test_this_tree():
    """The recipe fits this tree, and each state can be made."""
    run = subprocess.run(["python3", "-m", "series", "check"], capture_output=True, text=True,
                         check=False)
    assert run.returncode == 0, run.stderr


def test_commands_complete():
    """The first state that executes commands has the interrupt that completes them."""
    found = Series("linux", None).states
    for number in range(len(found.patches)):
        files = found.after(number)
        if "ornic_cmd_exec(" in files.get("kernel/net/start.c", ""):
            assert "ornic_cmd_interrupt(" in files.get("kernel/net/eq.c", "")
            return
    raise AssertionError("no state executes commands")
