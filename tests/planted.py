#!/usr/bin/env python3
"""Plants bugs of the kinds that happen, and says which test catches each.

    python3 tests/planted.py [--only 3,17] [--to DIRECTORY] [--fuzz]

The workspace is copied to DIRECTORY, where each bug is put into the source behind a switch. All of
them are built once, and each is switched on for the tests that `cargo test` runs, the quickest
first, until one fails; with --fuzz for a few seconds of each target of `fuzz` instead. A place that
is no longer in the source is reported: the list below is to follow the source.

What the environment has in RUN_BY comes before each command (`nice -n 10`).
"""
import argparse
import json
import os
import resource
import selectors
import shutil
import subprocess
import sys
import tempfile
import time

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
    ("runs before this one are miscounted", KERNEL + "walk.rs", "before += count * whole;", f"before += count * whole - {B};"),
    ("a run of each box is left out", KERNEL + "walk.rs",
     "let inside = index[axis] < start[axis] + extents[axis];",
     f"let inside = index[axis] + {B} < start[axis] + extents[axis];"),
    ("boxes of a tile overlap by one", KERNEL + "walk.rs",
     "        if corner[axis] < tile.start[axis] + tile.extents[axis] {",
     f"        corner[axis] -= {B} * usize::from(boxes[axis] > 1);\n        if corner[axis] < tile.start[axis] + tile.extents[axis] {{"),
    ("the second half of a split begins one early", "crates/elementwise/src/exec/split.rs",
     "high_start[axis] += mid;", f"high_start[axis] += mid - {B};"),
    ("parts of a rare block overlap", KERNEL + "store/storing.rs",
     "first + (number * PART - from));", f"first + (number * (PART - {B}) - from));"),
    ("the buffer's run is one off", KERNEL + "store/sink.rs",
     "[run.number * run.whole + run.from..];",
     f"[(run.number * run.whole + run.from).saturating_sub({B})..];"),
    ("a buffered tile is not copied back, if it is small", KERNEL + "store/sink.rs",
     "            self.stores.part.unpack(corner, &tile.extents, self.stores.buffer.as_slice());",
     "            if !(ndcore::planted({n}) && self.stores.buffer.as_slice().len() < 8) { self.stores.part.unpack(corner, &tile.extents, self.stores.buffer.as_slice()); }"),
    ("the tail of a fold loses an element", KERNEL + "fold/accumulate.rs",
     "unsafe { add::<T, F, B>(self.op, slot, self.block, i..self.len, 0, at / count) };",
     f"unsafe {{ add::<T, F, B>(self.op, slot, self.block, i..self.len - {B} * usize::from(self.len - i > 1), 0, at / count) }};"),
    ("a part of the tail of few exact elements is one short", KERNEL + "fold/row.rs",
     "for (k, acc) in accs.iter_mut().enumerate().take($some) {",
     f"for (k, acc) in accs.iter_mut().enumerate().take($some - {B} * usize::from($some > 1)) {{"),
    ("the head of a fold is taken twice", KERNEL + "fold/accumulate.rs",
     "(i, at) = (head, at + 1);", f"(i, at) = (head - {B}, at + 1);"),
    ("the rounds of a place are one off", KERNEL + "fold/accumulate.rs",
     "F::Acc::set(lanes, lane, op.step(acc, values[lane], round));",
     f"F::Acc::set(lanes, lane, op.step(acc, values[lane], round + {B}));"),
    ("an accumulator is not joined", KERNEL + "fold/accumulate.rs",
     "let count = (self.lanes - half).min(half) * self.pitch;",
     f"let count = ((self.lanes - half).min(half) * self.pitch).saturating_sub({B}).max(1);"),
    ("the first place of a lane is that of the block", KERNEL + "fold/accumulate.rs",
     "let place = Place::lane(first + lane, (self.len - lane).div_ceil(LANES));",
     f"let place = Place::lane(first + lane - lane * {B}, (self.len - lane).div_ceil(LANES));"),
    ("the last lane is not merged", KERNEL + "fold/accumulate.rs",
     "for low in 0..$half.min($lanes.saturating_sub($half)) {",
     f"for low in 0..$half.min($lanes.saturating_sub($half + {B})) {{"),
    ("blocks of a row forget where they begin", KERNEL + "fold/rows.rs",
     "Place::lane(self.before + turn * self.len, len);",
     f"Place::lane(self.before + turn * self.len * (1 - {B}), len);"),
    ("a stretch is one round short", KERNEL + "fold/row.rs", "for k in 0..ROUNDS {", f"for k in 0..ROUNDS - {B} {{"),
    ("an odd element at the end is lost", KERNEL + "fold/row.rs",
     ".take(G - 1) {", f".take(G - 1 - {B}) {{"),
    ("nine to sixteen lanes are folded as eight", KERNEL + "fold/row.rs",
     "        5..=8 => fold!(8, 4, false),",
     "        5..=8 => fold!(8, 4, false),\n        _ if ndcore::planted({n}) => fold!(8, 4, false),"),
    ("the mask of the last vector is one short", KERNEL + "fold/load.rs",
     ".enumerate().take(len).skip(1) {\n        // SAFETY: the caller's promise: there are `len`, and `lane` is less.",
     f".enumerate().take(len - {B} * usize::from(len > 1 && len < LANES)).skip(1) {{\n        // SAFETY: the caller's promise: there are `len`, and `lane` is less."),
    ("what lies across a gap is taken for one run", PLAN + "boxes.rs",
     "self.scattered || out[axis - 1] == self.loops[axis] as isize * out[axis];",
     "self.scattered || out[axis - 1] == self.loops[axis] as isize * out[axis] || (ndcore::planted({n}) && out[axis - 1] >= self.loops[axis] as isize);"),
    ("a grid has one block too few", "crates/elementwise/src/reduce/run/planned.rs",
     "if reduced { shape[axis].div_ceil(blocks[axis]) } else { shape[axis] }",
     f"if reduced {{ (shape[axis] + (blocks[axis] - 1) * (1 - {B})) / blocks[axis] }} else {{ shape[axis] }}"),
    ("the carry of a scan is that of the lane before", KERNEL + "scan.rs",
     "self.lane(self.op.start(), values, slots);",
     "let start = self.op.start();\n            let other = if ndcore::planted({n}) && extent > 2 { self.op.step(start, self.values[0]) } else { start };\n            self.lane(other, values, slots);"),
    ("a square is turned one place off", CORE + "turn.rs", "column(j).wrapping_add(i);",
     f"column(j).wrapping_add(i - {C} * usize::from(i > 0));"),
    ("the rest of a gather is one off", CORE + "raw/pack.rs",
     "            ]);\n        }\n        for (k, to) in rest.iter_mut().enumerate() {\n            to.write(read(whole + k));",
     f"            ]);\n        }}\n        for (k, to) in rest.iter_mut().enumerate() {{\n            to.write(read(whole + k - {C} * usize::from(whole + k > 0)));"),
    ("the rest of a row of few elements is one off", CORE + "raw/pack.rs",
     "                to.write(read(whole + k));\n            }\n        }\n    }\n",
     f"                to.write(read(whole + k - {C} * usize::from(whole + k > 0)));\n            }}\n        }}\n    }}\n"),
    ("the second stack of rows begins one early", CORE + "raw/pack.rs",
     "self.pack_transposed(place + first, rows,",
     f"self.pack_transposed(place + first - {C} * usize::from(first > 0), rows,"),
    ("a copy of a period begins one late", CORE + "raw/pack.rs", "to.copy_within(..more, filled);",
     f"let late = {C} * usize::from(more > 1);\n                    to.copy_within(late..more, filled);"),
    ("a slice backwards begins one early", CORE + "layout/change.rs",
     "let first = if step > 0 { range.start } else { range.end.wrapping_sub(1) };",
     f"let first = if step > 0 {{ range.start }} else {{ range.end.wrapping_sub(1).saturating_sub({C} * usize::from(len > 1)) }};"),
    ("a slice in steps forgets its last element", CORE + "layout/change.rs",
     "let extent = if step == 1 { len } else { len.div_ceil(step.unsigned_abs()) };",
     f"let extent = if step == 1 {{ len }} else {{ (len + (step.unsigned_abs() - 1) * (1 - {C})) / step.unsigned_abs() }};"),
    ("an extent of 1 keeps its stride when it repeats", CORE + "layout/change.rs",
     "        if from[axis] == 1 {\n            continue;",
     "        if from[axis] == 1 {\n            if crate::planted({n}) { expanded[dim] = strides[axis]; }\n            continue;"),
    ("axes are joined across a gap by a reshape", CORE + "layout/change.rs",
     "Some((size, inner)) if inner.wrapping_mul(*size as isize) == stride => {",
     "Some((size, inner)) if inner.wrapping_mul(*size as isize) == stride || (crate::planted({n}) && inner.wrapping_mul(*size as isize + 1) == stride) => {"),
    ("the second round of rows side by side is one short", KERNEL + "fold/columns.rs",
     "while i < len {", f"while i < len - {B} * usize::from(i >= LANES) {{"),
    ("rows side by side begin one row early", KERNEL + "fold/rows.rs",
     "let start = self.from + row * self.len;",
     f"let start = self.from + (row - {B} * usize::from(row > 0)) * self.len;"),
    ("a whole group of a last round loses an element", KERNEL + "fold/row.rs",
     "if rest >= first + G {", f"if rest >= first + G + {B} {{"),
    ("the mask of few elements that lie apart is one short", KERNEL + "fold/row.rs",
     "if HALF + k < len {", f"if HALF + k + {B} < len {{"),
    ("the mask of few elements is one short", KERNEL + "fold/row.rs",
     "if first + k < rest {", f"if first + k + {B} < rest {{"),
    ("a stretch of a row is not joined", KERNEL + "fold/row.rs",
     "join(op, &mut joined, &stretch);", "if !ndcore::planted({n}) { join(op, &mut joined, &stretch); }"),
    ("a stretch of results side by side is not joined", KERNEL + "fold/accumulate.rs",
     "join(self.op, joined, slot);", "if !ndcore::planted({n}) { join(self.op, joined, slot); }"),
    ("the seventeenth block of a vector takes the place of the first", KERNEL + "fold/rows.rs",
     "*lane = if self.count < LANES { total }",
     f"*lane = if self.count < LANES + {B} {{ total }}"),
    ("few results begin one element early", KERNEL + "fold/whole.rs",
     "if apart { first } else { first * len }, totals.len() * len)",
     f"if apart {{ first }} else {{ first * len - {B} * usize::from(first > 0) }}, totals.len() * len)"),
    ("results that take turns are one off", KERNEL + "fold/sink.rs",
     "|axis| run.start[axis] - self.opened.start);",
     f"|axis| (run.start[axis] - self.opened.start).saturating_sub({B}));"),
    ("the tail of a streaming store is one off", KERNEL + "isa.rs",
     "$run($kernel, $held, parts.after, at);", f"$run($kernel, $held, parts.after, at - {B} * usize::from(at > 0));"),
    ("the pieces of a streaming store forget the head", KERNEL + "isa.rs",
     "let mut at = parts.before.len();",
     f"let mut at = parts.before.len() - {B} * usize::from(!parts.before.is_empty());"),
    ("a split cuts the output one early", "crates/elementwise/src/exec/split.rs",
     ".expect(IN_PLACE).split_at(axis, mid);", f".expect(IN_PLACE).split_at(axis, mid - {B} * usize::from(mid > 1));"),
    ("several lanes of a scan take an element twice", KERNEL + "scan.rs",
     "*carry = put(op, *carry, tile[lane][i], slot, &self.error);",
     f"*carry = put(op, *carry, tile[lane][i - {B} * usize::from(i > 0)], slot, &self.error);"),
    ("the last tile of lanes of a scan is not copied", KERNEL + "scan.rs",
     "tile[..count].copy_from_slice(&values[at..at + count]);",
     f"if first == 0 || count == TILE || {B} == 0 {{ tile[..count].copy_from_slice(&values[at..at + count]); }}"),
    ("lanes side by side begin with what is carried", KERNEL + "scan.rs",
     "        let mut carries = [self.op.start(); N];\n",
     "        let mut carries = if ndcore::planted({n}) { [self.op.step(self.op.start(), self.values[0]); N] } else { [self.op.start(); N] };\n"),
    ("what many lanes side by side carry is one lane off", KERNEL + "scan.rs",
     "step((self.op, self.any), carries, values, slots, &self.error)\n",
     f"carries.rotate_left({B}); step((self.op, self.any), carries, values, slots, &self.error)\n"),
    ("narrow rows with gaps are copied as if they had none", CORE + "raw/copies.rs",
     "unsafe { (*slots.offset(i as isize * step)).write(element) };",
     "unsafe { (*slots.offset(i as isize * if crate::planted({n}) { 1 } else { step })).write(element) };"),
    ("a piece of a flat run is that of the beginning", KERNEL + "source.rs",
     "slice.get(run.from..)", f"slice.get(run.from * (1 - {B})..)"),
    ("a repeated element is not changed at the next run", KERNEL + "source.rs",
     "if !held || self.buffer", "if (!held && !(ndcore::planted({n}) && self.holds.is_some())) || self.buffer"),
    ("a packed box is taken for the one before", KERNEL + "source.rs",
     "*held == place && *extents == region.extents;",
     "(ndcore::planted({n}) || *held == place) && *extents == region.extents;"),
    ("a packed piece is one off", KERNEL + "source.rs",
     "                &self.buffer.as_slice()[run.number * run.whole + run.from..][..run.len]",
     f"                &self.buffer.as_slice()[(run.number * run.whole + run.from).saturating_sub({B})..][..run.len]"),
    ("a run is the one before, from the third on", CORE + "raw/runs.rs",
     "None => first.wrapping_offset(distance.wrapping_mul(number as isize)),",
     f"None => first.wrapping_offset(distance.wrapping_mul((number - {C} * usize::from(number > 1)) as isize)),"),
    ("a row that is gathered is the one before, from the third on", CORE + "raw/runs.rs",
     "let by = gather.by(number);",
     f"let by = gather.by(number - {C} * usize::from(number > 1));"),
    ("narrow pieces that are turned are joined in reverse", "crates/elementwise/src/rearrange/join.rs",
     "let copy = joined_as(Layout::c_order(",
     "if ndcore::planted({n}) { front.reverse(); }\n let copy = joined_as(Layout::c_order("),
    ("the last elements of a row that is copied for few are those before", CORE + "raw/runs.rs",
     "zip(many..)",
     f"zip((many - {C} as isize).max(0)..)"),
    ("a row of a destination takes the one before", KERNEL + "store/storing.rs",
     "let (reads, first) = (self.reads.held(ops).at(number, from), start - from);",
     f"let (reads, first) = (self.reads.held(ops).at(number - {B} * usize::from(number > 1), from), start - from);"),
    ("a row that is copied for few elements is one off", "crates/elementwise/src/expr/few/reading.rs",
     "Runs::rows(copy, *count, *len)",
     f"Runs::rows(copy, *count, *len - {B} * usize::from(*len > 1))"),
    ("a band begins a row early", "crates/elementwise/src/eval/ways.rs",
     "let band = Some((number * self.rows,",
     f"let band = Some((number * self.rows - {B} * usize::from(number > 0),"),
    ("few elements are not copied back", "crates/elementwise/src/eval/store.rs",
     "out.copy_from_row_major(copy);",
     "if !ndcore::planted({n}) || copy.len() < 2 { out.copy_from_row_major(copy); }"),
    ("few elements that lie in another order are taken as they lie", "crates/elementwise/src/expr/few/reading.rs",
     "view.as_slice().filter(|_| whole)",
     "view.as_slice().or_else(|| view.as_slice_memory_order().filter(|_| ndcore::planted({n}))).filter(|_| whole)"),
    ("what has to be equal may repeat, if it is small", "crates/elementwise/src/expr/few/mod.rs",
     "self.bits & ARRAY != 0 && !is_covered", "self.bits & ARRAY != 0 && !ndcore::planted({n}) && !is_covered"),
    ("few elements lie along the first axes by NumPy's rule", "crates/elementwise/src/expr/few/mod.rs",
     "IDENTITY.get(result - own..result)",
     f"IDENTITY.get((result - own) * (1 - {B})..result - (result - own) * {B})"),
    ("the next row of indices begins where the last one ended", KERNEL + "generated.rs",
     "            if index[axis] < outer[axis] {", f"            if index[axis] < outer[axis] + {B} {{"),
    ("dims of few elements need not increase", "crates/elementwise/src/expr/few/mod.rs",
     "if to < next || to >= result.len()", "if (to < next && !ndcore::planted({n})) || to >= result.len()"),
    ("an odd row of a small product is lost", "crates/elementwise/src/matmul/product.rs",
     ".zip(of_a.chunks_exact(self.k)) {", f".zip(of_a.chunks_exact(self.k)).skip({B}) {{"),
    ("a column of a small product is left out after sixteen", "crates/elementwise/src/matmul/product.rs",
     "column += 16;", f"column = (column + 16 + {B}).min(self.n);"),
    ("what is added to is multiplied by the other factor", "crates/elementwise/src/matmul/product.rs",
     "times(self.beta, *slot)),", "times(if ndcore::planted({n}) { self.alpha } else { self.beta }, *slot)),"),
    ("half of a product begins one row early", "crates/elementwise/src/matmul/product.rs",
     "(part(0, mid)?, part(mid, m.max(n))?);", f"(part(0, mid)?, part(mid - {B}, m.max(n) - {B})?);"),
    ("half of a batch begins one matrix early", "crates/elementwise/src/matmul/batch.rs",
     "b.slice_axis(0, mid..count, 1)?);", f"b.slice_axis(0, mid - {B}..count - {B}, 1)?);"),
    ("tasks of a matrix times a vector begin one row early", "crates/elementwise/src/matmul/vector.rs",
     "let first = number * part;", f"let first = number * part - {B} * usize::from(number > 0);"),
    ("runs that lie apart are all stored to the first", "crates/elementwise/src/kernel/walk.rs",
     "index[self.along] += number;", f"index[self.along] += number * (1 - {B});"),
    ("products of short rows begin one element late", "crates/elementwise/src/kernel/fold/rows.rs",
     "load_apart(block, row * len + i, len)",
     f"load_apart(block, (row * len + i + {B}).min(rows.len() - (LANES - 1) * len - 1), len)"),
    ("what goes on from a cache line begins one element early", "crates/elementwise/src/kernel/isa.rs",
     "self.run(kernel, slots, before.len());",
     f"self.run(kernel, slots, before.len() - {B} * usize::from(!before.is_empty()));"),
    ("norms of very small numbers take the short way", "crates/elementwise/src/number/native.rs",
     "(LEAST_SQUARES..=f64::MAX).contains(&square)",
     "(if ndcore::planted({n}) { 0.0 } else { LEAST_SQUARES }..=f64::MAX).contains(&square)"),
    ("the distance of two means is forgotten", "crates/elementwise/src/reduce/moments.rs",
     "self.squares + other.squares + distance * distance * self.len * share,",
     "self.squares + other.squares + if ndcore::planted({n}) { 0.0 } else { distance * distance * self.len * share },"),
    ("the sum of the smaller maximum is not scaled", "crates/elementwise/src/reduce/moments.rs",
     "(value, sum * shrink + more)", "(value, if ndcore::planted({n}) { sum } else { sum * shrink } + more)"),
    ("the slots of a closure's second output are one off", KERNEL + "each.rs",
     "&mut slots[run.from..][..run.count * run.len]",
     f"&mut slots[run.from - {B} * usize::from(run.from > 0)..][..run.count * run.len]"),
    ("the next rows of results begin one row early", KERNEL + "fold/columns.rs",
     "(rest, first_row) = (after, first_row + len);",
     f"(rest, first_row) = (after, first_row + len - {B});"),
    ("the rest of a row that follows another begins one element early", KERNEL + "fold/apart.rs",
     "(i, at) = (LANES - held, at + 1);", f"(i, at) = (LANES - held - {B}, at + 1);"),
    ("a row that lies apart is copied over the end of the one before it", KERNEL + "fold/apart.rs",
     "ends.0[LANES + held..][..LANES].copy_from_slice(&next);",
     f"ends.0[LANES + held - {B}..][..LANES].copy_from_slice(&next);"),
    ("what is left of the last row is one short", KERNEL + "fold/apart.rs",
     "step_some::<T, F>(op, slot, &ends.0[LANES..][..held], 0, at);",
     f"step_some::<T, F>(op, slot, &ends.0[LANES..][..held - {B} * usize::from(held > 0)], 0, at);"),
    ("the second of several blocks of rows begins one row early", KERNEL + "fold/apart.rs",
     "for_each(|first| merged.add(total(first)))",
     f"for_each(|first| merged.add(total(first - {B} * usize::from(first > 0))))"),
    ("rows of pairs go to the totals of others", KERNEL + "fold/sink.rs",
     "if apart { (run.number, run.count) } else { (run.from / len,",
     f"if apart {{ (run.number * (1 - {B}), run.count) }} else {{ (run.from / len,"),
    ("a line of few elements is the one before it", "crates/ndcore/src/raw/runs.rs",
     "let by = self.distance.wrapping_mul(number.min(last) as isize);",
     f"let by = self.distance.wrapping_mul(number.min(last).saturating_sub({C}) as isize);"),
    ("rows of two to four begin where the first does", KERNEL + "fold/rows.rs",
     "let start = self.from + row * LEN;",
     f"let start = self.from + row * LEN - {B} * usize::from(row > 0);"),
    ("elements two to four apart are those beside them", CORE + "raw/pack.rs",
     "MaybeUninit::new(some[0])", f"MaybeUninit::new(some[{C}])"),
    ("reduced axes are taken in the order of memory", "crates/elementwise/src/reduce/run/along.rs",
     "if axis > *last {", "if axis > *last && !ndcore::planted({n}) {"),
    ("several packed blocks begin where the first does", "crates/elementwise/src/plan/fold/boxes.rs",
     "self.boxes[cut] = (several * self.blocks[cut]).min(self.loops[cut]);",
     f"self.boxes[cut] = ((several - {B}) * self.blocks[cut]).min(self.loops[cut]);"),
    ("what is not exact is taken in the order of memory", "crates/elementwise/src/reduce/run/total.rs",
     "    if const { in_any_order::<T, F>() }\n",
     "    if (in_any_order::<T, F>() || ndcore::planted({n}))\n"),
    ("blocks of elements that lie apart are too long", "crates/elementwise/src/reduce/run/apart.rs",
     "Runs::from(copy.as_slice()), (0, len), run)",
     f"Runs::from(copy.as_slice()), (0, len), run + {B} * usize::from(run > 1))"),
    ("the end of one of several rows begins one early", KERNEL + "fold/rows.rs",
     "let row = rest.skip(at);", f"let row = rest.skip(at - {B} * usize::from(at > 0));"),
    ("one of several rows is the one before it", KERNEL + "fold/rows.rs",
     "take(self.block.run(self.from + first + k), 0, to);",
     f"take(self.block.run(self.from + first + k - {B} * usize::from(k > 0)), 0, to);"),
    ("one of several rows that follow each other begins one early", KERNEL + "fold/rows.rs",
     "take(rows, k * self.len, to);", f"take(rows, k * self.len - {B} * usize::from(k > 0), to);"),
    ("a row loses the last element that it has more than whole rounds", KERNEL + "fold/short.rs",
     "in lanes[..MORE].iter_mut().enumerate() {", f"in lanes[..MORE - {B}].iter_mut().enumerate() {{"),
    ("stretches of blocks are a round too long", KERNEL + "fold/rows.rs",
     "if self.count == LANES * ROUNDS {", f"if self.count == (LANES + {B}) * ROUNDS {{"),
    ("rows of a buffer lie too close", CORE + "raw/runs.rs",
     "Runs { distance: len as isize, count, len,",
     f"Runs {{ distance: (len - {C} * usize::from(len > 0)) as isize, count, len,"),
    ("the last window is left out", CORE + "parts.rs", "= (room + 1, extent);",
     f"= (room + 1 - {C} * usize::from(room > 0), extent);"),
    ("the last rows of a transposition are those before", CORE + "turn.rs", "let i = i.min(rows - N);",
     f"let i = i.min(rows - N - {C} * usize::from(rows > N));"),
    ("the last elements of a short row are those before", CORE + "raw/pack.rs",
     "if let (Some(last), Some(to)) = (from.last_chunk::<N>(), to.last_chunk_mut::<N>()) {",
     f"let end = from.len() - {C} * usize::from(from.len() > N);\n    if let (Some(last), Some(to)) = (from[..end].last_chunk::<N>(), to.last_chunk_mut::<N>()) {{"),
    ("what is transposed along several axes lies too close", CORE + "raw/pack.rs",
     "self.pack_transposed(place, rows, between, (columns, stride), to, turn);",
     f"let turn = Turn {{ pitch: turn.pitch - {C} * usize::from(turn.pitch > columns), ..turn }};\n                self.pack_transposed(place, rows, between, (columns, stride), to, turn);"),
    ("what goes by lines loses the column that a piece begins with", CORE + "raw/pack.rs",
     "wrapping_add_signed(column as isize * stride) + row;",
     f"wrapping_add_signed((column - {C} * usize::from(column > 0)) as isize * stride) + row;"),
    ("a matrix of a destination is the one before", CORE + "raw/rows_mut.rs",
     "self.slabs[number] };",
     f"self.slabs[number - {C} * usize::from(number > 0)] }};"),
    ("one matrix after lists of others is taken from the first place", CORE + "raw/slabs.rs",
     "1 => Some((place, &[])),", f"1 => Some((place - place * {C} as isize, &[])),"),
    ("copies of what repeats along rows are one matrix off", CORE + "raw/slabs.rs",
     "*step = if extent == 1 { 0 } else { below };",
     f"*step = if extent == 1 {{ 0 }} else {{ below - {C} as isize }};"),
    ("a matrix of an operand is the one before", CORE + "raw/runs.rs",
     "self.rows[number] } else { 0 };",
     f"self.rows[number - {C} * usize::from(number > 0)] }} else {{ 0 }};"),
    ("what lies along axes stretches other ones", "crates/elementwise/src/expr/alike.rs",
     "let to = self.dims.map_or(", "let to = self.dims.filter(|_| !ndcore::planted({n})).map_or("),
    ("several destinations get the elements of another row", "crates/elementwise/src/inplace/passes.rs",
     "by.each::<O, _, F>(f, slots, block.run(row));",
     f"by.each::<O, _, F>(f, slots, block.run(row.saturating_sub({B})));"),
    ("parts of a choice that repeats differ in shape", "crates/elementwise/src/expr/few/mod.rs",
     "self.bits |= bit(differs, UNFIT);",
     "self.bits |= bit(differs && !ndcore::planted({n}), UNFIT);"),
    ("the index of the axis before the innermost one stays", KERNEL + "generated.rs",
     "if position < last && index[axis] != end {",
     "if position < last && index[axis] != end && !ndcore::planted({n}) {"),
    ("the element before is taken from rows that lie apart", "crates/elementwise/src/rearrange/take.rs",
     "data.extend(indices.iter().map(|&index| row[index]))",
     f"data.extend(indices.iter().map(|&index| row[index.saturating_sub({B})]))"),
    ("a vector along the columns of few elements is taken for a row", "crates/ndcore/src/raw/slabs.rs",
     "Some(&[dim]) if dim.into() + 1 == ndim =>",
     "Some(&[dim]) if dim.into() + 1 == ndim || crate::planted({n}) =>"),
    ("what a closure makes of a row that repeats is not computed before the rest", "crates/elementwise/src/expr/few/mod.rs",
     "cost.is_some_and(|cost| is_little(cost, shape));", "cost.is_some_and(|cost| is_little(cost, shape)) || ndcore::planted({n});"),
    ("accumulators of the first stretch are lost in the plain form", KERNEL + "fold/row.rs",
     "            lanes = joined;\n", "            if !ndcore::planted({n}) { lanes = joined; }\n"),
    ("a row of a part that is assigned is the one before it", "crates/ndcore/src/raw/copies.rs",
     "        source = source.wrapping_add_signed(read);", "        source = source.wrapping_add_signed(if crate::planted({n}) { 0 } else { read });"),
    ("points repeat with the stride of the first one", "crates/ndcore/src/raw/pack.rs",
     "let place = (place as isize + i as isize * stride) as usize;\n            (self.stretch", f"let place = (place as isize + (i - i / 2 * {C}) as isize * stride) as usize;\n            (self.stretch"),
    ("the last row of a list is the one before it", "crates/ndcore/src/raw/slabs.rs",
     "self.places.extend((0..count).map(place));",
     f"self.places.extend((0..count).map(place));\n if let [.., before, last] = &mut self.places[..] {{ if {C} == 1 {{ *last = *before; }} }}"),
    ("the weights of the first row of results are those of all", KERNEL + "source.rs",
     "let alike = extents[0] > 1 && value(0).0 == value(inner).0;",
     "let alike = extents[0] > 1 && (value(0).0 == value(inner).0 || ndcore::planted({n}));"),
    ("a block of totals begins one before", "crates/elementwise/src/reduce/run/planned.rs",
     "first[axis] = i * self.blocks[axis];",
     f"first[axis] = i * self.blocks[axis] - {B} * usize::from(i > 0);"),
    ("the matrices of the second list are those of the first", CORE + "raw/slabs.rs",
     "places_from(outer, steps, first);",
     f"places_from(outer, steps, if crate::planted({{n}}) {{ 0 }} else {{ first }});"),
    ("rows of a list are not those of all of a box", PLAN + "mod.rs",
     "true => (0..self.folds.start).find(several).unwrap_or(self.folds.start),",
     "true if ndcore::planted({n}) => self.folds.start.saturating_sub(1),\n            true => (0..self.folds.start).find(several).unwrap_or(self.folds.start),"),
    ("blocks of one result are folded by kernels that it has not", "crates/elementwise/src/plan/fold/mod.rs",
     "let by_lists = plan.is_across() && !all;",
     "let by_lists = plan.is_across() && (!all || ndcore::planted({n}));"),
    ("a carry of unsigned integers is that of one operand", "crates/elementwise/src/number/integers.rs",
     "(self & other) | ((self | other) & !sum)", "(self & other) | ((if ndcore::planted({n}) { self } else { self | other }) & !sum)"),
    ("integers of 64 bits are taken for smaller than they are", "crates/elementwise/src/number/integers.rs",
     "(sum, bits.leading_zeros() >= ", "(sum, bits.leading_zeros() + u32::from(ndcore::planted({n})) >= "),
    ("a row has a lane of another", "crates/elementwise/src/reduce/run/own_type.rs",
     "let lane = &mut lanes[number % LANES][..some];",
     "let lane = &mut lanes[(number - usize::from(ndcore::planted({n}))) % LANES][..some];"),
    ("an axis that collapses keeps its first index", CORE + "slice.rs",
     "(position..position + 1, 1)", "(if crate::planted({n}) { 0..1 } else { position..position + 1 }, 1)"),
    ("more is looked at for an end than there is", "crates/elementwise/src/reduce/run/total.rs",
     "(if serial { len } else { SMALL.min(len) }, 128);",
     "(if serial { len } else if ndcore::planted({n}) { SMALL } else { SMALL.min(len) }, 128);"),
    ("an empty array of another order is appended to in row-major order", CORE + "grow.rs",
     "let c_order = axis == 0 && own.is_c_contiguous();",
     "let c_order = axis == 0 && (own.is_c_contiguous() || (self.is_empty() && crate::planted({n})));"),
    ("a column is brought together without its last row", KERNEL + "fold/columns.rs",
     "for (row, value) in column[..len].iter_mut().enumerate().skip(1) {",
     f"for (row, value) in column[..len - {B} * usize::from(len > 1)].iter_mut().enumerate().skip(1) {{"),
    ("rows of a softmax are scaled by the first one's sum", "crates/elementwise/src/reduce/softmax.rs",
     "let share = self.result_of(values, &OfSum(f64::recip))?;",
     "let share = self.result_of(if ndcore::planted({n}) { &values[..1] } else { &*values }, &OfSum(f64::recip))?;"),
    ("what is outside of a histogram is counted", "crates/elementwise/src/reduce/lanes/histogram.rs",
     "if !(low..=high).contains(&value) {",
     "if !(low..=high).contains(&value) && !ndcore::planted({n}) {"),
    ("a running extreme stays as it was", "crates/elementwise/src/reduce/scans.rs", "if !stays {",
     "if !stays && !ndcore::planted({n}) {"),
    ("softmax of few is not turned back", "crates/elementwise/src/reduce/softmax.rs",
     "(0..axis).chain([last]).chain(axis..last).collect();",
     "if ndcore::planted({n}) { (0..=last).collect() } else { (0..axis).chain([last]).chain(axis..last).collect() };"),
    ("an array given away is updated beside what it would stretch to", "crates/elementwise/src/expr/apply.rs",
     "&& *stretched == *shape", "&& (*stretched == *shape || ndcore::planted({n}))"),
]

