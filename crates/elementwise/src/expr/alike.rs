//! What takes no plan because all arrays lie alike: then they are one run.
//!
//! To plan takes longer than to compute a few elements; so does to be called for each of them. So
//! what is here is compiled as part of the caller.

use super::along::TooManyAxes;
use super::bind::{Binder, Binding, Viewed, in_memory_order};
use super::few::go_one_by_one;
use super::visitor::{ElementType, OfIndex};
use super::{Expr, Visitor};
use crate::kernel::{Isa, Ready, Source};
use ndcore::{Axes, Dimension, Element, Few, Room, Runs};
use std::cmp::Reverse;
use std::mem::ManuallyDrop;

/// Whether all arrays of an expression lie alike, and how: then there is nothing to plan.
#[derive(Clone, Copy, Debug)]
pub struct Alike<'a> {
    shape: &'a [usize],
    strides: &'a [isize],
    /// The strides of the last array.
    last: &'a [isize],
    known: bool,
    alike: bool,
    /// Whether the next arrays lie along some axes only.
    lifted: bool,
}

impl<'a> Alike<'a> {
    /// Binds an expression without buffers, which has been shown to this, to the memory of its
    /// arrays: see [`Source::flat`](crate::kernel::Source::flat). Nothing has to be dropped then,
    /// and to find that out takes as long as to add a few elements.
    #[inline(always)]
    pub fn bind<'s, E: Expr>(
        expr: &'s E,
        len: usize,
    ) -> ManuallyDrop<impl Source<Elem = E::Elem> + use<'s, E>> {
        ManuallyDrop::new(expr.bind(&mut Flat(len)))
    }

    /// As [`bind`](Self::bind), of an expression with buffers, if there is room for all of them:
    /// nothing has to be dropped then either.
    #[inline(always)]
    pub fn bind_few<'s, E: Expr>(
        expr: &'s E,
        len: usize,
        few: &'s mut Few,
        isa: Isa,
    ) -> Option<ManuallyDrop<impl Source<Elem = E::Elem> + use<'s, E>>> {
        let mut binder = FlatFew { len, isa, room: few.room(), rooted: false, fits: true };
        let source = ManuallyDrop::new(expr.bind(&mut binder));
        binder.fits.then_some(source)
    }

    /// As the first array that does not lie along some axes only.
    #[inline(always)]
    pub fn unknown() -> Self {
        Alike { shape: &[], strides: &[], last: &[], known: false, alike: true, lifted: false }
    }

    /// As an array of this shape and these strides.
    #[inline(always)]
    pub fn of(shape: &'a [usize], strides: &'a [isize]) -> Self {
        Alike { shape, strides, last: strides, known: true, alike: true, lifted: false }
    }

    /// What is found of an expression: of one in which some array lies along some axes, only the
    /// shape of the first that does not.
    #[inline(always)]
    pub fn find<E: Expr>(expr: &'a E) -> Self {
        let mut alike = Alike::unknown();
        if const { E::FACTS.alike } {
            expr.describe(&mut alike);
        } else {
            let mut first = First { layout: None, last: &[], lifted: false };
            expr.describe(&mut first);
            (alike.alike, alike.known) = (false, first.layout.is_some());
            (alike.shape, alike.strides) = first.layout.unwrap_or((&[], &[]));
            alike.last = first.last;
        }
        alike
    }

    /// The shape and the strides, if they are those of all arrays.
    #[inline(always)]
    pub fn layout(&self) -> Option<(&'a [usize], &'a [isize])> {
        (self.known && self.alike).then_some((self.shape, self.strides))
    }

    /// The same, with the shape to which the first array is stretched.
    pub fn stretched_to<'s>(&'s self, shape: &'s [usize]) -> Alike<'s> {
        Alike { shape, ..*self }
    }

    /// Whether the elements of the first array, of as many bytes as these, [go](go_one_by_one) one
    /// by one.
    #[inline(always)]
    pub fn goes_one_by_one<T>(&self) -> bool {
        go_one_by_one(self.shape.iter().product(), size_of::<T>(), self.strides)
    }

    /// Whether one of two arrays that do not lie along some axes only is in column-major order, and
    /// the other one not in row-major order; of more arrays, of the first and the last.
    #[inline(always)]
    pub fn is_turned(&self) -> bool {
        let (one, other) = match (self.strides, self.last) {
            // Most often of a matrix: to call a function takes as long as to add some elements.
            (&[outer, inner], &[down, across]) => (nesting(outer, inner), nesting(down, across)),
            (&[_], _) => return false,
            (one, other) => (nesting_of(one), nesting_of(other)),
        };
        one.min(other) < 0 && one.max(other) <= 0
    }

    /// Whether the first array is in another order than the row-major one, of more than two axes;
    /// or the last one, if the first might repeat.
    #[inline]
    pub fn is_permuted(&self) -> bool {
        let strides = self.whole();
        strides.len() > 2 && !strides.is_sorted_by(|a, b| a.unsigned_abs() >= b.unsigned_abs())
    }

    /// The axes in the order in which they are nested, the outermost first, if all arrays lie as
    /// that one does, or are [`turned`](Self::is_turned).
    pub fn order(&self, turned: bool) -> Axes<usize> {
        let strides = self.whole();
        let mut order: Axes<usize> = (0..strides.len()).collect();
        match turned {
            true => order.reverse(),
            false => order.sort_by_key(|&axis| Reverse(strides[axis].unsigned_abs())),
        }
        order
    }

    /// The strides of an array that repeats along no axis, if they are those of the first or of the
    /// last one.
    #[inline]
    fn whole(&self) -> &'a [isize] {
        if self.shape.contains(&1) { self.last } else { self.strides }
    }

    /// The axes of the first array, those along windows that overlap before the others, if it has
    /// such: an axis after another one of the same stride. The others have the long rows.
    pub fn windows_outermost(&self) -> Option<Axes<usize>> {
        let (shape, strides) = (self.shape, self.strides);
        let overlap = |before: usize, axis: usize| {
            strides[before] == strides[axis] && shape[before] > 1 && shape[axis] > 1
        };
        let is_window =
            |&axis: &usize| strides[axis] != 0 && (0..axis).any(|before| overlap(before, axis));
        let windows = (0..strides.len()).filter(is_window);
        let others = (0..strides.len()).filter(|axis| !is_window(axis));
        windows.clone().next().map(|_| windows.chain(others).collect())
    }

    /// The shape of the first array that does not lie along some axes only.
    #[inline(always)]
    pub fn first(&self) -> Option<&'a [usize]> {
        self.known.then_some(self.shape)
    }
}

