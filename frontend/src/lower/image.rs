//! The bits a static object starts with.

use super::Lower;
use crate::hir::{InitItem, InitValue, Storage};
use crate::layout;
use crate::leaves;
use crate::points::Item;
use std::collections::BTreeMap;
use syncline_ir::{Const, FloatFormat, Scalar};

/// Scalars by their first bit, disjoint; zero elsewhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Image(BTreeMap<u64, (u32, u128)>);

impl Image {
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts a scalar; what lay there before is gone.
    fn put(&mut self, bit: u64, width: u32, bits: u128) {
        let end = bit + u64::from(width);
        let overlapped: Vec<u64> =
            self.0.range(..end).rev().take_while(|(at, (w, _))| *at + u64::from(*w) > bit).map(|(at, _)| *at).collect();
        for at in overlapped {
            // An initialiser given twice for one place: the parts beside it stay.
            let Some((w, old)) = self.0.remove(&at) else { continue };
            if at < bit {
                self.0.insert(at, ((bit - at) as u32, old & mask((bit - at) as u32)));
            }
            let old_end = at + u64::from(w);
            if old_end > end {
                self.0.insert(end, ((old_end - end) as u32, old >> (end - at)));
            }
        }
        self.0.insert(bit, (width, bits & mask(width)));
    }

    /// The scalar at a place.
    pub fn read(&self, bit: u64, scalar: Scalar) -> Const {
        let width = match scalar {
            Scalar::Bool => 1,
            Scalar::Bv(w) => w,
            Scalar::Float(f) => f.storage_bits(),
        };
        let end = bit + u64::from(width);
        let mut bits = 0u128;
        for (&at, &(w, value)) in self.0.range(..end).rev() {
            if at + u64::from(w) <= bit {
                break;
            }
            bits |= if at >= bit { value << (at - bit) } else { value >> (bit - at) };
        }
        bits &= mask(width);
        match scalar {
            Scalar::Bool => Const::Bool(bits != 0),
            Scalar::Bv(w) => Const::bv(w, bits),
            Scalar::Float(format) => Const::Float { format, bits: canonical(format, bits) },
        }
    }
}

fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

/// The IR has one NaN.
fn canonical(format: FloatFormat, bits: u128) -> u128 {
    match syncline_ir::eval::unary(syncline_ir::UnOp::FromBits(format), &Const::bv(format.storage_bits(), bits)) {
        Const::Float { bits, .. } => bits,
        _ => bits,
    }
}

impl Lower<'_> {
    /// The image of a static object, or `None` where an initialiser is no constant: then it starts as anything.
    pub fn image(&mut self, item: Item) -> Option<Image> {
        let image = self.try_image(item);
        if let (None, Item::Object(obj)) = (&image, item) {
            let object = &self.unit.objects[obj];
            let text = format!("the initialiser of `{}` is not computed: it starts with any value", object.name);
            self.assume_once(text, object.loc);
        }
        image
    }

    fn try_image(&mut self, item: Item) -> Option<Image> {
        let mut image = Image::default();
        match item {
            Item::Object(obj) => {
                let object = &self.unit.objects[obj];
                debug_assert!(matches!(object.storage, Storage::Global | Storage::Static));
                for item in object.init.iter().flat_map(|i| &i.items) {
                    self.image_item(&mut image, item)?;
                }
            }
            Item::Literal(lit) => self.image_units(&mut image, lit, 0, u64::MAX),
            Item::Made(_) => return None,
        }
        Some(image)
    }

    fn image_item(&mut self, image: &mut Image, item: &InitItem) -> Option<()> {
        let (bit, field) = match item.bits {
            Some(field) => (item.offset * 8 + u64::from(field.offset), Some(field.width)),
            None => (item.offset * 8, None),
        };
        match &item.value {
            InitValue::Str { lit, len } => self.image_units(image, *lit, item.offset, *len),
            InitValue::Expr(e) => {
                let (width, bits) = match self.constant_value(e)? {
                    Const::Bool(b) => (8, u128::from(b)),
                    Const::Bv { width, bits } => (width, bits),
                    Const::Float { format, bits } => (format.storage_bits(), bits),
                    Const::Array(_) => return None,
                };
                image.put(bit, field.unwrap_or(width), bits);
            }
        }
        Some(())
    }

    fn image_units(&self, image: &mut Image, lit: crate::hir::Str, offset: u64, len: u64) {
        let literal = &self.unit.strings[lit];
        let bytes = layout::size_of(&self.unit.types, literal.elem).unwrap_or(1);
        debug_assert!(leaves::scalar_of(&self.unit.types, literal.elem).is_some());
        for (n, &unit) in (0..len).zip(&literal.units) {
            if unit != 0 {
                image.put((offset + n * bytes) * 8, bytes as u32 * 8, u128::from(unit));
            }
        }
    }
}
