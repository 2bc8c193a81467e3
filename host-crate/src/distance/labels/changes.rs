//! Label changes, and the transform along scanlines that starts from them.

use super::{check, single_label_error};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream, rows, rows_launch},
    distance::{
        DistanceError, DistanceMap, DistanceParams, NoSites,
        separable::{
            ScanlineCost, after_column,
            groups::{Changes, GroupKernels, scanline_launch},
            parts::{Part, PartTransform},
            weights::CostUnit,
        },
    },
    grid::{DeviceSample, DeviceVolume, count_ones},
};
use cuda_std::View;
use ferrovox_kernels::{
    distance::{
        labels::{
            LineChanges, clamp_to_changes, distances_from_changes, mark_label_changes,
            squared_from_changes,
        },
        separable::Layout,
        sites::BitRows,
    },
    grid::{Grid, Y, Z},
};

/// Label changes: one bit per voxel and axis.
pub(in crate::distance) struct LabelChanges<'a> {
    stream: &'a Stream,
    pub(super) bits: BitRows,
    pub(super) words: Buffer<u32>,
}

impl<'a> LabelChanges<'a> {
    /// Marks the label changes of a volume after checking that `params` is supported.
    pub fn checked<T: DeviceSample>(
        stream: &'a Stream,
        labels: &DeviceVolume<T>,
        params: &DistanceParams,
    ) -> Result<Self, DistanceError> {
        check(params)?;
        let changes = Self::new(stream, labels)?;
        if params.no_sites == NoSites::Error && count_ones(stream, &changes.words)? == 0 {
            return Err(single_label_error(stream, labels)?);
        }
        Ok(changes)
    }

    pub(super) fn new<T: DeviceSample>(
        stream: &'a Stream,
        labels: &DeviceVolume<T>,
    ) -> Result<Self, DeviceError> {
        let bits = BitRows::new(labels.grid());
        let mut words = stream.alloc::<u32>(3 * bits.words() as usize)?;
        let launch =
            Launch::warp_pieces(bits.words().div_ceil(ferrovox_kernels::bits::GROUP.into()));
        // SAFETY: there is one label per voxel, and one word per axis for each word of the grid.
        unsafe {
            let args = (labels.samples().view(), bits, words.view_mut());
            stream.launch::<mark_label_changes<T>>(launch, args)?;
        }
        Ok(Self {
            stream,
            bits,
            words,
        })
    }