// NumPy's rule says nothing where all ranks are equal, which is looked at.
impl<'a> Visitor<'a> for Alike<'a> {
    #[inline(always)]
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], _: ElementType) {
        if self.lifted {
            return;
        }
        self.last = strides;
        if self.known {
            self.alike &= is_same(self.shape, shape) && is_same(self.strides, strides);
        } else {
            (self.shape, self.strides, self.known) = (shape, strides, true);
        }
    }

    #[inline(always)]
    fn generated(&mut self, _: OfIndex<'a>) {
        self.alike = false;
    }

    #[inline(always)]
    fn along(&mut self, _: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        (self.alike, self.lifted) = (false, true);
    }

    #[inline(always)]
    fn end_along(&mut self) {
        self.lifted = false;
    }
}

/// The shape of the result of an expression in which an array has this one: the same, or what it is
/// stretched to where its extents are 1; if that is plain.
#[inline(always)]
pub fn result_of<E: Expr<Rank: Dimension>>(
    expr: &E,
    first: &[usize],
) -> Option<<E::Rank as Dimension>::Shape> {
    if !first.contains(&1) {
        return E::Rank::shape(first).ok();
    }
    let mut shape = E::Rank::zero_shape(first.len());
    shape.as_mut().fill(1);
    stretch(shape.as_mut(), |visitor| show(expr, visitor)).then_some(shape)
}

/// Shows an expression to a visitor that it is not compiled for.
#[inline(never)]
pub fn show<'a, E: Expr>(expr: &'a E, visitor: &mut dyn Visitor<'a>) {
    expr.describe(visitor);
}

/// Makes of extents of 1 the least ones to which all arrays stretch that are shown; whether they
/// do, in a result of as many axes. Whether some must not is not looked at.
pub fn stretch<'a>(shape: &mut [usize], show: impl FnOnce(&mut dyn Visitor<'a>)) -> bool {
    let mut stretched = Stretched { shape, dims: None, last: false, fits: true };
    show(&mut stretched);
    stretched.fits
}

struct Stretched<'s, 'a> {
    shape: &'s mut [usize],
    /// The axes that the next arrays lie along, if not along all; or whether they lie along as many
    /// of the last ones as they have.
    dims: Option<&'a [u16]>,
    last: bool,
    fits: bool,
}

