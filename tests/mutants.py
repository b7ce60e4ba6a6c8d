#!/usr/bin/env python3
"""Tries a random sample of the mutants of cargo-mutants, all of them by one build.

    cargo install cargo-mutants && pip install tree-sitter tree-sitter-rust
    python3 tests/mutants.py [--count 100] [--seed 1] [--only 3,17] [--bugs] [--again] [--to DIRECTORY]

cargo-mutants builds the workspace for each mutant, which takes minutes for these tests. Here its list
(by `.cargo/mutants.toml`) is sampled, each mutant of the sample is put into a copy of the workspace
behind a switch (see tests/planted.py), what does not compile is left out, as cargo-mutants does, the
tests are built once, and each mutant is switched on until a test fails.

Not tried, and counted apart, is what no switch can be put around: constant functions, fields left
out of a value, and the `&&` of a chain with `let`, where `||` does not compile. With --bugs, those of tests/planted.py are tried too; with --again, what was built
last is, by the same numbers.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import planted
import tree_sitter
import tree_sitter_rust

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
AREAS = [("bcast", "crates/bcast/"), ("ndcore", "crates/ndcore/"),
         ("plan", "crates/elementwise/src/plan/"), ("reduce", "crates/elementwise/src/reduce/")]
# The number of the first planted bug.
FIRST_BUG = 10_001


def listed():
    """All mutants."""
    command = ["cargo", "mutants", "--list", "--json"]
    return json.loads(subprocess.run(command, cwd=planted.ROOT, check=True, stdout=subprocess.PIPE).stdout)


def sample(mutants, count, seed):
    """As many of each area as its share of all, in random order."""
    chosen = []
    for _, path in AREAS:
        own = [mutant for mutant in mutants if mutant["file"].startswith(path)]
        random.Random(seed).shuffle(own)
        chosen += own[:max(1, round(count * len(own) / len(mutants)))]
    return chosen


class Text:
    """The text of a file, and where a switch goes in for each mutant."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.lines = [0]
        for line in self.bytes.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.root = PARSER.parse(self.bytes).root_node
        # By the node: what becomes of its text.
        self.edits = {}

    def place(self, at):
        line = self.bytes[self.lines[at["line"] - 1]:self.lines[at["line"]]].decode()
        return self.lines[at["line"] - 1] + len(line[:at["column"] - 1].encode())

    def plant(self, number, mutant):
        """Notes the change; why not, if it cannot be."""
        start, end = self.place(mutant["span"]["start"]), self.place(mutant["span"]["end"])
        node = self.root.descendant_for_byte_range(start, end)
        function = node
        while function is not None and function.type != "function_item":
            if function.type in ("const_item", "static_item"):
                return "constant"
            function = function.parent
        if function is None:
            return "outside of functions"
        signature = self.bytes[function.start_byte:function.child_by_field_name("body").start_byte]
        if b"const fn" in signature or b"const unsafe fn" in signature:
            return "constant"
        switch, new, genre = f"@::planted({number})", mutant["replacement"], mutant["genre"]
        if genre == "FnValue":
            body = function.child_by_field_name("body")
            self.add(body, "body", f"#[allow(unreachable_code)] if {switch} {{ return {new}; }}")
        elif genre == "MatchArmGuard":
            guard = self.around(node, ("match_pattern",)).child_by_field_name("condition")
            self.add(guard, "guard", (f"{switch} ||" if new == "true" else f"!{switch} &&"))
        elif genre == "MatchArm":
            pattern = self.around(node, ("match_arm",)).child_by_field_name("pattern")
            guard = pattern.child_by_field_name("condition")
            if guard is None:
                self.add(pattern, "pattern", f" if !{switch}")
            else:
                self.add(guard, "guard", f"!{switch} &&")
        elif genre == "UnaryOperator":
            self.add(self.around(node, ("unary_expression",)), "unary", (switch, new))
        elif genre in ("BinaryOperator", "BinaryOperatorAssign"):
            node = self.around(node, ("binary_expression", "compound_assignment_expr", "let_chain"))
            if node.type == "let_chain":
                return "a chain of conditions"
            self.add(node, "binary", (switch, new))
        else:
            return genre
        return None

    def around(self, node, kinds):
        while node.type not in kinds:
            node = node.parent
        return node

    def add(self, node, kind, change):
        self.edits.setdefault((node.start_byte, node.end_byte), (kind, node, []))[2].append(change)

    def render(self, start, end, within=None):
        """The text from `start` to `end`, with the changes of the nodes in it, but for that one."""
        text, at = "", start
        for span, edit in sorted(self.edits.items(), key=lambda item: (item[0][0], -item[0][1])):
            if span == within or span[0] < at or span[1] > end:
                continue
            text += self.bytes[at:span[0]].decode() + self.changed(span, *edit)
            at = span[1]
        return text + self.bytes[at:end].decode()

    def changed(self, span, kind, node, changes):
        """The text of a node with its changes."""
        if kind == "body":
            return f"{{ {' '.join(changes)} {self.render(span[0] + 1, span[1] - 1, span)} }}"
        if kind == "pattern":
            return self.render(*span, span) + changes[0]
        if kind == "guard":
            text = f"({self.render(*span, span)})"
            for change in changes:
                text = f"({change} {text})"
            return text
        if kind == "unary":
            value = node.children[-1]
            inner = self.render(value.start_byte, value.end_byte, span)
            ways = [f"if {switch} {{ {new}({inner}) }} else " for switch, new in changes]
        else:
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            left, right = (self.render(side.start_byte, side.end_byte, span) for side in (left, right))
            ways = [f"if {switch} {{ {left} {new} {right} }} else " for switch, new in changes]
        text = f"{''.join(ways)}{{ {self.render(*span, span)} }}"
        return text if node.type == "compound_assignment_expr" else f"({text})"


