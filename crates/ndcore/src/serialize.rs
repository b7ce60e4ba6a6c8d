//! Arrays and views as `serde` sees them: in the format of `ndarray`, so that files interchange. A
//! struct of the format's version (`v`, 1), the shape (`dim`) and the elements in logical order
//! (`data`).

use crate::array::Array;
use crate::axes::{Axes, MAX_NDIM};
use crate::dimension::Dimension;
use crate::element::Item;
use crate::layout::Layout;
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq, SerializeStruct, SerializeTuple, Serializer};
use std::fmt;
use std::marker::PhantomData;

const VERSION: u8 = 1;
const NAME: &str = "Array";
const FIELDS: &[&str] = &["v", "dim", "data"];

/// The shape: a tuple where the rank is in the type, else a sequence.
struct Shape<'a, R>(&'a [usize], PhantomData<R>);

impl<R: Dimension> Serialize for Shape<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if R::NDIM.is_none() {
            return self.0.serialize(serializer);
        }
        let mut tuple = serializer.serialize_tuple(self.0.len())?;
        self.0.iter().try_for_each(|extent| tuple.serialize_element(extent))?;
        tuple.end()
    }
}

/// The elements, in logical order.
struct Elements<'a, T, R: Dimension, E>(View<'a, T, R, E>);

impl<T: Item + Serialize, R: Dimension, E> Serialize for Elements<'_, T, R, E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut elements = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|element| elements.serialize_element(element))?;
        elements.end()
    }
}

impl<T: Item + Serialize, R: Dimension, E> Serialize for View<'_, T, R, E> {
    /// In the format of `ndarray`.
    ///
    /// ```
    /// let a = ndcore::array![[1, 2], [3, 4]];
    /// let text = serde_json::to_string(&a.t())?;
    /// assert_eq!(text, r#"{"v":1,"dim":[2,2],"data":[1,3,2,4]}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_struct(NAME, FIELDS.len())?;
        array.serialize_field("v", &VERSION)?;
        array.serialize_field("dim", &Shape::<R>(self.shape(), PhantomData))?;
        array.serialize_field("data", &Elements(*self))?;
        array.end()
    }
}

macro_rules! serialize_as_view {
    ($($type:ty),*) => {$(
        impl<T: Item + Serialize, R: Dimension, E> Serialize for $type {
            /// As a [`View`].
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.view().serialize(serializer)
            }
        }
    )*};
}

serialize_as_view!(Array<T, R, E>, ViewMut<'_, T, R, E>, ArcArray<T, R, E>, CowArray<'_, T, R, E>);

impl<'de, T: Item + Deserialize<'de>, R: Dimension, E> Deserialize<'de> for Array<T, R, E> {
    /// From the format of `ndarray`, in row-major order.
    ///
    /// # Errors
    /// If the shape has another rank, or another number of elements than there are.
    ///
    /// ```
    /// let a: ndcore::Array2<f32> = serde_json::from_str(r#"{"v":1,"dim":[1,2],"data":[1.5,2]}"#)?;
    /// assert_eq!(a, ndcore::array![[1.5, 2.0]]);
    /// let bad = r#"{"v":1,"dim":[3,2],"data":[1.5,2]}"#;
    /// let err = serde_json::from_str::<ndcore::Array2<f32>>(bad).unwrap_err();
    /// assert!(err.to_string().starts_with("shape [3, 2] needs 6 elements, the data has 2"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct(NAME, FIELDS, Arrays(PhantomData))
    }
}

impl<'de, T: Item + Deserialize<'de>, R: Dimension, E> Deserialize<'de> for ArcArray<T, R, E> {
    /// As an [`Array`].
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Array::deserialize(deserializer).map(Array::into_shared)
    }
}

struct Arrays<T, R, E>(PhantomData<fn() -> (T, R, E)>);