impl<'a> Visitor<'a> for Stretched<'_, 'a> {
    // Not inlined, as it would be for each array.
    #[inline(never)]
    fn leaf(&mut self, shape: &'a [usize], _: &'a [isize], _: ElementType) {
        let meet = |extent: &mut usize, own: usize, fits: &mut bool| match *extent {
            1 => *extent = own,
            extent => *fits &= own == 1 || own == extent,
        };
        if self.dims.is_none() && shape.len() == self.shape.len() {
            let all = self.shape.iter_mut().zip(shape);
            return all.for_each(|(extent, &own)| meet(extent, own, &mut self.fits));
        }
        let all = self.dims.map_or(self.shape.len(), <[u16]>::len);
        let first = match all.checked_sub(shape.len()) {
            Some(first) if first == 0 || (self.last && self.dims.is_none()) => first,
            _ => return self.fits = false,
        };
        for (axis, &own) in (first..).zip(shape) {
            let to = self.dims.map_or(Some(axis), |dims| dims.get(axis).map(|&to| to.into()));
            match to.and_then(|to| self.shape.get_mut(to)) {
                Some(extent) => meet(extent, own, &mut self.fits),
                None => self.fits = false,
            }
        }
    }

    #[inline(always)]
    fn generated(&mut self, of: OfIndex<'a>) {
        if let Some(shape) = of.shape {
            self.leaf(shape, &[], of.element);
        }
    }

    #[inline(always)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        self.dims = dims.as_deref().ok();
        self.fits &= dims.is_ok();
    }

    #[inline(always)]
    fn end_along(&mut self) {
        self.dims = None;
    }

    #[inline(always)]
    fn numpy(&mut self) {
        self.last = true;
    }
}

/// How many of the last axes of a result of this shape make a row, at most all but one: along them
/// there are no gaps in its memory, nor in that of any array, each of which has all axes.
pub fn axes_of_rows<'a>(
    shape: &[usize],
    strides: &[isize],
    show: impl FnOnce(&mut dyn Visitor<'a>),
) -> usize {
    let mut rows = AxesOfRows { shape, axes: shape.len() - 1 };
    rows.meet(shape, strides);
    if rows.axes > 1 {
        show(&mut rows);
    }
    rows.axes
}

struct AxesOfRows<'s> {
    shape: &'s [usize],
    axes: usize,
}

impl AxesOfRows<'_> {
    fn meet(&mut self, shape: &[usize], strides: &[isize]) {
        let (mut axes, mut below) = (0, 1);
        for (&extent, &stride) in shape.iter().zip(strides).rev() {
            if stride != below && extent != 1 {
                break;
            }
            (axes, below) = (axes + 1, below * extent as isize);
        }
        self.axes = if shape == self.shape { self.axes.min(axes.max(1)) } else { 1 };
    }
}

impl<'a> Visitor<'a> for AxesOfRows<'_> {
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], _: ElementType) {
        self.meet(shape, strides);
    }

    fn generated(&mut self, _: OfIndex<'a>) {
        self.axes = 1;
    }

    fn along(&mut self, _: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        self.axes = 1;
    }
}

/// Of how many rows a result of this shape and these strides is, and of how many elements these:
/// along the last axes that are one walk, there and in all arrays, if those before them are, too.
/// And whether some array repeats.
pub fn merged_rows<'a>(
    shape: &[usize],
    strides: &[isize],
    show: impl FnOnce(&mut dyn Visitor<'a>),
) -> Option<((usize, usize), bool)> {
    let mut walks = Walks { shape, dims: None, last: None, repeats: false, fits: true };
    walks.meet(shape, strides, None);
    if walks.fits {
        show(&mut walks);
    }
    if !walks.fits || shape.contains(&0) {
        return None;
    }
    let (outer, row) = shape.split_at(walks.last.unwrap_or(0));
    Some(((outer.iter().product(), row.iter().product()), walks.repeats))
}

/// Where the axes of a result are two walks in all arrays.
struct Walks<'s, 'a> {
    shape: &'s [usize],
    /// The axes that the next arrays lie along, if not along all.
    dims: Option<&'a [u16]>,
    /// The first axis of the inner one, if they are not one.
    last: Option<usize>,
    repeats: bool,
    fits: bool,
}

