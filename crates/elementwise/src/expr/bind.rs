//! Binding: from an expression to what a kernel reads; and the visitors that find out whether that
//! takes a plan.
//!
//! Binders are asked in the order in which nodes are shown to visitors: so the next leaf is the
//! next operand of the plan.

use super::along::TooManyAxes;
use super::few::{Met, Reading};
use super::{Expr, Generator};
use crate::exec::Exec;
use crate::kernel::{Generated, Indices, Isa, Leaf, Ready, Repeats, Results, Source};
use crate::plan::{BLOCK_LEN, Operands, Plan};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{
    Axes, Dimension, Dyn, Element, Few, Heap, LayoutError, Packed, Room, Runs, Short, boxed,
};
use std::any::Any;

/// What can be looked at as a view: the leaves of expressions.
pub trait Viewed {
    /// The element type.
    type Elem: Element;
    /// The rank.
    type Rank: Dimension;

    /// The view.
    fn viewed(&self) -> View<'_, Self::Elem, Self::Rank>;

    /// All elements in the order of memory, if there are no gaps and as many as this.
    fn in_memory_order(&self, len: usize) -> Option<&[Self::Elem]>;

    /// Whether they lie in the output: then they are copied before it is written, run by run.
    #[inline(always)]
    fn is_lent(&self) -> bool {
        false
    }
}

/// What the nodes of an expression are bound by, in the order in which they are shown to a
/// [`Visitor`]. What is only asked of expressions with buffers has an answer here for those
/// without.
pub trait Binder<'a> {
    /// What arrays are bound to.
    type Leaf<T: Element>: Source<Elem = T>;

    /// An array.
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Self::Leaf<L::Elem>;

    /// What has been met in a result of this shape, if that is found out while few elements are
    /// bound.
    #[inline(always)]
    fn met(&mut self) -> Option<(&mut Met<'a>, &[usize])> {
        None
    }

    /// What follows lies along these axes of the result.
    #[inline(always)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>) {
        if let Some((met, _)) = self.met() {
            met.along(dims);
        }
    }

    /// What lies along axes has been bound.
    #[inline(always)]
    fn end_along(&mut self) {
        if let Some((met, _)) = self.met() {
            met.end_along();
        }
    }

    /// What follows lies along the last axes of the result. Returns what
    /// [`end_numpy`](Self::end_numpy) is given after it.
    #[inline(always)]
    fn numpy(&mut self) -> bool {
        self.met().is_some_and(|(met, _)| met.numpy())
    }

    /// It has been bound.
    #[inline(always)]
    fn end_numpy(&mut self, outer: bool) {
        if let Some((met, _)) = self.met() {
            met.end_numpy(outer);
        }
    }

    /// Elements that are a function of their index. They take loops, so few elements are not bound
    /// with them if nothing else is said.
    #[inline(always)]
    fn generated<G: Generator>(&mut self, _: &'a G) -> Generated<'a, G> {
        if let Some((met, _)) = self.met() {
            met.refuse();
        }
        Generated::All(Leaf::Absent)
    }

    /// The node that follows has the shape of its siblings, unless it is a scalar. Returns what
    /// [`end_exact`](Self::end_exact) is given after it.
    #[inline(always)]
    fn exact(&mut self) -> u64 {
        self.met().map_or(0, |(met, _)| met.enter())
    }

    /// It has been bound; `exact` is what was found of its siblings.
    #[inline(always)]
    fn end_exact(&mut self, entered: u64, exact: &mut Option<u64>) {
        if let Some((met, shape)) = self.met() {
            met.end_exact(entered, exact, shape);
        }
    }

    /// The operands of an operation without a buffer follow, or several.
    #[inline(always)]
    fn operands(&mut self) {}

    /// An operation whose results go through a buffer where it is an operand, always (`buffered`)
    /// or if they repeat: then where they are.
    #[inline(always)]
    fn op<T: Element>(&mut self, buffered: bool) -> Ready<'a, T> {
        let _ = buffered;
        Ready::Not
    }

    /// The operands follow of an operation that may be computed before the rest, as this one was if
    /// it is `hoisted`. Returns what [`leave`](Self::leave) is given after them.
    #[inline(always)]
    fn enter(&mut self, hoisted: bool) -> u64 {
        self.met().map_or(u64::from(hoisted), |(met, _)| met.enter())
    }

    /// They have been bound, of an operation of this cost, unless that is not known.
    #[inline(always)]
    fn leave(&mut self, entered: u64, cost: Option<usize>) {
        if let Some((met, shape)) = self.met() {
            met.leave(entered, cost, shape);
        }
    }

    /// As [`leave`](Self::leave), of a closure, of which it is not known what a call takes: where
    /// its results are, if they repeat.
    #[inline(always)]
    fn leave_calls<T: Element>(&mut self, entered: u64, ready: &mut Ready<'a, T>) {
        let _ = ready;
        self.leave(entered, None);
    }

    /// This binder by its type, if it binds expressions whose own type is not known: they go
    /// through a buffer.
    #[inline(always)]
    fn any(&mut self) -> Option<&mut Binding<'a>> {
        None
    }
}

