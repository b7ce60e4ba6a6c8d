//! Pictures of the crate image: `[height, width, channels]`, each pixel's channels side by side.
//!
//! ```
//! use arraybridge::{IntoView, image::IntoImage};
//! use elementwise::{Array3, Expr, array};
//! use image::{Rgb, RgbImage};
//!
//! let picture = RgbImage::from_fn(4, 2, |x, y| Rgb([x as u8, y as u8, 100]));
//! let view = picture.into_view();                              // [2, 4, 3], where the pixels lie
//! assert_eq!((view.shape(), view[[1, 3, 0]]), (&[2, 4, 3][..], 3));
//! let gain = array![1.0, 1.0, 0.5_f32];
//! let warmer: Array3<u8> = (view.cast::<f32>() * gain.along([2])).cast().eval()?;
//! let warmer: RgbImage = warmer.into_image()?;                 // memory handed over
//! assert_eq!(warmer.get_pixel(3, 1), &Rgb([3, 1, 50]));
//! # use bcast::Broadcast;
//! # use elementwise::UnaryMethods;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::{BridgeError, IntoArray, IntoView};
use elementwise::{Array3, View2, View3, ViewMut3};
use image::flat::{FlatSamples, SampleLayout};
use image::{ImageBuffer, Pixel, RgbImage};
use ndcore::Element;
use std::ops::{Deref, DerefMut};

const WHAT: &str = "a picture";
const SAME_SIZE: &str = "a picture's memory holds its pixels";

/// The shape as an array has it.
fn shape<P: Pixel, C: Deref<Target = [P::Subpixel]>>(picture: &ImageBuffer<P, C>) -> [usize; 3] {
    // Pixels are counted in 32 bits, and are in memory.
    [picture.height() as usize, picture.width() as usize, usize::from(P::CHANNEL_COUNT)]
}

impl<'a, P, C> IntoView for &'a ImageBuffer<P, C>
where
    P: Pixel<Subpixel: Element>,
    C: Deref<Target = [P::Subpixel]>,
{
    type View = View3<'a, P::Subpixel>;

    fn into_view(self) -> Self::View {
        let shape = shape(self);
        let samples: &[P::Subpixel] = self.as_raw();
        View3::from_slice(shape, &samples[..shape.iter().product()]).expect(SAME_SIZE)
    }
}

impl<'a, P, C> IntoView for &'a mut ImageBuffer<P, C>
where
    P: Pixel<Subpixel: Element>,
    C: Deref<Target = [P::Subpixel]> + DerefMut,
{
    type View = ViewMut3<'a, P::Subpixel>;

    fn into_view(self) -> Self::View {
        let shape = shape(self);
        let samples: &mut [P::Subpixel] = self;
        ViewMut3::from_slice(shape, &mut samples[..shape.iter().product()]).expect(SAME_SIZE)
    }
}

impl<P: Pixel<Subpixel: Element>> IntoArray for ImageBuffer<P, Vec<P::Subpixel>> {
    type Array = Array3<P::Subpixel>;

    /// The memory is handed over.
    fn into_array(self) -> Self::Array {
        let shape = shape(&self);
        let mut samples = self.into_raw();
        samples.truncate(shape.iter().product());
        Array3::from_shape_vec(shape, samples).expect(SAME_SIZE)
    }
}

/// A side of a picture, which has 32 bits.
fn side(axis: usize, extent: usize) -> Result<u32, BridgeError> {
    u32::try_from(extent).map_err(|_| BridgeError::Extent { axis, extent, what: WHAT })
}

/// Arrays as pictures.
pub trait IntoImage<P: Pixel> {
    /// The same elements as a picture. The memory is handed over if they lie in row-major order;
    /// otherwise they are copied into it.
    ///
    /// # Errors
    /// [`Channels`](BridgeError::Channels) if the last axis is not as long as a pixel has channels,
    /// [`Extent`](BridgeError::Extent) if a side does not fit in 32 bits, and
    /// [`Layout`](BridgeError::Layout) if a copy does not fit in memory.
    ///
    /// ```
    /// use arraybridge::image::IntoImage;
    /// use elementwise::Array3;
    /// let two = Array3::<u8>::zeros([4, 4, 2]);
    /// let refused = IntoImage::<image::Rgb<u8>>::into_image(two).unwrap_err();
    /// assert_eq!(refused.to_string(), "shape [4, 4, 2] has not 3 channels as its last axis");
    /// ```
    fn into_image(self) -> Result<ImageBuffer<P, Vec<P::Subpixel>>, BridgeError>;
}

