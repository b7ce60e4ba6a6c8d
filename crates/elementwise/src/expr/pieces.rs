//! [`Pieces`]: what is computed where it is read, a piece at a time, as if it were an array.

use super::bind::Binding;
use super::boxed::{Bindable, BoxedSource};
use super::{Binder, ElementType, Expr, Facts, Visitor};
use crate::kernel::{Isa, Region, Run, Source, compute_run};
use ndcore::{Dyn, Element, Packed, Runs, Short};

/// An expression of arrays that lie alike in row-major order, as an array that lies so: whoever
/// reads a run of it, or a few, has these computed.
pub struct Pieces<'a, T: Element> {
    pass: &'a dyn Bindable<T>,
    shape: &'a [usize],
    strides: &'a [isize],
    len: [usize; 1],
}

impl<'a, T: Element> Pieces<'a, T> {
    /// Of an expression whose arrays all have this shape and these strides.
    pub fn new(pass: &'a dyn Bindable<T>, (shape, strides): (&'a [usize], &'a [isize])) -> Self {
        Pieces { pass, shape, strides, len: [shape.iter().product()] }
    }

    /// The shape and the strides.
    pub fn layout(&self) -> (&'a [usize], &'a [isize]) {
        (self.shape, self.strides)
    }
}

/// What [`Pieces`] are bound to.
pub struct PieceSource<'s, T: Element> {
    /// None if there was no memory for it: then it is not used.
    source: BoxedSource<'s, T>,
    /// How far a step along each loop moves on in memory.
    strides: Short<isize>,
    len: usize,
    isa: Isa,
    buffer: Packed<T>,
}

impl<T: Element> Source for PieceSource<'_, T> {
    type Elem = T;
    type Block<'b>
        = Runs<'b, T>
    where
        Self: 'b;

    fn fetch(&mut self, _: &Region) -> bool {
        self.source.is_some()
    }

    fn flat(&self) -> Runs<'_, T> {
        Runs::none()
    }

    fn block<'b>(&'b mut self, run: &Run<'_>) -> Runs<'b, T> {
        let Some(source) = &mut self.source else { return Runs::none() };
        let place = |(index, stride): (&usize, &isize)| index * stride.unsigned_abs();
        let first = run.start.iter().zip(&self.strides[..]).map(place).sum::<usize>() + run.from;
        let distance = self.strides[run.along].unsigned_abs();
        self.buffer.clear();
        if run.count == 1 || distance == run.len {
            let all = Run::part(first, run.count * run.len, self.len);
            self.buffer
                .append(all.len, |slots| compute_run(self.isa, slots, &mut **source, &all, 1));
        } else {
            for number in 0..run.count {
                let one = Run::part(first + number * distance, run.len, self.len);
                self.buffer
                    .append(one.len, |slots| compute_run(self.isa, slots, &mut **source, &one, 1));
            }
        }
        Runs::rows(self.buffer.as_slice(), run.count, run.len)
    }
}

impl<T: Element> Expr for Pieces<'_, T> {
    type Elem = T;
    type Rank = Dyn;
    itself!();
    const FACTS: Facts = Facts::LEAF;

    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
        visitor.leaf(self.shape, self.strides, ElementType::of::<T>());
    }

    fn bind<'s, B: Binder<'s>>(&'s self, binder: &mut B) -> PieceSource<'s, T> {
        let binding = binder.any().expect("pieces are read by a plan");
        let ((strides, most), isa) = (binding.next_pieces(), binding.isa);
        let mut buffer = Packed::new();
        let room = buffer.reserve(most).then_some(());
        let source = room.and_then(|()| self.pass.boxed(&mut Binding::flat(&self.len, isa)));
        PieceSource { source: binding.or_lacking(source), strides, len: self.len[0], isa, buffer }
    }
}
