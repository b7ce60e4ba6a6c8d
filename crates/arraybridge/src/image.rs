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
use elementwise::{Array3, View3, ViewMut3};
use image::flat::{FlatSamples, SampleLayout};
use image::{ImageBuffer, Pixel};
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

/// A view of `[height, width, channels]` as samples by strides, which can be viewed as a picture where
/// they lie if each pixel's channels do lie side by side.
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
