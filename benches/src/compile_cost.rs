//! What an expression costs to compile: crates of a hundred functions are generated, built, touched
//! and built again.

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, SectionKind};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What an operation applies to.
#[derive(Debug)]
enum Node {
    /// A matrix: `a` or `b`.
    Matrix(char),
    /// The vector `v`, along the rows.
    Row,
    /// The vector `c`, along the columns.
    Column,
    /// A number.
    Scalar(f32),
    /// An operation of one operand.
    Unary(&'static str, Box<Node>),
    /// An operation of two.
    Binary(&'static str, Box<Node>, Box<Node>),
}

/// A generator of expressions of 2 to 6 operations; the same ones each time.
#[derive(Debug)]
struct Generator(u64);

impl Generator {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// A matrix computed by this many operations.
    fn matrix(&mut self, ops: usize) -> Node {
        if ops == 0 {
            return Node::Matrix(['a', 'b'][self.below(2)]);
        }
        if self.below(4) == 0 {
            return Node::Unary(["sqrt", "abs"][self.below(2)], Box::new(self.matrix(ops - 1)));
        }
        let op = ["+", "-", "*", "/", "max", "min"][self.below(6)];
        let right_ops = if self.below(3) == 0 { self.below(ops) } else { 0 };
        let right = if right_ops == 0 { self.leaf() } else { self.matrix(right_ops) };
        Node::Binary(op, Box::new(self.matrix(ops - 1 - right_ops)), Box::new(right))
    }

    fn leaf(&mut self) -> Node {
        match self.below(5) {
            0 => Node::Row,
            1 => Node::Column,
            2 => Node::Scalar([0.5, 2.0, 3.25][self.below(3)]),
            _ => self.matrix(0),
        }
    }
}

/// Expressions no two of which are alike.
fn expressions(count: usize) -> Vec<Node> {
    let (mut generator, mut seen, mut all) = (Generator(1), HashSet::new(), Vec::new());
    while all.len() < count {
        let ops = 2 + generator.below(5);
        let node = generator.matrix(ops);
        if seen.insert(zerostride(&node)) {
            all.push(node);
        }
    }
    all
}

/// The expression as a user of zerostride writes it.
fn zerostride(node: &Node) -> String {
    match node {
        Node::Matrix(name) => name.to_string(),
        Node::Row => "v.along([1])".to_owned(),
        Node::Column => "c.along([0])".to_owned(),
        Node::Scalar(value) => format!("{value:?}"),
        Node::Unary(op, operand) => format!("{}.{op}()", zerostride(operand)),
        Node::Binary(op, left, right) => {
            let (left, right) = (zerostride(left), zerostride(right));
            match *op {
                "max" => format!("{left}.maximum({right})"),
                "min" => format!("{left}.minimum({right})"),
                op => format!("({left} {op} {right})"),
            }
        }
    }
}

/// The expression as a user of `ndarray` writes it, each step a new array.
fn ndarray(node: &Node) -> String {
    match node {
        Node::Matrix(name) => name.to_string(),
        Node::Row => "v".to_owned(),
        Node::Column => "c".to_owned(),
        Node::Scalar(value) => format!("{value:?}"),
        Node::Unary(op, operand) => format!("{}.mapv(f32::{op})", ndarray(operand)),
        Node::Binary(op @ ("max" | "min"), left, right) => match **right {
            Node::Scalar(value) => format!("{}.mapv(|x| x.{op}({value:?}))", ndarray(left)),
            _ => format!(
                "Zip::from({}).and_broadcast({}).map_collect(|x, y| x.{op}(*y))",
                nd_reference(left),
                nd_reference(right)
            ),
        },
        Node::Binary(op, left, right) => format!("({} {op} {})", ndarray(left), ndarray(right)),
    }
}

fn nd_reference(node: &Node) -> String {
    let computed = matches!(node, Node::Unary(..) | Node::Binary(..));
    format!("{}{}", if computed { "&" } else { "" }, ndarray(node))
}

/// What becomes of the expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// New arrays.
    Results,
    /// Sums, maxima and means, of all elements or along an axis.
    Reductions,
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Results => "results",
            Kind::Reductions => "reductions",
        }
    }

    /// What the function of this number returns, and how users of both libraries write that.
    fn of(self, number: usize) -> (&'static str, [&'static str; 2]) {
        match (self, number % 4) {
            (Kind::Results, _) => ("Array2<f32>", [".eval()", ""]),
            (_, 0) => ("f32", [".sum()", ".sum()"]),
            (_, 1) => ("Array1<f32>", [".sum_axis(1)", ".sum_axis(Axis(1))"]),
            (_, 2) => ("f32", [".max()", ".fold(f32::MIN, |max, &x| max.max(x))"]),
            _ => ("Array1<f32>", [".mean_axis(0)", ".mean_axis(Axis(0)).unwrap()"]),
        }
    }
}

/// Which library the generated crate uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Ours, fused.
    Zerostride,
    /// The baseline, eager.
    Ndarray,
}