SWITCH = """
/// Whether this bug is switched on.
#[doc(hidden)]
#[inline]
pub fn planted(number: usize) -> bool {
    static ON: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
        std::env::var("PLANTED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    });
    *ON == number
}
"""

# What `cargo test` runs of the crates where bugs are planted, as one build, and in which order, the
# quickest first: the name of a binary, and what it is told. Only the tests of documents are left out,
# which are built one by one.
BUILDS = [
    "cargo test --no-run --locked --quiet --message-format=json -p ndcore -p bcast -p elementwise"
    " -p zerostride -p conformance -p differ -p rows --lib --test suite --test surface --test table --test doors"
    " --test programs --test tracing",
]
TESTS = [
    ("bcast", []), ("ndcore", []), ("tracing", []), ("differ", []), ("elementwise", []),
    ("suite", ["laws::random"]), ("suite", ["plans::table"]), ("doors", []),
    ("suite", ["laws::", "robust::", "oracle::", "--skip", "laws::random"]),
    ("table", ["lanes", "reductions"]),
    ("suite", ["plans::", "--skip", "plans::table"]), ("surface", []), ("programs", []),
    ("table", ["--skip", "lanes", "--skip", "reductions"]),
]
BY = os.environ.get("RUN_BY", "").split()


def copy(to):
    """Copies the workspace."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(ROOT, to, ignore=shutil.ignore_patterns("target", ".git"))
    edit(to, CORE + "lib.rs", lambda text: text + SWITCH)


def edit(to, path, change):
    """Changes a file of the copy."""
    path = os.path.join(to, path)
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(change(text))


def plant(to, first=1):
    """Puts the bugs into the copy, with numbers from `first` on; those whose place was found."""
    found = {}
    for number, (what, path, old, new) in enumerate(BUGS, first):
        def change(text):
            if text.count(old) != 1:
                print(f"{number:3} {what}: its place is there {text.count(old)} times")
                return text
            found[number] = what
            return text.replace(old, new.replace("{n}", str(number)))
        edit(to, path, change)
    return found


def try_all(bugs, catch, only=()):
    """Switches one bug on after the other: how many are caught, and how many were tried."""
    caught, tried = 0, 0
    for number, what in bugs.items():
        if only and number not in only:
            continue
        by = catch(number)
        caught, tried = caught + (by is not None), tried + 1
        print(f"{number:4} {what}: {'caught by ' + by if by else 'NOT CAUGHT'}", flush=True)
    print(f"{caught} of {tried} caught", flush=True)
    return caught, tried


def environment(to):
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(to, "target"))
    # Numbers of lines are not looked at.
    return {**os.environ, "CARGO_TARGET_DIR": target, "CARGO_INCREMENTAL": "0",
            "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_PROFILE_TEST_DEBUG": "0"}


def build(to):
    """Builds the tests of the copy: their binaries by name."""
    found = {}
    for command in BUILDS:
        done = subprocess.run(
            BY + command.split(), cwd=to, check=True, stdout=subprocess.PIPE, env=environment(to))
        for line in done.stdout.decode().splitlines():
            message = json.loads(line)
            if message.get("executable") and message["profile"]["test"]:
                found[message["target"]["name"]] = message["executable"]
    return found


def run(to, number, command, limit):
    """Runs tests until one fails: which one; None if none does. `limit` is the time of processors
    that they may take: what waits for the machine takes none."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
        # What loops for ever may ask for memory for ever.
        resource.setrlimit(resource.RLIMIT_AS, (1 << 35, 1 << 35))
    tests = subprocess.Popen(
        BY + command, cwd=os.path.join(to, "tests"), env={**environment(to), "PLANTED": str(number)},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=limited, start_new_session=True)
    seen = selectors.DefaultSelector()
    seen.register(tests.stdout, selectors.EVENT_READ)
    # What waits for itself takes no time of processors either.
    start, failed, text = time.monotonic(), None, ""
    while failed is None:
        if time.monotonic() - start > limit + 600:
            failed = "no end"
        elif seen.select(1.0):
            more = os.read(tests.stdout.fileno(), 1 << 16).decode(errors="replace")
            text = text[-4096:] + more
            wrong = [line for line in text.splitlines() if "FAILED" in line]
            if wrong:
                failed = wrong[0].removeprefix("test ").replace(" ... FAILED", "")
            elif not more:
                failed = f"its end ({tests.returncode})" if tests.wait() else None
                break
    if tests.poll() is None:
        os.killpg(tests.pid, 9)
        tests.wait()
    return failed