impl<P: Pixel<Subpixel: Element>> IntoImage<P> for Array3<P::Subpixel> {
    fn into_image(self) -> Result<ImageBuffer<P, Vec<P::Subpixel>>, BridgeError> {
        let [height, width, channels] = self.dim();
        if channels != usize::from(P::CHANNEL_COUNT) {
            let (shape, channels) = (self.shape().to_vec(), usize::from(P::CHANNEL_COUNT));
            return Err(BridgeError::Channels { shape, channels });
        }
        let (width, height) = (side(1, width)?, side(0, height)?);
        let samples = self.try_into_vec()?;
        Ok(ImageBuffer::from_raw(width, height, samples).expect(SAME_SIZE))
    }
}

/// A view of `[height, width, channels]` as samples by strides, which can be viewed as a picture
/// where they lie if each pixel's channels do lie side by side.
///
/// # Errors
/// [`NegativeStride`](BridgeError::NegativeStride);
/// [`NotOnePiece`](BridgeError::NotOnePiece) if the elements have gaps or repeat;
/// [`Extent`](BridgeError::Extent) if a number does not fit.
///
/// ```
/// use arraybridge::{IntoView, image::flat_samples};
/// let picture = image::RgbImage::from_fn(4, 2, |x, y| image::Rgb([x as u8, y as u8, 9]));
/// // Width and height change places; the pixels stay.
/// let turned = flat_samples(picture.into_view().permuted_axes([1, 0, 2])?)?;
/// let turned = turned.as_view::<image::Rgb<u8>>()?;
/// assert_eq!(image::GenericImageView::get_pixel(&turned, 1, 3), *picture.get_pixel(3, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn flat_samples<T: Element>(view: View3<'_, T>) -> Result<FlatSamples<&[T]>, BridgeError> {
    let [height, width, channels] = view.dim();
    let mut forward = [0; 3];
    for (axis, (stride, forward)) in view.strides().iter().zip(&mut forward).enumerate() {
        // Along an axis of one element nothing moves.
        let stride = if view.shape()[axis] <= 1 { 0 } else { *stride };
        *forward = usize::try_from(stride).map_err(|_| BridgeError::NegativeStride {
            axis,
            stride,
            what: WHAT,
        })?;
    }
    let samples = view.as_slice_memory_order().ok_or_else(|| BridgeError::NotOnePiece {
        shape: view.shape().to_vec(),
        strides: view.strides().to_vec(),
        what: WHAT,
    })?;
    let too_many = BridgeError::Extent { axis: 2, extent: channels, what: WHAT };
    let layout = SampleLayout {
        channels: u8::try_from(channels).map_err(|_| too_many)?,
        channel_stride: forward[2],
        width: side(1, width)?,
        width_stride: forward[1],
        height: side(0, height)?,
        height_stride: forward[0],
    };
    Ok(FlatSamples { samples, layout, color_hint: None })
}

/// Colours for numbers from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColourMap {
    /// From black to white.
    Grey,
    /// From violet by green to yellow; as dark as the numbers are small, to the colour-blind too.
    #[default]
    Viridis,
    /// From black by red to yellow.
    Inferno,
    /// From blue by a light grey to red, for numbers that have a middle.
    CoolWarm,
}

impl ColourMap {
    /// All of them.
    pub const ALL: [ColourMap; 4] =
        [ColourMap::Grey, ColourMap::Viridis, ColourMap::Inferno, ColourMap::CoolWarm];