def write(to, chosen, left_out, bugs):
    """Puts the mutants into the copy; those that cannot be, by number; and the bugs."""
    planted.copy(to)
    texts, untried = {}, {}
    for number, mutant in chosen.items():
        if number in left_out:
            continue
        text = texts.setdefault(mutant["file"], Text(os.path.join(to, mutant["file"])))
        why = text.plant(number, mutant)
        if why:
            untried[number] = why
    for path, text in texts.items():
        crate = "crate" if path.startswith(planted.CORE) else "ndcore"
        result = text.render(0, len(text.bytes)).replace("@::planted", crate + "::planted")
        with open(os.path.join(to, path), "w") as file:
            file.write(result)
    return untried, planted.plant(to, FIRST_BUG) if bugs else {}


def unviable(to, chosen):
    """The mutants in lines that do not compile; empty if all does."""
    done = subprocess.run(
        planted.BY + "cargo check --locked --message-format=json -p elementwise".split(), cwd=to,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=planted.environment(to))
    found, other = set(), []
    for line in done.stdout.decode().splitlines():
        message = json.loads(line).get("message")
        if not isinstance(message, dict) or message.get("level") != "error":
            continue
        numbers = set()
        for span in message["spans"]:
            for text in span["text"]:
                # The switch that is closest before the error, or the only one.
                piece = text["text"]
                before = piece[:max(text["highlight_end"], 1)]
                at = before.rfind("::planted(")
                if at >= 0:
                    numbers.add(int(piece[at + 10:piece.index(")", at)]))
        if not numbers:
            other.append(message["rendered"])
        found |= numbers
    if done.returncode and not found:
        sys.exit("does not compile:\n" + "\n".join(other[:5]))
    return found


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--to", default=os.path.join(tempfile.gettempdir(), "mutants"))
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="")
    options.add_argument("--bugs", action="store_true")
    options.add_argument("--again", action="store_true")
    options = options.parse_args()
    mutants = listed()
    chosen = dict(enumerate(sample(mutants, options.count, options.seed), 1))
    notes = options.to.rstrip("/") + ".json"
    if options.again:
        with open(notes) as file:
            left_out, untried, bugs = json.load(file)
        left_out = set(left_out)
        untried, bugs = ({int(number): text for number, text in of.items()} for of in (untried, bugs))
    else:
        left_out = set()
        while True:
            untried, bugs = write(options.to, chosen, left_out, options.bugs)
            wrong = unviable(options.to, chosen)
            if not wrong:
                break
            left_out |= wrong
        with open(notes, "w") as file:
            json.dump([sorted(left_out), untried, bugs], file)
    print(f"{len(mutants)} mutants, of which {len(chosen)} are in the sample of seed {options.seed};"
          f" {len(left_out)} do not compile, {len(untried)} cannot be switched")
    for number, why in untried.items():
        print(f"    not tried: {chosen[number]['name']} ({why})")
    for number in sorted(left_out):
        print(f"    does not compile: {chosen[number]['name']}")
    only = [int(number) for number in options.only.split(",") if number]
    tests = planted.Tests(options.to, options.again)
    if bugs:
        planted.try_all(bugs, tests.catch, only)
    caught, tried = 0, 0
    for area, path in AREAS:
        own = {number: mutant["name"] for number, mutant in chosen.items()
               if mutant["file"].startswith(path) and number not in left_out and number not in untried}
        print(area)
        more = planted.try_all(own, tests.catch, only)
        caught, tried = caught + more[0], tried + more[1]
    print(f"{caught} of {tried} mutants caught")

main()
