//! Differential tests against NumPy: random shapes, layouts and element types through every
//! operation of a table, each with the NumPy expression that computes the same.
//!
//! A question is made from its number alone, so that a recorded answer says all there is to say.

#![forbid(unsafe_code)]

mod rows;

use conformance::fuzz::Lying;
use conformance::random::Random;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The questions of the recorded sample: those of numbers from 0, small ones.
pub const RECORDED: u64 = 20_000;

/// How near a result has to be to NumPy's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Near {
    /// The same number: NaN for NaN, and zero for zero of either sign.
    Same,
    /// So many units in the last place.
    Ulp(u64),
    /// So many times the rounding error of the largest element (or of 1), for each element.
    Rounded(f64),
}

/// What is compared: the extents, and the elements as bits of this type.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The name of the element type.
    pub of: &'static str,
    /// The extents.
    pub shape: Vec<usize>,
    /// The elements in logical order.
    pub bits: Vec<u64>,
}

/// A question with the library's answer.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its number.
    pub number: u64,
    /// The line for NumPy.
    pub line: String,
    /// The program, as Rust text.
    pub program: String,
    /// How near the answers have to be.
    pub near: Near,
    /// What a rounding error is measured by.
    pub scale: f64,
    /// The library's answer, or its error.
    pub answer: Result<Values, String>,
}

/// The question of this number, with the library's answer; small ones, of at most some 24 elements,
/// are those that are recorded.
pub fn question(number: u64, small: bool) -> Question {
    let mut random = Random::new(Random::new(number ^ 0x6e70).bits());
    let mut question = rows::question(&mut random, small);
    question.number = number;
    question
}

/// The size of an element type, in bytes.
fn size_of_type(of: &str) -> usize {
    match of {
        "u8" | "bool" => 1,
        "f32" | "i32" => 4,
        _ => 8,
    }
}

/// An element type of the table.
pub(crate) trait Value: zerostride::Element + std::fmt::Debug {
    const NAME: &'static str;
    fn bits(self) -> u64;
    /// For the scale of rounding errors.
    fn magnitude(self) -> f64;
}

macro_rules! values {
    ($($type:ident: |$x:ident| $bits:expr, $magnitude:expr;)*) => {$(
        impl Value for $type {
            const NAME: &'static str = stringify!($type);
            fn bits(self) -> u64 { let $x = self; $bits }
            fn magnitude(self) -> f64 { let $x = self; $magnitude }
        }
    )*};
}
values! {
    f32: |x| u64::from(x.to_bits()), f64::from(x.abs());
    f64: |x| x.to_bits(), x.abs();
    i32: |x| u64::from(x as u32), f64::from(x).abs();
    i64: |x| x as u64, (x as f64).abs();
    u8: |x| u64::from(x), f64::from(x);
    bool: |x| u64::from(x), f64::from(u8::from(x));
    usize: |x| x as u64, x as f64;
}

/// Bytes as hexadecimal digits, the lowest byte of each element first.
fn hex(bits: &[u64], size: usize) -> String {
    let mut text = String::with_capacity(2 * bits.len() * size);
    for bits in bits {
        for byte in &bits.to_le_bytes()[..size] {
            let _ = write!(text, "{byte:02x}");
        }
    }
    text
}