    /// Colours at equal distances, between which the others lie.
    fn stops(self) -> &'static [[u8; 3]] {
        match self {
            ColourMap::Grey => &[[0, 0, 0], [255, 255, 255]],
            ColourMap::Viridis => &[
                [68, 1, 84],
                [72, 40, 120],
                [62, 74, 137],
                [49, 104, 142],
                [38, 130, 142],
                [31, 158, 137],
                [53, 183, 121],
                [109, 205, 89],
                [180, 222, 44],
                [253, 231, 37],
            ],
            ColourMap::Inferno => &[
                [0, 0, 4],
                [27, 12, 65],
                [74, 12, 107],
                [120, 28, 109],
                [165, 44, 96],
                [207, 68, 70],
                [237, 105, 37],
                [251, 155, 6],
                [247, 209, 61],
                [252, 255, 164],
            ],
            ColourMap::CoolWarm => &[
                [59, 76, 192],
                [98, 130, 234],
                [141, 176, 254],
                [184, 208, 249],
                [221, 221, 221],
                [245, 196, 173],
                [244, 154, 123],
                [222, 96, 77],
                [180, 4, 38],
            ],
        }
    }

    /// The colour of a number. Below 0 and above 1 it is that of the nearest end; what is not a
    /// number is magenta, which no map has.
    ///
    /// ```
    /// use arraybridge::image::ColourMap;
    /// assert_eq!(ColourMap::Grey.colour(0.5), [128, 128, 128]);
    /// assert_eq!(ColourMap::CoolWarm.colour(0.5), [221, 221, 221]);
    /// assert_eq!(ColourMap::Viridis.colour(7.0), [253, 231, 37]);
    /// assert_eq!(ColourMap::Viridis.colour(f64::NAN), [255, 0, 255]);
    /// ```
    pub fn colour(self, share: f64) -> [u8; 3] {
        if share.is_nan() {
            return [255, 0, 255];
        }
        let stops = self.stops();
        let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
        let below = (place as usize).min(stops.len() - 2);
        let (low, high) = (stops[below], stops[below + 1]);
        let part = place - below as f64;
        std::array::from_fn(|channel| {
            let (low, high) = (f64::from(low[channel]), f64::from(high[channel]));
            (low + (high - low) * part).round() as u8
        })
    }
}

/// A matrix as a picture: the smallest number has the first colour, the largest the last one. Rows
/// go down, as they are printed. Infinite numbers have the colours of the ends, and what is not a
/// number is magenta. Other element types are cast before: `view.cast::<f64>().eval()?`.
///
/// # Errors
/// [`Extent`](BridgeError::Extent) if a side does not fit in 32 bits, and
/// [`Layout`](BridgeError::Layout) if the picture does not fit in memory.
///
/// ```
/// use arraybridge::image::{ColourMap, picture};
/// let ramp = elementwise::Array2::from_fn([2, 256], |[_, j]| j as f32);
/// let drawn = picture(ramp.view(), ColourMap::Grey)?;
/// assert_eq!((drawn.dimensions(), drawn.get_pixel(7, 1).0), ((256, 2), [7, 7, 7]));
/// # Ok::<(), arraybridge::BridgeError>(())
/// ```
pub fn picture<T: Element + Into<f64>>(
    view: View2<'_, T>,
    map: ColourMap,
) -> Result<RgbImage, BridgeError> {
    let finite = view.iter().map(|x| (*x).into()).filter(|x: &f64| x.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    picture_between(view, low, high, map)
}

/// As [`picture`], where `low` has the first colour and `high` the last one: so that several
/// pictures can be compared. If they are the same number, it has the colour in the middle.
///
/// # Errors
/// As there.
pub fn picture_between<T: Element + Into<f64>>(
    view: View2<'_, T>,
    low: f64,
    high: f64,
    map: ColourMap,
) -> Result<RgbImage, BridgeError> {
    let [height, width] = view.dim();
    let (height, width) = (side(0, height)?, side(1, width)?);
    let bytes = ndcore::Layout::<ndcore::Rank<3>>::c_order([view.nrows(), view.ncols(), 3])?.size();
    let mut samples = Vec::new();
    samples.try_reserve_exact(bytes).map_err(|_| {
        let shape = vec![view.nrows(), view.ncols(), 3];
        ndcore::LayoutError::from(ndcore::LayoutErrorKind::AllocationFailed {
            shape: shape.into(),
            bytes,
        })
    })?;
    for x in view {
        let x: f64 = (*x).into();
        // Differences of finite numbers may be infinite.
        let share = match high / 2.0 - low / 2.0 {
            0.0 if x == low => 0.5,
            half => (x / 2.0 - low / 2.0) / half,
        };
        samples.extend(map.colour(share));
    }
    Ok(ImageBuffer::from_raw(width, height, samples).expect(SAME_SIZE))
}