    /// Returns the words of the changes along an axis.
    fn words_along(&self, axis: u32) -> View<'_, u32> {
        let words = self.bits.words() as usize;
        self.words.view().slice(axis as usize * words, words)
    }

    /// Returns the location of the changes of scanlines along y or z.
    fn line_changes(&self, part: Part, axis: u32) -> LineChanges {
        let Grid { ny, nz, .. } = self.bits.grid;
        let (row, plane) = (u64::from(self.bits.per_row), self.bits.per_plane());
        let (len, [along, batch]) = match axis {
            Y => (ny, [row, plane]),
            _ => (nz, [plane, row]),
        };
        LineChanges {
            layout: Layout { along, batch },
            first_x: part.first_x() as u32,
            len,
        }
    }

    pub(super) fn fill<C: ScanlineCost>(
        &self,
        unit: &CostUnit,
        weights: [C; 3],
        limit: Option<u64>,
        map: &mut DistanceMap,
    ) -> Result<(), DistanceError> {
        let part_transform = self.part_transform(unit, weights);
        self.for_each(&part_transform, limit, |part| {
            let first_x = part.first_x();
            let to = part.volume_layout_along_z();
            let distances = &mut map.distances;
            if let Some(launches) = part_transform.group_launches(part) {
                let row_scan = part_transform.row_scan(self.words_along(0), part)?;
                let changes = [Y, Z].map(|axis| self.changes_along(&part_transform, part, axis));
                let (rows, target) = ((&row_scan, part), (to, first_x));
                part_transform.distances_in_groups(
                    launches,
                    rows,
                    Some(changes),
                    target,
                    distances,
                )?;
                return Ok(());
            }
            let mut costs = self.costs_in_planes(&part_transform, part)?;
            let scanlines = part.scanlines_along_z();
            let tiled = part_transform.tiled_along_z();
            part_transform.minimise(&mut costs, scanlines, &tiled, part.layout_along_z())?;
            let (launch, groups) = scanline_launch(self.stream, scanlines);
            let args = (
                self.words_along(2),
                self.line_changes(part, 2),
                groups,
                unit.axis(&weights, 2, self.bits.grid.nz),
                unit.max_steps_along(2),
                [part.layout_along_z(), to],
                costs.view_mut(),
                unit.conversion,
                after_column(distances, first_x),
            );
            // SAFETY: there is one cost per voxel of the part, and the distances start at its first
            // column.
            unsafe {
                Ok(self
                    .stream
                    .launch::<distances_from_changes<C>>(launch, args)?)
            }
        })
    }

    /// Returns the transform that computes the costs part by part.
    pub fn part_transform<'u, C>(
        &'u self,
        unit: &'u CostUnit,
        weights: [C; 3],
    ) -> PartTransform<'u, C> {
        PartTransform::new(self.stream, self.bits.grid, unit, weights)
    }

    /// Calls `visit` for each part.
    pub fn for_each<C: ScanlineCost>(
        &self,
        part_transform: &PartTransform<'_, C>,
        limit: Option<u64>,
        visit: impl FnMut(Part) -> Result<(), DistanceError>,
    ) -> Result<(), DistanceError> {
        if self.bits.words() == 0 {
            return Ok(());
        }
        part_transform.for_each(limit, self.words.bytes() as u64, 0, visit)
    }

    /// Returns the changes along the scanlines of a part.
    fn changes_along<C>(
        &self,
        part_transform: &PartTransform<'_, C>,
        part: Part,
        axis: u32,
    ) -> Changes<'_> {
        Changes {
            words: self.words_along(axis),
            location: self.line_changes(part, axis),
            max_distance: part_transform.unit.max_steps_along(axis as usize),
        }
    }

    /// Computes the squared distances of a part within its planes.
    fn costs_in_planes<C: ScanlineCost>(
        &self,
        part_transform: &PartTransform<'_, C>,
        part: Part,
    ) -> Result<Buffer<C>, DistanceError> {
        let (stream, along_y) = (self.stream, part_transform.tiled_along_y());
        let row_scan = part_transform.row_scan(self.words_along(0), part)?;
        let row_costs = part_transform.row_costs(part);
        let mut costs = stream.alloc::<C>(part.voxels())?;
        let (scanlines, layout) = (part.scanlines_along_y(), part.layout_along_y());
        if let Some(group_launch) = along_y.group_launch(stream, scanlines) {
            let (kernels, rows) = (group_launch.kernels, (row_scan.view(), row_costs));
            let changes = Some(self.changes_along(part_transform, part, Y));
            let to = (layout, costs.view_mut());
            // SAFETY: the row scan covers the words of the part, and there is one cost per voxel.
            unsafe { kernels.minima_from_rows(stream, group_launch, rows, changes, to) }?;
            return Ok(costs);
        }
        let Grid { ny, nz, .. } = self.bits.grid;
        let rows = rows(stream, [part.columns() as u32, ny, nz], 1);
        let no_site = part_transform
            .unit
            .axis(&part_transform.weights, 0, self.bits.grid.nx)
            .no_site;
        // SAFETY: the rows are those of the part, and the row scan covers its words.
        unsafe {
            let args = (row_scan.view(), rows, row_costs, no_site, costs.view_mut());
            stream.launch::<squared_from_changes<C>>(rows_launch(rows), args)?;
        }
        drop(row_scan);
        part_transform.minimise(&mut costs, scanlines, &along_y, layout)?;
        self.clamp_to_line(part_transform, part, Y, &mut costs)?;
        Ok(costs)
    }

    /// Computes the squared distances of a part.
    pub fn squared_costs<C: ScanlineCost>(
        &self,
        part_transform: &PartTransform<'_, C>,
        part: Part,
    ) -> Result<Buffer<C>, DistanceError> {
        let mut costs = self.costs_in_planes(part_transform, part)?;
        let (scanlines, layout) = (part.scanlines_along_z(), part.layout_along_z());
        let tiled = part_transform.tiled_along_z();
        if let Some(group_launch) = tiled.group_launch(self.stream, scanlines) {
            let (kernels, to) = (group_launch.kernels, (layout, costs.view_mut()));
            let changes = Some(self.changes_along(part_transform, part, 2));
            // SAFETY: there is one cost per voxel of the part.
            unsafe { kernels.minima_along(self.stream, group_launch, changes, to) }?;
            return Ok(costs);
        }
        part_transform.minimise(&mut costs, scanlines, &tiled, layout)?;
        self.clamp_to_line(part_transform, part, 2, &mut costs)?;
        Ok(costs)
    }

    /// Clamps costs to the distances to label changes along y or z.
    fn clamp_to_line<C: ScanlineCost>(
        &self,
        part_transform: &PartTransform<'_, C>,
        part: Part,
        axis: u32,
        costs: &mut Buffer<C>,
    ) -> Result<(), DeviceError> {
        let (line_changes, layout) = match axis {
            Y => (part.scanlines_along_y(), part.layout_along_y()),
            _ => (part.scanlines_along_z(), part.layout_along_z()),
        };
        let location = self.line_changes(part, axis);
        let (launch, groups) = scanline_launch(self.stream, line_changes);
        let axis = axis as usize;
        let args = (
            self.words_along(axis as u32),
            location,
            groups,
            part_transform
                .unit
                .axis(&part_transform.weights, axis, location.len),
            part_transform.unit.max_steps_along(axis),
            layout,
            costs.view_mut(),
        );
        // SAFETY: there is one cost per voxel of the part, and the words are those of the axis.
        unsafe { self.stream.launch::<clamp_to_changes<C>>(launch, args) }
    }
}