fn listed<T: ToString>(list: &[T]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// An operand for NumPy.
fn operand<T: Value>(lying: &Lying<T>) -> String {
    let bits: Vec<u64> = lying.buffer.iter().map(|x| x.bits()).collect();
    format!(
        "{}:{}:{}:{}:{}",
        T::NAME,
        listed(&lying.shape),
        listed(&lying.strides),
        lying.offset,
        hex(&bits, size_of_type(T::NAME))
    )
}

impl Values {
    /// From `shape:hex`.
    pub fn parse(of: &'static str, text: &str) -> Option<Values> {
        let (shape, data) = text.split_once(':')?;
        let shape: Option<Vec<usize>> = match shape {
            "" => Some(vec![]),
            shape => shape.split(',').map(|extent| extent.parse().ok()).collect(),
        };
        let size = size_of_type(of);
        let bytes: Option<Vec<u8>> = (0..data.len() / 2)
            .map(|i| u8::from_str_radix(data.get(2 * i..2 * i + 2)?, 16).ok())
            .collect();
        let element =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        Some(Values { of, shape: shape?, bits: bytes?.chunks(size).map(element).collect() })
    }

    /// A number made of the values (FNV-1a), in which all NaN are one, and both zeros.
    fn digest(&self) -> String {
        let element = |&bits: &u64| match self.number(bits) {
            x if x.is_nan() => u64::MAX,
            0.0 => 0,
            _ => bits,
        };
        let numbers =
            self.shape.iter().map(|&extent| extent as u64).chain(self.bits.iter().map(element));
        let mix = |hash: u64, number: u64| {
            number
                .to_le_bytes()
                .iter()
                .fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
        };
        format!("#{:016x}", numbers.fold(0xcbf2_9ce4_8422_2325, mix))
    }

    fn number(&self, bits: u64) -> f64 {
        match self.of {
            "f32" => f64::from(f32::from_bits(bits as u32)),
            "f64" => f64::from_bits(bits),
            "i32" => f64::from(bits as u32 as i32),
            _ => bits as i64 as f64,
        }
    }

    /// How many floats lie between two.
    fn ulps(&self, a: u64, b: u64) -> u64 {
        let ordered = |bits: u64| match self.of {
            "f32" if (bits as i32) < 0 => i64::from(i32::MIN) - i64::from(bits as i32),
            "f32" => i64::from(bits as i32),
            _ if (bits as i64) < 0 => i64::MIN.wrapping_sub(bits as i64),
            _ => bits as i64,
        };
        (i128::from(ordered(a)) - i128::from(ordered(b))).unsigned_abs() as u64
    }

    /// Whether an element is near enough.
    fn is_near(&self, got: u64, want: u64, near: Near, scale: f64) -> bool {
        if got == want || !self.of.starts_with('f') {
            return got == want;
        }
        let (g, w) = (self.number(got), self.number(want));
        if g == w || (g.is_nan() && w.is_nan()) {
            return true;
        }
        match near {
            Near::Same => false,
            Near::Ulp(ulps) => !g.is_nan() && !w.is_nan() && self.ulps(got, want) <= ulps,
            Near::Rounded(times) => {
                let epsilon = if self.of == "f32" { f64::from(f32::EPSILON) } else { f64::EPSILON };
                (g - w).abs() <= times * epsilon * scale.max(w.abs())
            }
        }
    }
}

impl Question {
    /// What is wrong with the library's answer, if this is NumPy's.
    pub fn problem(&self, numpy: &str) -> Option<String> {
        let numpy = numpy.trim_end();
        let (got, want) = match (&self.answer, numpy) {
            (Err(_), "error") => return None,
            (Err(err), _) => return Some(format!("It is refused ({err}), NumPy says {numpy}.")),
            (Ok(got), "error") => return Some(format!("NumPy refuses, it is {got:?}.")),
            (Ok(got), text) => (got, Values::parse(got.of, text)?),
        };
        if got.shape != want.shape || got.bits.len() != want.bits.len() {
            return Some(format!("It has shape {:?}, NumPy's has {:?}.", got.shape, want.shape));
        }
        let wrong = |&i: &usize| !got.is_near(got.bits[i], want.bits[i], self.near, self.scale);
        let first = (0..got.bits.len()).find(wrong)?;
        let [got, want] = [got.bits[first], want.bits[first]].map(|bits| (bits, want.number(bits)));
        Some(format!(
            "Element {first} is {:e} ({:#x}), NumPy's {:e} ({:#x}); it should be {:?}.",
            got.1, got.0, want.1, want.0, self.near
        ))
    }

    /// NumPy's answer, as it is recorded: in full, or, where the library has to give the same and
    /// it is long, by a number made of it.
    pub fn recorded(&self, numpy: &str) -> String {
        let numpy = numpy.trim_end();
        let values = self.answer.as_ref().ok().and_then(|got| Values::parse(got.of, numpy));
        match values {
            Some(values) if self.near == Near::Same && numpy.len() > 20 => values.digest(),
            _ => numpy.to_owned(),
        }
    }

    /// What is wrong with the library's answer, if this was recorded.
    pub fn problem_with_record(&self, record: &str) -> Option<String> {
        if !record.starts_with('#') {
            return self.problem(record);
        }
        match &self.answer {
            Err(err) => Some(format!("It is refused: {err}")),
            Ok(own) if own.digest() != record => Some(format!("It is {own:?}, NumPy's is not.")),
            Ok(_) => None,
        }
    }
}

/// A running NumPy.
#[derive(Debug)]
pub struct NumPy {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl NumPy {
    /// Starts this Python, which needs NumPy 2.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(python: &str) -> io::Result<NumPy> {
        let mut child = Command::new(python)
            .args(["-c", include_str!("numpy.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (questions, answers) = (child.stdin.take(), child.stdout.take());
        let missing = || io::Error::other("no pipe to Python");
        Ok(NumPy { child, questions, answers: BufReader::new(answers.ok_or_else(missing)?) })
    }

    /// The answers to some questions, few enough for a pipe.
    ///
    /// # Errors
    /// If Python has ended.
    pub fn ask(&mut self, questions: &[Question]) -> io::Result<Vec<String>> {
        let mut pipe =
            self.questions.take().ok_or_else(|| io::Error::other("no pipe to Python"))?;
        let lines: String = questions.iter().map(|question| question.line.clone() + "\n").collect();
        // Apart, because Python begins to answer before it has read all.
        let writer = std::thread::spawn(move || pipe.write_all(lines.as_bytes()).map(|()| pipe));
        let mut answers = Vec::new();
        for _ in questions {
            let mut line = String::new();
            if self.answers.read_line(&mut line)? == 0 {
                return Err(io::Error::other("Python has ended"));
            }
            answers.push(line);
        }
        let pipe = writer.join().map_err(|_| io::Error::other("the pipe broke"))??;
        self.questions = Some(pipe);
        Ok(answers)
    }
}

impl Drop for NumPy {
    fn drop(&mut self) {
        drop(self.questions.take());
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::{RECORDED, question};

    /// NumPy's answers, one line for each question from 0 on, small ones: `differ --record` writes
    /// them.
    const RECORD: &str = include_str!("../numpy.txt");

    #[test]
    fn recorded_answers_of_numpy() {
        let (mut failures, mut compared) = (Vec::new(), 0);
        for (number, record) in (0..).zip(RECORD.lines()) {
            let question = question(number, true);
            compared += 1;
            if let Some(problem) = question.problem_with_record(record) {
                failures.push(format!("// Question {number}. {problem}\n{}", question.program));
            }
        }
        let shown = failures.iter().take(5).cloned().collect::<Vec<_>>().join("\n\n");
        assert!(failures.is_empty(), "{} of {compared} fail:\n{shown}", failures.len());
        assert_eq!(compared, RECORDED, "a line for each question");
    }
}
