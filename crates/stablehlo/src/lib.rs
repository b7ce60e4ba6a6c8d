#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod definitions;
mod emit;
mod error;
mod lower;
mod module;
mod program;
mod reduce;
mod tree;
mod types;

pub use arrayfile::ElementKind;
pub use error::Error;
pub use module::{Argument, Module, ModuleResult, STABLEHLO_VERSION};
pub use program::{Program, Symbol, Value};

use elementwise::Expr;

/// An expression as a module of StableHLO: a function `main` of its arrays with one result.
///
/// The arrays are the arguments, in the order in which they are met, each once; their elements are
/// copied and can be written beside the module. Scalars are constants.
///
/// # Errors
/// [`Error::Shape`] if operands do not fit; [`Error::Opaque`] for closures, generators and
/// operations of one's own; [`Error::NoMeaning`] for operations that StableHLO does not have;
/// [`Error::Element`] for elements that it does not have.
///
/// ```
/// use elementwise::{Expr, UnaryMethods, array};
/// let (x, v) = (array![[1.0_f32, 2.0]], array![3.0_f32, 4.0]);
/// let module = stablehlo::to_stablehlo(&(&x + v.along([1]).exp()))?;
/// assert!(module.text().contains("@main(%arg0: tensor<1x2xf32>, %arg1: tensor<2xf32>)"));
/// // The exponential is computed at the size of `v`.
/// assert!(module.text().contains("stablehlo.exponential %arg1 : tensor<2xf32>"));
/// assert!(stablehlo::to_stablehlo(&x.map(|x| x + 1.0)).is_err());
/// # Ok::<(), stablehlo::Error>(())
/// ```
pub fn to_stablehlo<E: Expr>(expr: &E) -> Result<Module, Error> {
    let mut body = emit::Body::default();
    let mut arguments = program::Arguments::default();
    let result = tree::write(expr, &mut body, &mut arguments)?;
    let results = module::Tensors(vec![("result".to_string(), result)]);
    Ok(Module::new("main".to_string(), arguments.into_all(), body.text(), results))
}