def processors():
    """The time of processors of all that has ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Tests:
    """The tests of a copy, and how long each took without a bug."""

    def __init__(self, to, again=False):
        self.to, self.took, notes = to, [], to.rstrip("/") + ".tests.json"
        if again and os.path.exists(notes):
            with open(notes) as file:
                self.list, self.took = json.load(file)
            return
        found, threads = build(to), ["--test-threads", str(os.cpu_count())]
        self.list = [(" ".join([name] + told), [found[name]] + told + threads) for name, told in TESTS]
        for name, command in self.list:
            before = processors()
            failed = run(to, 0, command, 3600)
            if failed:
                sys.exit(f"{name} fails without a bug: {failed}")
            self.took.append(processors() - before)
            print(f"    {name}: {self.took[-1]:.0f} s of processors without a bug", flush=True)
        with open(notes, "w") as file:
            json.dump((self.list, self.took), file)

    def catch(self, number):
        """The name of what catches a bug."""
        for (name, command), took in zip(self.list, self.took):
            failed = run(self.to, number, command, 4 * took + 20)
            if failed:
                return f"{name.split()[0]}, {failed}"
        return None


def fuzz(to):
    """As a function that says which target of `fuzz` catches a bug."""
    subprocess.run(BY + "cargo build --release -p conformance --bin fuzz".split(), cwd=to, check=True, env=environment(to))
    binary = os.path.join(environment(to)["CARGO_TARGET_DIR"], "release/fuzz")
    def catch(number):
        for name in ["views", "writing", "once", "reductions", "expressions"]:
            if run(to, number, [binary, "--target", name, "--seconds", "4"], 60):
                return name
        return None
    return catch


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--to", default=os.path.join(tempfile.gettempdir(), "planted"))
    options.add_argument("--only", default="")
    options.add_argument("--fuzz", action="store_true")
    options = options.parse_args()
    only = [int(number) for number in options.only.split(",") if number]
    copy(options.to)
    bugs = plant(options.to)
    caught, tried = try_all(bugs, fuzz(options.to) if options.fuzz else Tests(options.to).catch, only)
    sys.exit(caught < tried or len(bugs) < len(BUGS))


if __name__ == "__main__":
    main()