impl Library {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Library::Zerostride => "zerostride",
            Library::Ndarray => "ndarray",
        }
    }

    fn source(self, kind: Kind, count: usize) -> String {
        let mut source = String::from("#![allow(unused)]\n");
        source += match self {
            Library::Zerostride => "use zerostride::prelude::*;\n",
            Library::Ndarray => "use ndarray::{Array1, Array2, Axis, Zip};\n",
        };
        for (number, node) in expressions(count).iter().enumerate() {
            let (array, [ours, theirs]) = kind.of(number);
            let (result, body) = match self {
                Library::Zerostride => (
                    format!("Result<{array}, zerostride::Error>"),
                    format!("{}{ours}", zerostride(node)),
                ),
                Library::Ndarray => (
                    array.to_owned(),
                    format!(
                        "let c = &c.view().insert_axis(Axis(1));\n    {}{theirs}",
                        ndarray(node)
                    ),
                ),
            };
            // Not inlined: small functions are otherwise left for other crates to compile.
            write!(
                source,
                "\n#[inline(never)]\npub fn f{number}(a: &Array2<f32>, b: &Array2<f32>, c: &Array1<f32>, v: &Array1<f32>) \
                 -> {result} {{\n    {body}\n}}\n"
            )
            .expect("strings take all");
        }
        source
    }

    fn dependency(self, workspace: &Path) -> String {
        match self {
            Library::Zerostride => {
                format!(
                    "zerostride = {{ path = {:?} }}",
                    workspace.join("crates").join("zerostride")
                )
            }
            Library::Ndarray => "ndarray = \"0.17\"".to_owned(),
        }
    }
}

/// What a crate of some functions costs.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Milliseconds to build it again after it was touched.
    pub rebuild: f64,
    /// Bytes of machine code in it.
    pub code: u64,
}

/// A generated crate.
#[derive(Debug)]
pub struct Crate {
    name: String,
    folder: PathBuf,
    source: String,
}

impl Crate {
    /// Writes the crate into `folder`: `count` functions over `library`, found in `workspace` if it
    /// is ours.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn generate(
        library: Library,
        (kind, count): (Kind, usize),
        folder: &Path,
        workspace: &Path,
    ) -> std::io::Result<Crate> {
        let name = format!("cost_{}_{}_{count}", library.name(), kind.name());
        let folder = folder.join(&name);
        std::fs::create_dir_all(folder.join("src"))?;
        // The same versions as here; and a workspace of its own, wherever it lies.
        std::fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        let dependency = library.dependency(workspace);
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependency}\n\n[workspace]\n"
        );
        std::fs::write(folder.join("Cargo.toml"), manifest)?;
        Ok(Crate { name, folder, source: library.source(kind, count) })
    }

    /// Builds it, then touches it and builds it again this many times; the median of the latter.
    ///
    /// # Errors
    /// What the compiler says, if it does not build.
    pub fn cost(&self, times: usize) -> Result<Cost, String> {
        self.touch(0)?;
        self.build()?;
        let mut samples = Vec::new();
        for time in 1..=times {
            self.touch(time)?;
            let start = Instant::now();
            self.build()?;
            samples.push(start.elapsed().as_secs_f64() * 1e3);
        }
        let library = self.target().join("release").join(format!("lib{}.rlib", self.name));
        let data =
            std::fs::read(&library).map_err(|error| format!("{}: {error}", library.display()))?;
        Ok(Cost {
            rebuild: crate::timing::median(samples),
            code: code_bytes(&data).map_err(|error| error.to_string())?,
        })
    }

    /// Changes the source in a place that changes no code.
    fn touch(&self, time: usize) -> Result<(), String> {
        let path = self.folder.join("src").join("lib.rs");
        std::fs::write(&path, format!("// {time}\n{}", self.source))
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    fn build(&self) -> Result<(), String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--release", "--quiet", "--target-dir"])
            .arg(self.target())
            .current_dir(&self.folder)
            .output()
            .map_err(|error| format!("cargo: {error}"))?;
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    fn target(&self) -> PathBuf {
        self.folder.with_file_name("target")
    }
}

/// The bytes of machine code in a static library: of all sections of all its objects that hold
/// code.
fn code_bytes(library: &[u8]) -> object::Result<u64> {
    let mut bytes = 0;
    for member in ArchiveFile::parse(library)?.members() {
        let member = member?;
        if !member.name().ends_with(b".o") {
            continue; // The crate's metadata.
        }
        let file = object::File::parse(member.data(library)?)?;
        bytes += file
            .sections()
            .filter(|section| section.kind() == SectionKind::Text)
            .map(|s| s.size())
            .sum::<u64>();
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_as_asked_for() {
        let all = expressions(100);
        let texts: HashSet<String> = all.iter().map(zerostride).collect();
        assert_eq!(texts.len(), 100);
        assert!(texts.iter().filter(|text| text.contains("along")).count() > 20);
        for op in [" + ", " - ", " * ", " / ", ".maximum(", ".minimum(", ".sqrt()", ".abs()"] {
            assert!(texts.iter().any(|text| text.contains(op)), "{op}");
        }
    }
}
