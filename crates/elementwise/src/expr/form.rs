//! [`Form`]: the few expressions that reductions read as they are.

/// What an expression is to reductions. Those of arrays, of products of two and of squared
/// differences are everywhere, and these are a few types for each type of elements, whatever the
/// arrays are: so they are folded as they are read. Anything else is a type by itself, for which
/// all kernels of reductions would be compiled once more, which takes seconds; so it is computed
/// first.
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
    /// Their product.
    Product,
    /// Their difference.
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
    pub const fn together(parts: &[Form]) -> Form {
        match parts {
            [Form::Array, Form::Array] => Form::Arrays,
            [Form::Array, Form::Scalar] => Form::ArrayAndScalar,
            [Form::Difference, Form::Difference] => Form::Differences,
            _ => Form::Other,
        }
    }

    /// That of an operation of this name on what has this form.
    pub const fn of(op: Option<&str>, args: Form) -> Form {
        let Some(op) = op else { return Form::Other };
        match (args, op.as_bytes()) {
            (Form::Arrays, b"mul") => Form::Product,
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
