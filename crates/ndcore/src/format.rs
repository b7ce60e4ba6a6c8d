//! `Display`, `Debug` and the number formats, in NumPy's style.

use crate::array::Array;
use crate::dimension::{Dimension, Dyn};
use crate::element::Item;
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use std::fmt::{self, Alignment, Write};

/// Arrays with more elements than this are shown with their middle left out.
const ELIDE_ABOVE: usize = 1000;
/// How many entries are then kept at either end of an axis.
const EDGE: usize = 3;

/// How each element is written: what the caller asks for between the braces.
struct Style {
    precision: Option<usize>,
    /// The least width, in which zeros fill the rest of a number if `zeros` is set.
    width: usize,
    zeros: bool,
    plus: bool,
    alternate: bool,
    fill: char,
    align: Alignment,
}

impl Style {
    fn of(f: &fmt::Formatter<'_>) -> Style {
        Style {
            precision: f.precision(),
            width: f.width().unwrap_or(0),
            zeros: f.sign_aware_zero_pad(),
            plus: f.sign_plus(),
            alternate: f.alternate(),
            fill: f.fill(),
            align: f.align().unwrap_or(Alignment::Right),
        }
    }
}

/// Writes a value by a style. The language has no way to hand a style on but to write it out, so
/// here is each combination of what has no value of its own.
macro_rules! write_by {
    ($style:expr, $text:expr, $value:expr, $kind:literal, alternate) => {
        if $style.alternate {
            write_by!(@plus $style, $text, $value, "#", $kind)
        } else {
            write_by!(@plus $style, $text, $value, "", $kind)
        }
    };
    ($style:expr, $text:expr, $value:expr, $kind:literal, plain) => {
        write_by!(@plus $style, $text, $value, "", $kind)
    };
    (@plus $style:expr, $text:expr, $value:expr, $alternate:literal, $kind:literal) => {
        if $style.plus {
            write_by!(@zeros $style, $text, $value, "+", $alternate, $kind)
        } else {
            write_by!(@zeros $style, $text, $value, "", $alternate, $kind)
        }
    };
    (@zeros $style:expr, $text:expr, $value:expr, $plus:literal, $alternate:literal, $kind:literal) => {
        match ($style.zeros, $style.precision) {
            (false, None) => write!($text, concat!("{:", $plus, $alternate, $kind, "}"), $value),
            (false, Some(precision)) => {
                write!($text, concat!("{:", $plus, $alternate, ".1$", $kind, "}"), $value, precision)
            }
            (true, None) => {
                write!($text, concat!("{:", $plus, $alternate, "01$", $kind, "}"), $value, $style.width)
            }
            (true, Some(precision)) => {
                let width = $style.width;
                write!($text, concat!("{:", $plus, $alternate, "01$.2$", $kind, "}"), $value, width, precision)
            }
        }
    };
}

/// Appends the text of an element.
type Text<'a, T> = &'a dyn Fn(&T, &mut String) -> fmt::Result;

/// Writes the elements as nested brackets. All are padded to the width of the widest one shown.
fn write_elements<T: Item, R: Dimension, E>(
    view: &View<'_, T, R, E>,
    f: &mut fmt::Formatter<'_>,
    style: &Style,
    text: Text<'_, T>,
) -> fmt::Result {
    let view = view.as_dyn();
    // An array without elements may still have axes of any extent.
    let lines = view.shape().iter().map(|extent| (*extent).max(1)).fold(1, usize::saturating_mul);
    let elide = lines > ELIDE_ABOVE && !style.alternate;
    // Each is made once, and all lie one after the other: numbers take long.
    let (mut width, mut texts, mut ends) = (style.width, String::new(), Vec::new());
    for_shown(&view, elide, &mut |value| {
        let start = texts.len();
        text(value, &mut texts)?;
        width = width.max(texts[start..].chars().count());
        ends.push(texts.len());
        Ok(())
    })?;
    // At once: to hand on each piece takes as long as to make it.
    let (mut out, mut start, mut ends) = (String::new(), 0, ends.into_iter());
    write_axis(view.shape(), &mut out, elide, 0, &mut |out| {
        let end = ends.next().expect("a text for each element that is shown");
        push_padded(out, &texts[std::mem::replace(&mut start, end)..end], width, style);
    });
    f.write_str(&out)
}

/// Not by a width between braces, which is limited to 65,535.
fn push_padded(out: &mut String, text: &str, width: usize, style: &Style) {
    let missing = width.saturating_sub(text.chars().count());
    let before = match style.align {
        Alignment::Left => 0,
        Alignment::Center => missing / 2,
        Alignment::Right => missing,
    };
    out.extend(std::iter::repeat_n(style.fill, before));
    out.push_str(text);
    out.extend(std::iter::repeat_n(style.fill, missing - before));
}

/// The indices of an axis that are shown, `None` standing for what is left out.
fn shown(extent: usize, elide: bool) -> impl Iterator<Item = Option<usize>> {
    let cut = elide && extent > 2 * EDGE;
    let head = if cut { EDGE } else { extent };
    let tail = if cut { extent - EDGE } else { extent };
    (0..head).map(Some).chain(cut.then_some(None)).chain((tail..extent).map(Some))
}

