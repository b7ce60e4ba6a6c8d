//! [`Module`]: the text, and the arguments beside it.

use crate::emit::{Tensor, type_of};
use crate::error::Error;
use crate::types::Kind;
use arrayfile::{FileElement, FileError, npy};
use elementwise::ArrayD;
use std::any::Any;
use std::fmt;
use std::path::Path;

/// The version of StableHLO whose operations modules have: each is there in this version and later
/// ones, so that a module can be made a portable artifact of it.
pub const STABLEHLO_VERSION: &str = "1.4.0";

/// The elements of an argument.
#[derive(Clone)]
pub(crate) struct Stored(std::sync::Arc<dyn Write>);

trait Write: Send + Sync {
    fn write(&self, path: &Path) -> Result<(), FileError>;

    /// Whether the element of this number, in row-major order, has the bits of another.
    fn is(&self, number: usize, other: &dyn Any) -> bool;
}

impl<T: FileElement> Write for ArrayD<T> {
    fn write(&self, path: &Path) -> Result<(), FileError> {
        npy::write(path, self)
    }

    fn is(&self, number: usize, other: &dyn Any) -> bool {
        let own = self.as_slice().and_then(|all| all.get(number));
        own.zip(other.downcast_ref::<T>())
            .is_some_and(|(own, other)| bytemuck::bytes_of(own) == bytemuck::bytes_of(other))
    }
}

impl Stored {
    pub fn new<T: FileElement>(array: ArrayD<T>) -> Self {
        Stored(std::sync::Arc::new(array))
    }
}

/// An argument of the function of a [`Module`].
#[derive(Clone)]
pub struct Argument {
    name: String,
    kind: Kind,
    shape: Vec<usize>,
    elements: Option<Stored>,
}

impl fmt::Debug for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, type_of(self.kind, &self.shape))
    }
}

impl Argument {
    pub(crate) fn new(
        name: String,
        kind: Kind,
        shape: &[usize],
        elements: Option<Stored>,
    ) -> Argument {
        Argument { name, kind, shape: shape.to_vec(), elements }
    }

    /// Its name, and that of its file without `.npy`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its elements.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Whether its elements are known, and written beside the module.
    pub fn has_elements(&self) -> bool {
        self.elements.is_some()
    }

    /// What a closure makes of the question whether an element of some number is another.
    pub(crate) fn holds(
        &self,
        f: &mut dyn FnMut(&dyn Fn(usize, &dyn Any) -> bool) -> bool,
    ) -> bool {
        self.elements.as_ref().is_some_and(|stored| f(&|number, other| stored.0.is(number, other)))
    }

    pub(crate) fn tensor(&self) -> Tensor {
        Tensor { name: format!("%{}", self.name), kind: self.kind, shape: self.shape.clone() }
    }
}

/// Named tensors.
pub(crate) struct Tensors(pub Vec<(String, Tensor)>);

/// A result of the function of a [`Module`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleResult {
    name: String,
    kind: Kind,
    shape: Vec<usize>,
}

impl ModuleResult {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its elements.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
}

/// A module of StableHLO with one function, `main`, and the arrays that are its arguments.
#[derive(Clone, Debug)]
pub struct Module {
    name: String,
    text: String,
    arguments: Vec<Argument>,
    results: Vec<ModuleResult>,
}

impl Module {
    pub(crate) fn new(
        name: String,
        arguments: Vec<Argument>,
        body: &str,
        Tensors(results): Tensors,
    ) -> Module {
        let parameters: Vec<String> = arguments
            .iter()
            .map(|argument| format!("%{}: {}", argument.name, argument.tensor().mlir()))
            .collect();
        let types: Vec<String> = results.iter().map(|(_, tensor)| tensor.mlir()).collect();
        let values: Vec<&str> = results.iter().map(|(_, tensor)| tensor.name.as_str()).collect();
        let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
        let text = format!(
            "// StableHLO {STABLEHLO_VERSION}; results: {names}\n\
             module @{name} {{\n  \
               func.func public @main({parameters}) -> ({types}) {{\n\
             {body}    return {values} : {types}\n  }}\n}}\n",
            names = names.join(", "),
            parameters = parameters.join(", "),
            types = types.join(", "),
            values = values.join(", "),
        );
        let results = results
            .into_iter()
            .map(|(name, tensor)| ModuleResult { name, kind: tensor.kind, shape: tensor.shape })
            .collect();
        Module { name, text, arguments, results }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text, as MLIR reads it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The arguments of its function, in order.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// The results of its function, in order.
    pub fn results(&self) -> &[ModuleResult] {
        &self.results
    }

    /// Writes the module as `NAME.mlir` into a folder, which is made if it is not there, and the
    /// arguments whose elements are known beside it, each as `ARGUMENT.npy`.
    ///
    /// # Errors
    /// [`Error::Write`] and [`Error::File`], with the path.
    ///
    /// ```
    /// let folder = std::env::temp_dir().join(format!("stablehlo-{}", std::process::id()));
    /// let x = elementwise::array![1.0_f32, 2.0];
    /// stablehlo::to_stablehlo(&(&x * 2.0))?.write(&folder)?;
    /// assert!(folder.join("main.mlir").exists() && folder.join("arg0.npy").exists());
    /// # std::fs::remove_dir_all(folder).ok();
    /// # Ok::<(), stablehlo::Error>(())
    /// ```
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), Error> {
        let folder = folder.as_ref();
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| Error::Write { path, source }
        };
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        let path = folder.join(format!("{}.mlir", self.name));
        std::fs::write(&path, &self.text).map_err(failed(&path))?;
        for argument in &self.arguments {
            if let Some(elements) = &argument.elements {
                elements.0.write(&folder.join(format!("{}.npy", argument.name)))?;
            }
        }
        Ok(())
    }
}
