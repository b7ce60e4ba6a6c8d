//! Debug and Display in NumPy's style.

use crate::array::Array;
use crate::dimension::{Dimension, Dyn};
use crate::element::Element;
use crate::raw::{View, ViewMut};
use std::fmt;

/// Arrays with more elements than this are shown with their middle left out.
const ELIDE_ABOVE: usize = 1000;
/// How many entries are then kept at either end of an axis.
const EDGE: usize = 3;

/// Writes the elements as nested brackets. All entries are padded to the width of the widest one shown.
fn write_elements<T: Element, R: Dimension, E>(
    view: &View<'_, T, R, E>,
    f: &mut fmt::Formatter<'_>,
    element: &dyn Fn(&T) -> String,
) -> fmt::Result {
    let view = view.as_dyn();
    // An array without elements may still have axes of any extent.
    let lines = view.shape().iter().map(|extent| (*extent).max(1)).fold(1, usize::saturating_mul);
    let elide = lines > ELIDE_ABOVE && !f.alternate();
    let mut width = 0;
    for_shown(&view, elide, &mut |value| width = width.max(element(value).chars().count()));
    write_axis(&view, f, elide, 0, &|value| format!("{:>width$}", element(value)))
}

/// The indices of an axis that are shown, `None` standing for what is left out.
fn shown(extent: usize, elide: bool) -> impl Iterator<Item = Option<usize>> {
    let cut = elide && extent > 2 * EDGE;
    let head = if cut { EDGE } else { extent };
    let tail = if cut { extent - EDGE } else { extent };
    (0..head).map(Some).chain(cut.then_some(None)).chain((tail..extent).map(Some))
}

fn for_shown<T: Element, E>(view: &View<'_, T, Dyn, E>, elide: bool, visit: &mut dyn FnMut(&T)) {
    match view.shape() {
        [] => visit(&view[[]]),
        [extent, ..] => {
            for index in shown(*extent, elide).flatten() {
                if let Ok(inner) = view.index_axis(0, index) {
                    for_shown(&inner, elide, visit);
                }
            }
        }
    }
}

fn write_axis<T: Element, E>(
    view: &View<'_, T, Dyn, E>,
    f: &mut fmt::Formatter<'_>,
    elide: bool,
    depth: usize,
    element: &dyn Fn(&T) -> String,
) -> fmt::Result {
    let [extent, ref inner @ ..] = *view.shape() else {
        return f.write_str(&element(&view[[]]));
    };
    f.write_str("[")?;
    for (position, index) in shown(extent, elide).enumerate() {
        if position > 0 {
            f.write_str(",")?;
            // Between matrices an empty line for each further axis, as NumPy does.
            match inner.len() {
                0 => f.write_str(" ")?,
                n => write!(f, "{:\n>n$}{:2$}", "", "", depth + 1)?,
            }
        }
        match index.map(|index| view.index_axis(0, index)) {
            Some(Ok(subview)) => write_axis(&subview, f, elide, depth + 1, element)?,
            _ => f.write_str("...")?,
        }
    }
    f.write_str("]")
}

impl<T: Element + fmt::Display, R: Dimension, E> fmt::Display for View<'_, T, R, E> {
    /// The elements in nested brackets, aligned. The formatter's precision applies to each element (`{:.2}`). Above 1000
    /// elements the middle of each axis is left out; `{:#}` shows all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precision = f.precision();
        write_elements(self, f, &|value| match precision {
            Some(precision) => format!("{value:.precision$}"),
            None => value.to_string(),
        })
    }
}

impl<T: Element + fmt::Debug, R: Dimension, E> fmt::Debug for View<'_, T, R, E> {
    /// The elements as for `Display`, then the shape and the strides.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precision = f.precision();
        write_elements(self, f, &|value| match precision {
            Some(precision) => format!("{value:.precision$?}"),
            None => format!("{value:?}"),
        })?;
        write!(f, ", shape={:?}, strides={:?}", self.shape(), self.strides())
    }
}

macro_rules! as_view {
    ($($type:ty),*) => {$(
        impl<T: Element + fmt::Display, R: Dimension, E> fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.view(), f)
            }
        }

        impl<T: Element + fmt::Debug, R: Dimension, E> fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.view(), f)
            }
        }
    )*};
}

as_view!(Array<T, R, E>, ViewMut<'_, T, R, E>);
