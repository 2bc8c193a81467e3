//! The surface net of all slabs, whose vertices are relaxed together.

use super::{
    super::{
        LabelSurfaceError,
        net::{NetCounts, NetQuads},
        relax::Relaxation,
        runs::LabelIndex,
    },
    PURPOSE, Parts, SlabNet,
};
use crate::{
    device::{Buffer, Element, Stream},
    memory,
    monitor::Monitor,
};
use ferrovox_kernels::{
    label_surface::{Net, move_key},
    sample::Count,
};
use std::ops::Range;

/// Surface net of a slab, without its halo.
struct NetPart {
    counts: NetCounts,
    /// Vertices of each quad, relative to the first vertex of the slab.
    quads: Vec<u64>,
    sides: Vec<u32>,
    keys: Vec<u64>,
    origins: Vec<f32>,
    bound: Vec<u8>,
}

/// The surface net of the whole volume.
pub(super) struct WholeNet {
    /// Numbers of elements before each slab, and in total.
    pub(super) before: Vec<NetCounts>,
    quads: Vec<u64>,
    sides: Vec<u32>,
    keys: Vec<u64>,
    origins: Vec<f32>,
    bound: Vec<u8>,
}

impl Parts<'_> {
    pub(super) fn find_net<T: Count + Element + LabelIndex>(
        &self,
        slabs: &[Range<usize>],
        monitor: &Monitor<'_>,
    ) -> Result<WholeNet, LabelSurfaceError> {
        let work = |stream: &Stream, slab: &Range<usize>| {
            self.with_slab::<T, _>(stream, slab, |found| {
                let first_plane = self.planes(slab).start as u64;
                found.part(stream, first_plane)
            })
        };
        let mut whole = WholeNet {
            before: memory::try_copy(PURPOSE, &[NetCounts::default()])?,
            quads: Vec::new(),
            sides: Vec::new(),
            keys: Vec::new(),
            origins: Vec::new(),
            bound: Vec::new(),
        };
        self.for_each_slab(slabs, monitor, work, |part: NetPart| {
            let before = whole.before.last().copied().unwrap_or_default();
            memory::try_reserve(PURPOSE, &mut whole.before, 1)?;
            whole.before.push(before.plus(&part.counts));
            memory::try_reserve_amortized(PURPOSE, &mut whole.quads, part.quads.len())?;
            let vertices = part.quads.iter().map(|vertex| before.vertices + vertex);
            whole.quads.extend(vertices);
            memory::try_extend(PURPOSE, &mut whole.sides, &part.sides)?;
            memory::try_extend(PURPOSE, &mut whole.keys, &part.keys)?;
            memory::try_extend(PURPOSE, &mut whole.origins, &part.origins)?;
            memory::try_extend(PURPOSE, &mut whole.bound, &part.bound)?;
            Ok(())
        })?;
        Ok(whole)
    }

    /// Relaxes the vertices of the whole net on the first device, and returns their positions
    /// within their cells.
    pub(super) fn relax<I: Count + Element>(
        &self,
        whole: WholeNet,
        narrow: impl Fn(u64) -> I,
    ) -> Result<Vec<f32>, LabelSurfaceError> {
        let stream = self.devices[0].stream()?;
        let narrow = whole.quads.iter().map(|vertex| narrow(*vertex));
        let vertices = memory::try_collect(PURPOSE, narrow)?;
        let quads = NetQuads {
            vertices: stream.upload(&vertices)?,
            sides: stream.upload(&whole.sides)?,
            keys: stream.upload(&whole.keys)?,
        };
        let (origins, bound) = (stream.upload(&whole.origins)?, stream.upload(&whole.bound)?);
        drop((vertices, whole));
        let relaxation = Relaxation {
            stream: &stream,
            net: Net::new(self.grid, self.params.contact.kernel_rule()),
            quads: &quads,
            matrix: self.to_world().matrix,
            voxels: &self.field.kernel_voxels()?,
            bound: &bound,
            origins: &origins,
        };
        Ok(stream.download(&relaxation.run(self.params)?)?)
    }
}

impl<T: Count + Element> SlabNet<'_, T> {
    /// Downloads the net without its halo. `first_plane` is the index of the first plane of voxels
    /// of the slab in the volume.
    fn part(&self, stream: &Stream, first_plane: u64) -> Result<NetPart, LabelSurfaceError> {
        let Self {
            net, start, end, ..
        } = self;
        let (origins, bound) = net.place()?;
        let quads = start.quads as usize..end.quads as usize;
        let vertices = start.vertices as usize..end.vertices as usize;
        let first_cell = first_plane * net.net.words_per_plane() * 32;
        let all = stream.download(&self.quads.vertices)?;
        let relative = all[quads.start * 4..quads.end * 4].iter();
        let all_keys = stream.download(&self.quads.keys)?;
        let keys = all_keys[quads.clone()].iter();
        Ok(NetPart {
            counts: end.minus(start),
            quads: memory::try_collect(PURPOSE, relative.map(|vertex| vertex - start.vertices))?,
            sides: part(stream, &self.quads.sides, quads.start * 2..quads.end * 2)?,
            keys: memory::try_collect(PURPOSE, keys.map(|key| move_key(*key, first_cell)))?,
            origins: part(stream, &origins, vertices.start * 3..vertices.end * 3)?,
            bound: part(stream, &bound, vertices)?,
        })
    }
}

/// Downloads a range of a buffer.
fn part<T: Element>(
    stream: &Stream,
    buffer: &Buffer<T>,
    range: Range<usize>,
) -> Result<Vec<T>, LabelSurfaceError> {
    Ok(memory::try_copy(PURPOSE, &stream.download(buffer)?[range])?)
}