impl Walks<'_, '_> {
    #[inline(always)]
    fn meet(&mut self, own: &[usize], strides: &[isize], dims: Option<&[u16]>) {
        let mut left = own.len();
        if left != dims.map_or(self.shape.len(), <[u16]>::len) || strides.len() < left {
            return self.fits = false;
        }
        let (mut inner, mut after) = (None, 0);
        for (axis, &extent) in self.shape.iter().enumerate().rev() {
            let lies = left > 0 && dims.is_none_or(|dims| usize::from(dims[left - 1]) == axis);
            left -= usize::from(lies);
            if extent == 1 {
                continue;
            }
            let repeats = !lies || own[left] == 1;
            self.repeats |= repeats;
            let stride = if repeats { 0 } else { strides[left] };
            if let Some(inner) = inner
                && stride != after
            {
                self.fits &= *self.last.get_or_insert(inner) == inner;
            }
            (inner, after) = (Some(axis), stride.wrapping_mul(extent as isize));
        }
    }
}

impl<'a> Visitor<'a> for Walks<'_, 'a> {
    // Not inlined, as it would be for each array.
    #[inline(never)]
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], _: ElementType) {
        match self.dims {
            _ if !self.fits => {}
            None => self.meet(shape, strides, None),
            dims => self.meet(shape, strides, dims),
        }
    }

    fn generated(&mut self, _: OfIndex<'a>) {
        self.fits = false;
    }

    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        self.fits &= dims.is_ok() && self.dims.is_none();
        self.dims = dims.as_deref().ok();
    }

    fn end_along(&mut self) {
        self.dims = None;
    }
}

/// The shape and the strides of the first array that does not lie along some axes only.
struct First<'a> {
    layout: Option<(&'a [usize], &'a [isize])>,
    /// The strides of the last one.
    last: &'a [isize],
    lifted: bool,
}

impl<'a> Visitor<'a> for First<'a> {
    #[inline(always)]
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], _: ElementType) {
        if !self.lifted {
            self.layout.get_or_insert((shape, strides));
            self.last = strides;
        }
    }

    #[inline(always)]
    fn along(&mut self, _: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        self.lifted = true;
    }

    #[inline(always)]
    fn end_along(&mut self) {
        self.lifted = false;
    }
}

/// To the memory of all arrays as it lies, because they all lie as the result does, of an
/// expression without buffers. As [`Binding::flat`](super::Binding::flat), but compiled as part of
/// the caller.
#[derive(Clone, Copy, Debug)]
struct Flat(usize);

impl<'a> Binder<'a> for Flat {
    type Leaf<T: Element> = Runs<'a, T>;

    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Runs<'a, L::Elem> {
        in_memory_order(array, self.0)
    }
}

/// As [`Flat`], with room for buffers.
struct FlatFew<'a> {
    len: usize,
    isa: Isa,
    room: Room<'a>,
    /// Whether the root has been met, and whether there was room for all.
    rooted: bool,
    fits: bool,
}

impl<'a> Binder<'a> for FlatFew<'a> {
    type Leaf<T: Element> = Runs<'a, T>;

    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Runs<'a, L::Elem> {
        in_memory_order(array, self.len)
    }

    #[inline(always)]
    fn operands(&mut self) {
        self.rooted = true;
    }

    #[inline(always)]
    fn op<T: Element>(&mut self, buffered: bool) -> Ready<'a, T> {
        let root = !std::mem::replace(&mut self.rooted, true);
        if root || !buffered {
            return Ready::Not;
        }
        Ready::few(&mut self.room, self.len, self.isa, None).unwrap_or_else(|| {
            self.fits = false;
            Ready::Not
        })
    }

    #[inline(always)]
    fn any(&mut self) -> Option<&mut Binding<'a>> {
        self.fits = false;
        None
    }
}

/// Whether two shapes are equal. For so few numbers, a function that compares memory takes longer
/// to call.
#[inline(always)]
pub fn is_same<T: Copy + PartialEq>(a: &[T], b: &[T]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(true, |same, (a, b)| same & (a == b))
}

/// 1 if the inner one of two axes lies within the outer one, -1 if it is the other way round, 0 if
/// it is neither.
#[inline(always)]
fn nesting(outer: isize, inner: isize) -> i8 {
    match outer == 0 || inner == 0 {
        true => 0,
        false => outer.unsigned_abs().cmp(&inner.unsigned_abs()) as i8,
    }
}

/// The [`nesting`] of each two axes that follow each other, if that is one.
#[inline(never)]
fn nesting_of(strides: &[isize]) -> i8 {
    let pairs = strides.windows(2).map(|pair| nesting(pair[0], pair[1]));
    pairs.reduce(|one, other| if one == other { one } else { 0 }).unwrap_or(0)
}
