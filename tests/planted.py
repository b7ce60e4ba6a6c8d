#!/usr/bin/env python3
"""Plants bugs of the kinds that happen, and says which target of `fuzz` catches each.

    python3 tests/planted.py [DIRECTORY]

The workspace is copied to DIRECTORY, where each bug is put into the source behind a switch, all of
them are built once, and each is switched on for a few seconds of every target until one fails. A
place that is no longer in the source is reported: the list below is to follow the source.
"""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNEL, PLAN, CORE = "crates/elementwise/src/kernel/", "crates/elementwise/src/plan/", "crates/ndcore/src/"
B = "usize::from(ndcore::planted({n}))"
C = "usize::from(crate::planted({n}))"

# What goes wrong, the file, what is there (once), what is put there. {n} is the number of the bug.
BUGS = [
    ("a piece of a run is one too short", KERNEL + "walk.rs", "from += len;", f"from += len + {B};"),
    ("the last tile is one step too short", KERNEL + "walk.rs",
     "let steps = plan.tile[axis].min(part[axis] - corner[axis]);",
     f"let steps = plan.tile[axis].min(part[axis] - corner[axis]);\n let steps = steps - {B} * usize::from(steps > 1 && steps < plan.tile[axis]);"),
    ("runs before this one are miscounted", KERNEL + "walk.rs", "before += whole;", f"before += whole - {B};"),
    ("a run of each box is left out", KERNEL + "walk.rs",
     "let inside = index[axis] < start[axis] + extents[axis];",
     f"let inside = index[axis] + {B} < start[axis] + extents[axis];"),
    ("boxes of a tile overlap by one", KERNEL + "walk.rs",
     "        if corner[axis] < tile.start[axis] + tile.extents[axis] {",
     f"        corner[axis] -= {B} * usize::from(boxes[axis] > 1);\n        if corner[axis] < tile.start[axis] + tile.extents[axis] {{"),
    ("the second half of a split begins one early", "crates/elementwise/src/exec.rs",
     "high_start[axis] += mid;", f"high_start[axis] += mid - {B};"),
    ("parts of a rare block overlap", KERNEL + "store.rs",
     "let first = start + number * PART;", f"let first = start + number * (PART - {B});"),
    ("the buffer's run is one off", KERNEL + "store.rs",
     "[run.number * run.whole + run.from..][..run.len]",
     f"[(run.number * run.whole + run.from).saturating_sub({B})..][..run.len]"),
    ("a buffered tile is not copied back, if it is small", KERNEL + "store.rs",
     "            self.part.unpack(corner, &tile.extents, self.buffer.as_slice());",
     "            if !(ndcore::planted({n}) && self.buffer.as_slice().len() < 8) { self.part.unpack(corner, &tile.extents, self.buffer.as_slice()); }"),
    ("the tail of a fold loses an element", KERNEL + "fold.rs",
     "unsafe { add::<T, F, B>(self.op, slot, self.block, i..self.len, 0, at / count) };",
     f"unsafe {{ add::<T, F, B>(self.op, slot, self.block, i..self.len - {B} * usize::from(self.len - i > 1), 0, at / count) }};"),
    ("the head of a fold is taken twice", KERNEL + "fold.rs",
     "(i, at) = (head, at + 1);", f"(i, at) = (head - {B}, at + 1);"),
    ("the rounds of a place are one off", KERNEL + "fold.rs",
     "F::Acc::set(lanes, lane, op.step(acc, value, round));",
     f"F::Acc::set(lanes, lane, op.step(acc, value, round + {B}));"),
    ("an accumulator is not joined", KERNEL + "fold.rs",
     "let count = (self.lanes - half).min(half) * self.pitch;",
     f"let count = ((self.lanes - half).min(half) * self.pitch).saturating_sub({B}).max(1);"),
    ("the first place of a lane is that of the block", KERNEL + "fold.rs",
     "let place = Place { first: first + lane, len: (self.len - lane).div_ceil(LANES) };",
     f"let place = Place {{ first: first + lane - lane * {B}, len: (self.len - lane).div_ceil(LANES) }};"),
    ("the last lane is not merged", KERNEL + "fold.rs",
     "if low + half < lanes {", f"if low + half + {B} < lanes {{"),
    ("blocks of a row forget where they begin", KERNEL + "fold.rs",
     "first: self.before + row % self.per_result * self.len", f"first: self.before + row % self.per_result * self.len * (1 - {B})"),
    ("a stretch is one round short", KERNEL + "fold.rs", "for k in 0..ROUNDS {", f"for k in 0..ROUNDS - {B} {{"),
    ("an odd element at the end is lost", KERNEL + "fold.rs",
     "            if i < end {", f"            if i + {B} < end {{"),
    ("nine to sixteen lanes are folded as eight", KERNEL + "fold.rs", "    if len > 8 {", f"    if len > 8 + {B} {{"),
    ("the mask of the last vector is one short", KERNEL + "fold.rs",
     ".enumerate().take(len) {\n        // SAFETY: the caller's promise: there are `len`, and `lane` is less.",
     f".enumerate().take(len - {B} * usize::from(len > 1 && len < LANES)) {{\n        // SAFETY: the caller's promise: there are `len`, and `lane` is less."),
    ("what lies across a gap is taken for one run", PLAN + "boxes.rs",
     "self.scattered || out[axis - 1] == self.loops[axis] as isize * out[axis];",
     "self.scattered || out[axis - 1] == self.loops[axis] as isize * out[axis] || (ndcore::planted({n}) && out[axis - 1] >= self.loops[axis] as isize);"),
    ("a grid has one block too few", "crates/elementwise/src/reduce/run.rs",
     "if reduced { shape[axis].div_ceil(blocks[axis]) } else { shape[axis] }",
     f"if reduced {{ (shape[axis] + (blocks[axis] - 1) * (1 - {B})) / blocks[axis] }} else {{ shape[axis] }}"),
    ("the carry of a scan is that of the lane before", KERNEL + "scan.rs",
     "            let mut carry = self.op.start();", "            let mut carry = self.op.start();\n            if ndcore::planted({n}) && extent > 2 { carry = self.op.step(carry, self.values[0]); }"),
    ("a square is turned one place off", CORE + "turn.rs", "let line: &[T; N] = from[k][at..].first_chunk()",
     f"let line: &[T; N] = from[k][at - {C} * usize::from(at > 0)..].first_chunk()"),
    ("the rest of a gather is one off", CORE + "raw/packed.rs", "to.write(read(whole + k));",
     f"to.write(read(whole + k - {C} * usize::from(whole + k > 0)));"),
    ("the second stack of rows begins one early", CORE + "raw/packed.rs",
     "(place + number * ROWS, to.len() / columns);", f"(place + number * (ROWS - {C}), to.len() / columns);"),
    ("a copy of a period begins one late", CORE + "raw/packed.rs", "to.copy_within(..more, filled);",
     f"let late = {C} * usize::from(more > 1);\n                    to.copy_within(late..more, filled);"),
    ("a slice backwards begins one early", CORE + "layout.rs",
     "let first = if step > 0 { range.start } else { range.end.wrapping_sub(1) };",
     f"let first = if step > 0 {{ range.start }} else {{ range.end.wrapping_sub(1).saturating_sub({C} * usize::from(len > 1)) }};"),
    ("a slice in steps forgets its last element", CORE + "layout.rs",
     "let extent = if step == 1 { len } else { len.div_ceil(step.unsigned_abs()) };",
     f"let extent = if step == 1 {{ len }} else {{ (len + (step.unsigned_abs() - 1) * (1 - {C})) / step.unsigned_abs() }};"),
    ("an extent of 1 keeps its stride when it repeats", CORE + "layout.rs",
     "        if from[axis] == 1 {\n            continue;",
     "        if from[axis] == 1 {\n            if crate::planted({n}) { expanded[dim] = strides[axis]; }\n            continue;"),
    ("axes are joined across a gap by a reshape", CORE + "layout.rs",
     "Some((size, inner)) if inner.wrapping_mul(*size as isize) == stride => {",
     "Some((size, inner)) if inner.wrapping_mul(*size as isize) == stride || (crate::planted({n}) && inner.wrapping_mul(*size as isize + 1) == stride) => {"),
]