/// Why an expression is not computed in some way.
#[derive(Debug)]
pub enum Unfit {
    /// It is not as plain as that: another way has to be taken.
    Way,
    /// For an error.
    Error(Error),
}

impl From<LayoutError> for Unfit {
    fn from(error: LayoutError) -> Self {
        Unfit::Error(error.into())
    }
}

/// For ways that fit everything.
impl From<Unfit> for Error {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::Error(error) => error,
            Unfit::Way => unreachable!("whatever can be planned can be bound"),
        }
    }
}

/// What was computed, if the way fits.
///
/// # Errors
/// Those that are not of the way.
pub fn fits<T>(result: Result<T, Unfit>) -> Result<Option<T>, Error> {
    match result {
        Ok(made) => Ok(Some(made)),
        Err(Unfit::Way) => Ok(None),
        Err(Unfit::Error(error)) => Err(error),
    }
}

/// By a plan, or without one: to what few elements are read from.
#[derive(Debug)]
pub struct Binding<'a> {
    shape: &'a [usize],
    way: Way<'a>,
    pub isa: Isa,
    /// The next operand, the next buffered operation, and the next leaf that is no array.
    next: usize,
    node: usize,
    index: usize,
    /// In how many operations that were computed before this node is.
    absent: u64,
    rooted: bool,
    /// Whether the operation that was met last is at the root.
    root: bool,
    /// Whether there was no memory for some of it.
    lacking: bool,
    /// Room for where leaves lie, and for the results of buffered operations, if they are few.
    room: Option<Room<'a>>,
    /// What was computed before, if it was found out what to compute.
    hoisted: Option<&'a Hoisted>,
    /// What was met of few elements.
    pub met: Met<'a>,
}

/// How the leaves are bound.
#[derive(Debug)]
enum Way<'a> {
    /// As a plan reads its operands.
    Planned { operands: &'a Operands, plan: &'a Plan },
    /// To their memory as it lies, because they all lie as the result does.
    Flat,
    /// If all of them can be read so.
    Few(Reading<'a>),
}

impl<'a> Binding<'a> {
    #[inline(always)]
    fn by(shape: &'a [usize], way: Way<'a>, isa: Isa) -> Self {
        Binding {
            shape,
            way,
            isa,
            next: 0,
            node: 0,
            index: 0,
            absent: 0,
            rooted: false,
            root: false,
            lacking: false,
            room: None,
            hoisted: None,
            met: Met::nothing(),
        }
    }

    /// To what few elements of a result of this shape are read from; whether all of them can be is
    /// what `met` says then.
    #[inline(always)]
    pub fn few(shape: &'a [usize], reading: Reading<'a>, isa: Isa) -> Self {
        Self::by(shape, Way::Few(reading), isa)
    }

    /// The same, for a result that is `ordered` as its operands are, or not.
    #[inline]
    pub fn ordered(mut self, ordered: bool) -> Self {
        self.met.any_order(!ordered);
        self
    }

    /// By a plan for a result of this shape.
    pub fn planned(
        shape: &'a [usize],
        operands: &'a Operands,
        plan: &'a Plan,
        hoisted: &'a Hoisted,
        isa: Isa,
    ) -> Self {
        Self::by(shape, Way::Planned { operands, plan }, isa).with_hoisted(Some(hoisted))
    }

    /// The same, with what was computed before, at its own size, if it was asked what is.
    #[inline]
    pub fn with_hoisted(mut self, hoisted: Option<&'a Hoisted>) -> Self {
        self.hoisted = hoisted;
        self
    }