fn for_shown<T: Item, E>(
    view: &View<'_, T, Dyn, E>,
    elide: bool,
    visit: &mut dyn FnMut(&T) -> fmt::Result,
) -> fmt::Result {
    match view.shape() {
        [] => visit(&view[[]]),
        [extent] => shown(*extent, elide).flatten().try_for_each(|index| visit(&view[[index]])),
        [extent, ..] => shown(*extent, elide).flatten().try_for_each(|index| {
            let inner = view.index_axis(0, index).map_err(|_| fmt::Error)?;
            for_shown(&inner, elide, visit)
        }),
    }
}

/// Writes the brackets of a shape, and calls a function for each element that is shown.
fn write_axis(
    shape: &[usize],
    out: &mut String,
    elide: bool,
    depth: usize,
    element: &mut dyn FnMut(&mut String),
) {
    let [extent, inner @ ..] = shape else { return element(out) };
    out.push('[');
    for (position, index) in shown(*extent, elide).enumerate() {
        if position > 0 {
            out.push(',');
            // Between matrices an empty line for each further axis, as NumPy does.
            match inner.len() {
                0 => out.push(' '),
                n => {
                    out.extend(std::iter::repeat_n('\n', n));
                    out.extend(std::iter::repeat_n(' ', depth + 1));
                }
            }
        }
        match index {
            Some(_) => write_axis(inner, out, elide, depth + 1, element),
            None => out.push_str("..."),
        }
    }
    out.push(']');
}

macro_rules! formats {
    ($($(#[$doc:meta])* $Trait:ident $kind:literal $alternate:ident;)*) => {$(
        impl<T: Item + fmt::$Trait, R: Dimension, E> fmt::$Trait for View<'_, T, R, E> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let style = Style::of(f);
                let text = |value: &T, text: &mut String| write_by!(style, text, value, $kind, $alternate);
                write_elements(self, f, &style, &text)?;
                formats!(@end $Trait self f)
            }
        }

        formats!(@by_view $Trait Array<T, R, E>, $(#[$doc])*);
        formats!(@by_view $Trait ViewMut<'_, T, R, E>,);
        formats!(@by_view $Trait ArcArray<T, R, E>,);
        formats!(@by_view $Trait CowArray<'_, T, R, E>,);
    )*};
    (@by_view $Trait:ident $type:ty, $(#[$doc:meta])*) => {
        impl<T: Item + fmt::$Trait, R: Dimension, E> fmt::$Trait for $type {
            $(#[$doc])*
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::$Trait::fmt(&self.view(), f)
            }
        }
    };
    (@end Debug $view:ident $f:ident) => {
        write!($f, ", shape={:?}, strides={:?}", $view.shape(), $view.strides())
    };
    (@end $Trait:ident $view:ident $f:ident) => {
        Ok(())
    };
}

formats! {
    /// The elements in nested brackets, aligned: each is padded to the width of the widest one.
    ///
    /// What is between the braces is for each element: `{:8.2}` is a width of at least 8 and two
    /// digits after the point, `{:<}` aligns left, `{:+}` writes signs, `{:05}` fills with zeros.
    /// Above 1000 elements the middle of each axis is left out; `{:#}` shows all.
    ///
    /// ```
    /// let a = ndcore::array![[1.0, 2.5], [10.0, -0.5]];
    /// assert_eq!(a.to_string(), "[[   1,  2.5],\n [  10, -0.5]]");
    /// assert_eq!(format!("{a:.2}"), "[[ 1.00,  2.50],\n [10.00, -0.50]]");
    /// assert_eq!(format!("{a:<7}"), "[[1      , 2.5    ],\n [10     , -0.5   ]]");
    /// ```
    Display "" plain;
    /// As `Display`, but of each element as for `Debug`; then the shape and the strides.
    ///
    /// ```
    /// let a = ndcore::array![1.0, 2.5];
    /// assert_eq!(format!("{a:?}"), "[1.0, 2.5], shape=[2], strides=[1]");
    /// ```
    Debug "?" plain;
    /// As `Display`, of each element in scientific notation.
    ///
    /// ```
    /// assert_eq!(format!("{:.1e}", ndcore::array![1234.5, 0.25]), "[ 1.2e3, 2.5e-1]");
    /// ```
    LowerExp "e" alternate;
    /// As `LowerExp`, with a capital `E`.
    UpperExp "E" alternate;
    /// As `Display`, of each element in hexadecimal digits. `{:#x}` writes `0x`, and shows all
    /// elements.
    ///
    /// ```
    /// let a = ndcore::array![10, 255];
    /// assert_eq!(format!("{a:x} {a:#06x}"), "[ a, ff] [0x000a, 0x00ff]");
    /// ```
    LowerHex "x" alternate;
    /// As `LowerHex`, with capital digits.
    UpperHex "X" alternate;
    /// As `Display`, of each element in octal digits. `{:#o}` writes `0o`, and shows all elements.
    Octal "o" alternate;
    /// As `Display`, of each element in binary digits. `{:#b}` writes `0b`, and shows all elements.
    Binary "b" alternate;
}