impl<'de, T: Item + Deserialize<'de>, R: Dimension, E> Visitor<'de> for Arrays<T, R, E> {
    type Value = Array<T, R, E>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array: its format's version, its shape and its elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let missing = |number| de::Error::invalid_length(number, &"the three fields of an array");
        check_version(fields.next_element()?.ok_or_else(|| missing(0))?)?;
        let shape =
            fields.next_element_seed(Shapes::<R>(PhantomData))?.ok_or_else(|| missing(1))?;
        array(shape, fields.next_element()?.ok_or_else(|| missing(2))?)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let (mut version, mut shape, mut data) = (None, None, None);
        while let Some(field) = fields.next_key()? {
            let again = match field {
                Field::Version => version.replace(check_version(fields.next_value()?)?).is_some(),
                Field::Shape => {
                    shape.replace(fields.next_value_seed(Shapes::<R>(PhantomData))?).is_some()
                }
                Field::Data => data.replace(fields.next_value()?).is_some(),
            };
            if again {
                return Err(de::Error::duplicate_field(FIELDS[field as usize]));
            }
        }
        version.ok_or_else(|| de::Error::missing_field("v"))?;
        let shape = shape.ok_or_else(|| de::Error::missing_field("dim"))?;
        array(shape, data.ok_or_else(|| de::Error::missing_field("data"))?)
    }
}

fn check_version<E: de::Error>(version: u8) -> Result<(), E> {
    if version == VERSION {
        return Ok(());
    }
    let found = de::Unexpected::Unsigned(version.into());
    Err(E::invalid_value(found, &"version 1 of the format of arrays"))
}

fn array<T: Item, R: Dimension, E, Err: de::Error>(
    shape: Axes<usize>,
    data: Vec<T>,
) -> Result<Array<T, R, E>, Err> {
    let made = R::shape(&shape)
        .and_then(Layout::c_order)
        .and_then(|layout| Array::from_shape_vec_raw(layout, data));
    made.map_err(Err::custom)
}

/// What can stand for a shape.
struct Shapes<R>(PhantomData<R>);

impl<'de, R: Dimension> DeserializeSeed<'de> for Shapes<R> {
    type Value = Axes<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match R::NDIM {
            Some(ndim) => deserializer.deserialize_tuple(ndim, self),
            None => deserializer.deserialize_seq(self),
        }
    }
}

impl<'de, R: Dimension> Visitor<'de> for Shapes<R> {
    type Value = Axes<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match R::NDIM {
            Some(ndim) => write!(f, "a shape of {ndim} extents"),
            None => write!(f, "a shape of at most {MAX_NDIM} extents"),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut extents: A) -> Result<Self::Value, A::Error> {
        let (mut shape, mut ndim) = (Axes::new(), 0);
        while let Some(extent) = extents.next_element()? {
            if ndim < MAX_NDIM {
                shape.push(extent);
            }
            ndim += 1;
        }
        if ndim > MAX_NDIM || R::NDIM.is_some_and(|expected| expected != ndim) {
            return Err(de::Error::invalid_length(ndim, &self));
        }
        Ok(shape)
    }
}

#[derive(Clone, Copy)]
enum Field {
    Version,
    Shape,
    Data,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(Fields)
    }
}

struct Fields;

impl Visitor<'_> for Fields {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`v`, `dim` or `data`")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Field, E> {
        match number {
            0 => Ok(Field::Version),
            1 => Ok(Field::Shape),
            2 => Ok(Field::Data),
            _ => Err(E::invalid_value(de::Unexpected::Unsigned(number), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Field, E> {
        self.visit_bytes(name.as_bytes())
    }

    fn visit_bytes<E: de::Error>(self, name: &[u8]) -> Result<Field, E> {
        match name {
            b"v" => Ok(Field::Version),
            b"dim" => Ok(Field::Shape),
            b"data" => Ok(Field::Data),
            _ => Err(E::unknown_field(&String::from_utf8_lossy(name), FIELDS)),
        }
    }
}