    /// To memory as it lies, for a result of one loop of as many elements as all arrays have: see
    /// [`Alike`](super::Alike).
    pub fn flat(len: &'a [usize; 1], isa: Isa) -> Self {
        Self::by(len, Way::Flat, isa)
    }

    /// The same, with room for where leaves lie, and for buffers of few elements.
    #[inline]
    pub fn with_room(mut self, few: &'a mut Few) -> Self {
        self.room = Some(few.room());
        self
    }

    /// Of how many matrices rows are bound, if of several.
    #[inline]
    pub fn slabs(&self) -> usize {
        match self.way {
            Way::Few(Reading::Slabs { some: (_, count), .. }) => count,
            _ => 1,
        }
    }

    /// Whether what has been bound can be used; in a new result if it is `new`, which is in
    /// row-major order.
    ///
    /// # Errors
    /// If it does not fit, or there was no memory.
    // Not inlined: it does not depend on the expression.
    #[inline(never)]
    pub fn fits(&self, new: bool) -> Result<(), Unfit> {
        if self.lacking {
            return Err(Unfit::Error(Error::no_memory()));
        }
        let fits = match self.way {
            Way::Few(Reading::Nested { as_they_lie: true, .. }) => self.met.all_row_major(),
            Way::Few(_) => self.met.row_major().is_some_and(|row_major| row_major || !new),
            _ => true,
        };
        if fits { Ok(()) } else { Err(Unfit::Way) }
    }