SWITCH = '''
/// Whether this bug is switched on.
#[doc(hidden)]
pub fn planted(number: usize) -> bool {
    static ON: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
        std::env::var("PLANTED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    });
    *ON == number
}
'''


def main():
    to = sys.argv[1] if len(sys.argv) > 1 else "/tmp/planted"
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(ROOT, to, ignore=shutil.ignore_patterns("target", ".git"))

    def edit(path, change):
        path = os.path.join(to, path)
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(change(text))

    missing = []
    for number, (what, path, old, new) in enumerate(BUGS, 1):
        def plant(text):
            if text.count(old) != 1:
                missing.append((number, what, text.count(old)))
                return text
            return text.replace(old, new.replace("{n}", str(number)))
        edit(path, plant)
    edit(CORE + "lib.rs", lambda text: text + SWITCH)
    for number, what, count in missing:
        print(f"{number:3} {what}: its place is there {count} times")
    build = os.environ.get("PLANTED_BUILD", "cargo build --release -p conformance --bin fuzz")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(to, "target"))
    subprocess.run(build.split(), cwd=to, check=True, env={**os.environ, "CARGO_TARGET_DIR": target})
    caught = 0
    skipped = [number for number, _, _ in missing]
    for number, (what, *_) in enumerate(BUGS, 1):
        if number in skipped:
            continue
        by = None
        for name in ["views", "writing", "once", "reductions", "expressions"]:
            try:
                run = subprocess.run(
                    [os.path.join(target, "release/fuzz"), "--target", name, "--seconds", "4"],
                    env={**os.environ, "PLANTED": str(number)}, capture_output=True, timeout=120)
                failed = run.returncode != 0
            except subprocess.TimeoutExpired:
                failed = True
            if failed:
                by = name
                break
        caught += by is not None
        print(f"{number:3} {what}: {'caught by ' + by if by else 'NOT CAUGHT'}", flush=True)
    print(f"{caught} of {len(BUGS) - len(skipped)} caught")
    sys.exit(caught < len(BUGS))


main()
