//! The naive definition: arrays as a shape and their elements in logical order, every result
//! computed index by index.
//!
//! Nothing here is shared with the library, and nothing is clever: this is what its answers are
//! compared with.

pub mod convert;
pub mod half;
pub mod scalar;

/// An array: its extents, and its elements in logical (row-major) order.
#[derive(Clone, Debug, PartialEq)]
pub struct Naive<T> {
    /// The extents.
    pub shape: Vec<usize>,
    /// The elements, the last index running fastest.
    pub data: Vec<T>,
}

/// The number of elements of a shape.
pub fn size(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// The index of element `number` in logical order.
pub fn index_of(shape: &[usize], number: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    let mut rest = number;
    for axis in (0..shape.len()).rev() {
        index[axis] = rest % shape[axis];
        rest /= shape[axis];
    }
    index
}

/// The number of the element with this index in logical order.
pub fn number_of(shape: &[usize], index: &[usize]) -> usize {
    let mut number = 0;
    for axis in 0..shape.len() {
        assert!(index[axis] < shape[axis], "index {index:?} in shape {shape:?}");
        number = number * shape[axis] + index[axis];
    }
    number
}

/// Calls `f` with every index of a shape in logical order.
pub fn for_each_index(shape: &[usize], mut f: impl FnMut(&[usize])) {
    let mut index = vec![0; shape.len()];
    for _ in 0..size(shape) {
        f(&index);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

impl<T: Copy> Naive<T> {
    /// The array whose element at each index is a function of that index.
    pub fn from_fn(shape: &[usize], mut value: impl FnMut(&[usize]) -> T) -> Self {
        let mut data = Vec::with_capacity(size(shape));
        for_each_index(shape, |index| data.push(value(index)));
        Naive { shape: shape.to_vec(), data }
    }

    /// The array whose elements are a function of their number in logical order.
    pub fn numbered(shape: &[usize], value: impl FnMut(usize) -> T) -> Self {
        Naive { shape: shape.to_vec(), data: (0..size(shape)).map(value).collect() }
    }

    /// The element at an index.
    pub fn at(&self, index: &[usize]) -> T {
        self.data[number_of(&self.shape, index)]
    }

    /// A function of each element.
    pub fn map<U: Copy>(&self, f: impl FnMut(T) -> U) -> Naive<U> {
        Naive { shape: self.shape.clone(), data: self.data.iter().copied().map(f).collect() }
    }

    /// The array replicated to `shape`: its axis `i` lies along axis `dims[i]`, and an extent of 1
    /// stands for every index.
    pub fn replicated(&self, shape: &[usize], dims: &[usize]) -> Naive<T> {
        let mut own = vec![0; self.shape.len()];
        Naive::from_fn(shape, |index| {
            for i in 0..own.len() {
                own[i] = if self.shape[i] == 1 { 0 } else { index[dims[i]] };
            }
            self.at(&own)
        })
    }
}

/// `f` of two arrays by the binary rule, or `None` if it refuses them.
pub fn binary<A: Copy, B: Copy, U: Copy>(
    lhs: &Naive<A>,
    rhs: &Naive<B>,
    dims: &[usize],
    f: impl Fn(A, B) -> U,
) -> Option<Naive<U>> {
    let shape = binary_shape(&lhs.shape, &rhs.shape, dims)?;
    let identity: Vec<usize> = (0..shape.len()).collect();
    let dims_of = |own: &[usize]| {
        // A scalar has no axes; the operand of lower rank lies along `dims`; the other one along
        // all axes.
        if own.len() == shape.len() { identity.clone() } else { dims.to_vec() }
    };
    let lhs = lhs.replicated(&shape, &dims_of(&lhs.shape));
    let rhs = rhs.replicated(&shape, &dims_of(&rhs.shape));
    Some(Naive { data: lhs.data.iter().zip(&rhs.data).map(|(&a, &b)| f(a, b)).collect(), shape })
}

/// `f` of three arrays of which the scalars stand for every index, or `None` if the others differ
/// in shape.
pub fn ternary<A: Copy, B: Copy, C: Copy, U: Copy>(
    (a, b, c): (&Naive<A>, &Naive<B>, &Naive<C>),
    f: impl Fn(A, B, C) -> U,
) -> Option<Naive<U>> {
    let shape = ternary_shape([&a.shape, &b.shape, &c.shape])?;
    Some(Naive::numbered(&shape, |i| {
        f(
            a.data[if a.shape.is_empty() { 0 } else { i }],
            b.data[if b.shape.is_empty() { 0 } else { i }],
            c.data[if c.shape.is_empty() { 0 } else { i }],
        )
    }))
}

/// Two extents along one axis: equal, or one of them 1.
fn meet(a: usize, b: usize) -> Option<usize> {
    if a == b || b == 1 {
        Some(a)
    } else if a == 1 {
        Some(b)
    } else {
        None
    }
}

/// The result's shape by XLA's binary rule, or `None` if it refuses these operands.
pub fn binary_shape(lhs: &[usize], rhs: &[usize], dims: &[usize]) -> Option<Vec<usize>> {
    if lhs.len() == rhs.len() {
        let identity: Vec<usize> = (0..lhs.len()).collect();
        if !dims.is_empty() && dims != identity {
            return None;
        }
        return (0..lhs.len()).map(|axis| meet(lhs[axis], rhs[axis])).collect();
    }
    let (small, large) = if lhs.len() < rhs.len() { (lhs, rhs) } else { (rhs, lhs) };
    if dims.len() != small.len() || !increasing_below(dims, large.len()) {
        return None;
    }
    (0..large.len())
        .map(|axis| match dims.iter().position(|&dim| dim == axis) {
            Some(own) => meet(small[own], large[axis]),
            None => Some(large[axis]),
        })
        .collect()
}

/// The result's shape by NumPy's rule: the last axes aligned.
pub fn numpy_shape(lhs: &[usize], rhs: &[usize]) -> Option<Vec<usize>> {
    let ndim = lhs.len().max(rhs.len());
    let filled = |shape: &[usize]| [vec![1; ndim - shape.len()], shape.to_vec()].concat();
    binary_shape(&filled(lhs), &filled(rhs), &[])
}

/// The result's shape of clamp and select, or `None`: the operands that are not scalars are alike.
pub fn ternary_shape(shapes: [&[usize]; 3]) -> Option<Vec<usize>> {
    let mut arrays = shapes.into_iter().filter(|shape| !shape.is_empty());
    let first = arrays.next().unwrap_or(&[]);
    arrays.all(|other| other == first).then(|| first.to_vec())
}

/// Whether `operand` broadcasts to `out` by StableHLO's rule, in which `dims` are distinct but in
/// any order.
pub fn broadcasts_to(operand: &[usize], out: &[usize], dims: &[usize]) -> bool {
    dims.len() == operand.len()
        && (0..dims.len()).all(|i| !dims[..i].contains(&dims[i]))
        && (0..dims.len())
            .all(|i| dims[i] < out.len() && (operand[i] == 1 || operand[i] == out[dims[i]]))
}

/// Whether it does so by the rule of XLA's builder, in which `dims` increase.
pub fn broadcasts_strictly_to(operand: &[usize], out: &[usize], dims: &[usize]) -> bool {
    broadcasts_to(operand, out, dims) && increasing_below(dims, out.len())
}

fn increasing_below(dims: &[usize], end: usize) -> bool {
    dims.windows(2).all(|pair| pair[0] < pair[1]) && dims.iter().all(|&dim| dim < end)
}