    /// Binds an expression. Not inlined: once for each expression, whatever becomes of it.
    #[inline(never)]
    pub fn bound<E: Expr>(&mut self, expr: &'a E) -> impl Source<Elem = E::Elem> + use<'a, E> {
        expr.bind(self)
    }

    /// What has been made, or nothing if there was no memory for it: then the source is not used.
    pub fn or_lacking<T>(&mut self, made: Option<T>) -> Option<T> {
        self.lacking |= made.is_none();
        made
    }

    /// The strides of the next operand along the loops of a plan, and the most elements of it that
    /// are read at a time.
    ///
    /// # Panics
    /// Without a plan.
    pub fn next_pieces(&mut self) -> (Short<isize>, usize) {
        let Way::Planned { plan, .. } = self.way else { unreachable!("pieces are planned") };
        self.next += 1;
        (Short::from_slice(plan.operand(self.next - 1)), plan.most_at_a_time())
    }

    /// How many elements a buffer is for: those of a run, or of a piece of one.
    fn buffer_len(&self) -> usize {
        match self.way {
            Way::Planned { plan, .. } => plan.run_len().min(plan.piece),
            // Of more, there are pieces.
            Way::Flat => self.shape[0].min(BLOCK_LEN),
            _ => self.shape.iter().product(),
        }
    }

    /// A buffer for so many elements.
    fn buffer<T: Element>(&mut self) -> Packed<T> {
        let mut buffer = Packed::new();
        self.lacking |= !buffer.reserve(self.buffer_len());
        buffer
    }

    /// As [`view`](Self::view), of few elements.
    #[inline(never)]
    fn few_of<L: Viewed>(&mut self, array: &'a L) -> Leaf<'a, L::Elem> {
        match &mut self.way {
            Way::Few(reading) if self.absent == 0 => {
                self.met.read(reading, self.shape, self.isa, array)
            }
            _ => Leaf::Absent,
        }
    }

    #[inline(never)]
    fn view<L: Viewed>(&mut self, array: &'a L) -> Leaf<'a, L::Elem> {
        if self.absent > 0 || self.lacking {
            return Leaf::Absent;
        }
        match &mut self.way {
            Way::Few(_) => Leaf::Absent,
            Way::Flat => {
                let runs = in_memory_order(array, self.shape[0]);
                let leaf = Leaf::flat_or_kept(runs, self.room.as_mut());
                self.or_lacking(leaf).unwrap_or(Leaf::Absent)
            }
            Way::Planned { operands, plan, .. } => {
                let number = self.next;
                self.next += 1;
                let dims = operands.get(number).dims.as_deref();
                let nested = array.viewed().nested(self.shape, dims, &plan.nest);
                let (access, lent) = (plan.access[number], array.is_lent());
                let (most, rows) = (plan.buffer_len(access), (plan.rows_along(), plan.stacked));
                let leaf = Leaf::nested(nested, access, lent, most, rows, self.isa);
                self.or_lacking(leaf).unwrap_or(Leaf::Absent)
            }
        }
    }

    /// Where the results of a buffered operation are.
    #[inline(never)]
    fn ready<T: Element>(&mut self, root: bool, buffered: bool) -> Ready<'a, T> {
        let node = self.node;
        self.node += 1;
        if root || self.absent > 0 || self.lacking {
            return Ready::Not;
        }
        if let Some(array) = self.hoisted.and_then(|hoisted| hoisted.get::<T>(node)) {
            let leaf = self.leaf(array);
            return self.kept(Results::Hoisted(leaf));
        }
        if !buffered {
            return Ready::Not;
        }
        let len = self.buffer_len();
        let (room, heap) = match &mut self.way {
            Way::Few(reading) => reading.room(),
            _ => (self.room.as_mut(), true),
        };
        match room.and_then(|room| Ready::few(room, len, self.isa, None)) {
            Some(ready) => ready,
            None if heap => {
                let results = Results::Buffer(self.buffer(), self.isa);
                self.kept(results)
            }
            None => {
                self.met.refuse();
                Ready::Not
            }
        }
    }

    fn kept<T: Element>(&mut self, results: Results<'a, T>) -> Ready<'a, T> {
        self.or_lacking(Heap::new(results)).map_or(Ready::Not, Ready::Kept)
    }
}

/// What [`Binder::enter`] returns of an operation that was computed before: nothing that was met.
const HOISTED: u64 = 1 << 63;

/// What it adds for the operation at the root, whose results are not read.
const ROOT: u64 = 1 << 62;

impl<'a> Binder<'a> for Binding<'a> {
    type Leaf<T: Element> = Leaf<'a, T>;

    #[inline(always)]
    fn leaf<L: Viewed>(&mut self, array: &'a L) -> Leaf<'a, L::Elem> {
        if matches!(self.way, Way::Few(_)) { self.few_of(array) } else { self.view(array) }
    }

    #[inline(never)]
    fn generated<G: Generator>(&mut self, generator: &'a G) -> Generated<'a, G> {
        match &mut self.way {
            Way::Few(_) if self.absent > 0 => Generated::All(Leaf::Absent),
            Way::Few(reading) => {
                let leaf = self.met.generated(reading, self.shape, self.isa, generator);
                Generated::All(leaf)
            }
            Way::Planned { operands, plan, .. } if self.absent == 0 && !self.lacking => {
                let dims = *operands.placed(self.index);
                self.index += 1;
                let indices = Indices::nested(self.shape, &plan.nest, dims, plan.run_axis);
                let walked = Generated::walked(generator, indices, self.buffer());
                self.or_lacking(walked).unwrap_or(Generated::All(Leaf::Absent))
            }
            // It is not read; such an expression does not lie as its arrays do.
            Way::Planned { .. } | Way::Flat => Generated::All(Leaf::Absent),
        }
    }

    // Those below are not inlined, as each would be for each node.
    #[inline(never)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>) {
        if let Some((met, _)) = self.met() {
            met.along(dims);
        }
    }

    #[inline(always)]
    fn met(&mut self) -> Option<(&mut Met<'a>, &[usize])> {
        let met = self.absent == 0 && matches!(self.way, Way::Few(_));
        met.then_some((&mut self.met, self.shape))
    }

    #[inline(always)]
    fn operands(&mut self) {
        self.rooted = true;
    }

    #[inline(always)]
    fn op<T: Element>(&mut self, buffered: bool) -> Ready<'a, T> {
        self.root = !std::mem::replace(&mut self.rooted, true);
        self.ready(self.root, buffered)
    }

    #[inline(always)]
    fn enter(&mut self, hoisted: bool) -> u64 {
        match self.way {
            Way::Few(_) if self.absent == 0 && !hoisted => {
                self.met.enter() | if self.root { ROOT } else { 0 }
            }
            _ => {
                self.absent += u64::from(hoisted);
                if hoisted { HOISTED } else { 0 }
            }
        }
    }

    #[inline(never)]
    fn leave(&mut self, entered: u64, cost: Option<usize>) {
        match self.way {
            _ if entered == HOISTED => self.absent -= 1,
            Way::Few(_) if self.absent == 0 => {
                // What is worth it was computed before, if it was asked what is.
                let cost = if self.hoisted.is_some() { Some(0) } else { cost };
                self.met.leave(entered & !ROOT, cost, self.shape);
            }
            _ => {}
        }
    }

    #[inline(never)]
    fn leave_calls<T: Element>(&mut self, entered: u64, ready: &mut Ready<'a, T>) {
        if self.absent == 0
            && entered & ROOT == 0
            && self.hoisted.is_none()
            && let Way::Few(reading) = &mut self.way
            && let (Some(room), _) = reading.room()
            && let Some(axes) = self.met.repeats(self.shape)
            && let len = self.shape.iter().product()
            && let repeats = Some(Repeats { shape: self.shape, axes })
            && let Some(few) = Ready::few(room, len, self.isa, repeats)
        {
            *ready = few;
            return self.met.leave(entered, Some(0), self.shape);
        }
        self.leave(entered, None);
    }

    #[inline(never)]
    fn end_exact(&mut self, entered: u64, exact: &mut Option<u64>) {
        // Who asked what to compute before has compared the shapes.
        let checked = self.hoisted.is_some();
        if let Some((met, shape)) = self.met() {
            if checked {
                met.leave(entered, Some(0), shape);
            } else {
                met.end_exact(entered, exact, shape);
            }
        }
    }

    fn any(&mut self) -> Option<&mut Binding<'a>> {
        Some(self)
    }
}

/// An array that lies as the result does: none of its elements if it does not, which the kernel
/// refuses. Where this could panic, leaves that are bound already would have to be dropped then, so
/// they would lie in memory, and be waited for.
#[inline(always)]
pub fn in_memory_order<L: Viewed>(array: &L, len: usize) -> Runs<'_, L::Elem> {
    array.in_memory_order(len).unwrap_or_default().into()
}

