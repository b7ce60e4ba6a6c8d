//! What is known of an expression by its type alone.

/// What is known of an expression by its type alone: what is decided by it is decided when the
/// program is compiled, and what it rules out is not compiled.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The simple operations for one element.
    pub cost: usize,
    /// Whether results of an operation in it go through a buffer where they are operands.
    pub buffered: bool,
    /// The same of operations that need a buffer even if their results do not repeat: see
    /// [`Op::FUSES`](crate::Op::FUSES).
    pub buffers: bool,
    /// The same of operations below the one at the root: computed as a whole, without such the
    /// expression needs no buffers.
    pub buffers_within: bool,
    /// Whether all arrays may lie alike: not if some lie along some axes of the result.
    pub alike: bool,
    /// Whether nothing but the result shows that an element has been computed: not so of an
    /// operation that is opaque, which may have effects, and may take long.
    pub pure: bool,
    /// Whether the operation at the root has rare arguments: see [`Op::RARE`](crate::Op::RARE).
    pub rare: bool,
    /// Whether some operation is made of multiply-adds: see
    /// [`Op::MULTIPLY_ADDS`](crate::Op::MULTIPLY_ADDS).
    pub multiply_adds: bool,
    /// Whether some operation takes several times as long for one element as for one of a vector.
    pub vectors: bool,
    /// What reductions know it as.
    pub form: Form,
    /// Whether there are arrays that it owns.
    pub owns: bool,
    /// Whether the elements lie in memory already: always, or never.
    pub in_memory: bool,
}

impl Facts {
    /// Of a leaf that is read where it lies.
    pub const LEAF: Facts = Facts {
        cost: 0,
        buffered: false,
        buffers: false,
        buffers_within: false,
        alike: true,
        pure: true,
        rare: false,
        multiply_adds: false,
        vectors: false,
        form: Form::Other,
        owns: false,
        in_memory: false,
    };

    /// Of an array.
    pub const ARRAY: Facts = Facts { form: Form::Array, in_memory: true, ..Facts::LEAF };

    /// Of one whose elements are computed, at this cost, into a buffer.
    pub const fn buffered(cost: usize) -> Facts {
        Facts { cost, buffered: true, buffers: true, buffers_within: true, ..Facts::LEAF }
    }

    /// Of several together.
    pub const fn together(parts: &[Facts]) -> Facts {
        let mut all = Facts { form: Form::together(parts), ..Facts::LEAF };
        let mut number = 0;
        while number < parts.len() {
            let part = &parts[number];
            all.cost += part.cost;
            all.buffered |= part.buffered;
            all.buffers |= part.buffers;
            all.alike &= part.alike;
            all.pure &= part.pure;
            all.multiply_adds |= part.multiply_adds;
            all.vectors |= part.vectors;
            all.owns |= part.owns;
            number += 1;
        }
        Facts { buffers_within: all.buffers, ..all }
    }

    /// Of one with its place in the result.
    pub const fn placed(self) -> Facts {
        Facts {
            buffers_within: self.buffers,
            form: Form::Other,
            owns: false,
            in_memory: false,
            ..self
        }
    }
}

/// What an expression is to reductions. Those of arrays, of squares, of products of two and of
/// squared differences are everywhere, and these are a few types for each type of elements,
/// whatever the arrays are: so they are folded as they are read. Anything else is a type by itself,
/// for which all kernels of reductions would be compiled once more, which takes seconds; so it is
/// computed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An array, perhaps along some axes.
    Array,
    /// One value.
    Scalar,
    /// Two arrays.
    Arrays,
    /// An array and a scalar.
    ArrayAndScalar,
    /// The product of two arrays, or the square of one.
    Product,
    /// The difference of two arrays, or of an array and a scalar.
    Difference,
    /// Two of these.
    Differences,
    /// The square of one, or the product of two.
    SquaredDifference,
    /// Anything else.
    Other,
}

impl Form {
    /// That of an expression that lies along some axes: arrays are so by themselves.
    pub const fn alone(self) -> Form {
        match self {
            Form::Array => Form::Array,
            _ => Form::Other,
        }
    }

    /// That of several expressions together.
    const fn together(parts: &[Facts]) -> Form {
        let [first, second] = parts else { return Form::Other };
        match (first.form, second.form) {
            (Form::Array, Form::Array) => Form::Arrays,
            (Form::Array, Form::Scalar) => Form::ArrayAndScalar,
            (Form::Difference, Form::Difference) => Form::Differences,
            _ => Form::Other,
        }
    }

    /// That of an operation of this name on what has this form.
    pub const fn of(op: Option<&str>, args: Form) -> Form {
        let Some(op) = op else { return Form::Other };
        match (args, op.as_bytes()) {
            (Form::Arrays, b"mul") | (Form::Array, b"square") => Form::Product,
            (Form::Arrays | Form::ArrayAndScalar, b"sub") => Form::Difference,
            (Form::Difference, b"square") | (Form::Differences, b"mul") => Form::SquaredDifference,
            _ => Form::Other,
        }
    }

    /// Whether it is folded as it is read.
    pub const fn is_folded(self) -> bool {
        matches!(self, Form::Array | Form::Product | Form::SquaredDifference)
    }
}