impl<T: Element, R: Dimension> Viewed for Array<T, R> {
    type Elem = T;
    type Rank = R;

    #[inline(always)]
    fn viewed(&self) -> View<'_, T, R> {
        self.view()
    }

    #[inline(always)]
    fn in_memory_order(&self, len: usize) -> Option<&[T]> {
        self.memory_from_first(len)
    }
}

/// What was computed before the rest, at its own size: for each buffered operation, if it was.
#[derive(Debug, Default)]
pub struct Hoisted(Vec<Option<Box<dyn Any + Send + Sync>>>);

impl Hoisted {
    fn get<T: Element>(&self, node: usize) -> Option<&Array<T, Dyn>> {
        let array = self.0.get(node)?.as_ref()?;
        Some(array.downcast_ref().expect("it was computed by the same operation"))
    }
}

/// Computes what is computed before the rest.
#[derive(Debug)]
pub struct Hoisting<'h> {
    extents: &'h [Option<Axes<usize>>],
    pub exec: &'h Exec,
    done: Hoisted,
    /// In how many operations that have been computed this node is.
    within: usize,
}

impl<'h> Hoisting<'h> {
    /// By the decisions of [`Operands::hoists`].
    ///
    /// # Errors
    /// If there is no memory for a list of as many.
    pub fn new(extents: &'h [Option<Axes<usize>>], exec: &'h Exec) -> Result<Self, Error> {
        let mut done = Vec::new();
        done.try_reserve_exact(extents.len()).map_err(|_| Error::no_memory())?;
        Ok(Hoisting { extents, exec, done: Hoisted(done), within: 0 })
    }

    /// The next buffered operation: computes it by `compute` if it was decided so, and then calls
    /// `inner` for its operands.
    pub fn node<T: Element>(
        &mut self,
        compute: impl FnOnce(&[usize], &Exec) -> Result<Array<T, Dyn>, Error>,
        inner: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let extents = self.extents[self.done.0.len()].filter(|_| self.within == 0);
        let Some(extents) = extents else {
            self.done.0.push(None);
            return inner(self);
        };
        let array = compute(&extents, self.exec)?;
        self.done.0.push(Some(boxed(array).ok_or_else(Error::no_memory)?));
        self.within += 1;
        let result = inner(self);
        self.within -= 1;
        result
    }

    /// The next buffered operation is the whole expression, which is not computed before itself.
    pub fn root(&mut self) {
        debug_assert!(self.extents[self.done.0.len()].is_none(), "it is at the root");
        self.done.0.push(None);
    }

    /// What was computed.
    pub fn finish(self) -> Hoisted {
        self.done
    }
}
