//! Distances and shortest paths of large components on a device.

use super::{
    edge_weights::{DistancesAndWeights, round_squares},
    shortest_paths::ShortestPaths,
    steps::half_step_lengths,
};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream, items_launch, rows, rows_launch},
    grid::{DeviceMask, Geometry, Mask, Metric},
    skeleton::{
        SkeletonError,
        medial::{
            progress::{ComponentProgress, Stage},
            voxels::object::Object,
        },
        potential_field::field::{Targets, brick_grid},
    },
};
use ferrovox_kernels::{
    grid::Grid,
    rows::Rows,
    skeleton::geodesics::{
        AxisLines, BRICK_VOXELS, add_edge_weights_along_axis, edge_weights_along_x,
        find_predecessors, finish_edge_weights, gather_costs, relax_bricks, seed_root,
        squared_distances_along_axis, squared_distances_along_x,
    },
};

/// Number of relaxation rounds between two checks by the host.
const ROUNDS_PER_CHECK: u32 = 12;

/// Device memory in bytes per sample of the bounding box, and per voxel.
const BYTES_PER_SAMPLE_AND_VOXEL: [u64; 2] = [21, 13];

/// Maximum number of samples of the bounding box per voxel.
const MAX_SAMPLES_PER_VOXEL: u64 = 64;

/// Exclusive upper bound of the samples along an axis: steps are counted in f32.
const MAX_AXIS_SAMPLES: i32 = 1 << 24;

/// Component on a device, in its bounding box padded by one sample.
pub struct DeviceComponent<'a> {
    stream: &'a Stream,
    mask: DeviceMask,
    /// Number of voxels before each word of the mask.
    before: Buffer<u64>,
    /// Number of voxels.
    count: u64,
    /// Edge weight of each sample of the box.
    edge_weights: Buffer<f32>,
    /// Path cost of each sample of the box.
    costs: Buffer<f64>,
    /// Half of the length of each step.
    half_step_lengths: Buffer<f64>,
}

impl<'a> DeviceComponent<'a> {
    /// Returns `true` if the component can be processed on the device: its axes are orthogonal, its
    /// bounding box is neither too sparse nor too long, and the memory suffices.
    pub fn is_suitable(stream: &Stream, object: &Object, metric: &Metric) -> bool {
        let [x, y, z] = object.dims().map(|along| along as u64 + 2);
        let samples = (x * y).saturating_mul(z);
        let count = object.len() as u64;
        metric.is_diagonal()
            && object
                .dims()
                .into_iter()
                .all(|along| along + 2 < MAX_AXIS_SAMPLES)
            && samples / count <= MAX_SAMPLES_PER_VOXEL
            && u32::try_from(samples).is_ok()
            && stream
                .require(
                    BYTES_PER_SAMPLE_AND_VOXEL[0] * samples + BYTES_PER_SAMPLE_AND_VOXEL[1] * count,
                )
                .is_ok()
    }

    /// Uploads a component with orthogonal axes, and computes its squared distances and edge
    /// weights. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn new(
        stream: &'a Stream,
        object: &Object,
        metric: &Metric,
    ) -> Result<(Self, DistancesAndWeights), SkeletonError> {
        let dims = object.dims().map(|along| along as usize + 2);
        let mask = Mask::from_words(object.padded_words(), dims, Geometry::default())?;
        let mask = mask.upload(stream)?;
        let Targets { before, count, .. } = Targets::new(stream, &mask)?;
        let samples = mask.grid.samples() as usize;
        let mut costs = stream.alloc::<f64>(samples)?;
        let mut edge_weights = stream.alloc::<f32>(samples)?;
        let mut squared_distances = stream.alloc::<f64>(count as usize)?;
        let mut voxel_weights = stream.alloc::<f32>(count as usize)?;
        let weights = [0, 1, 2].map(|axis| metric.squared_spacing(axis));
        let box_rows = grid_rows(stream, mask.grid);
        let launch = rows_launch(box_rows);
        let bits = mask.layout();
        {
            let mut along = stream.alloc::<f64>(samples)?;
            let Grid { nx, ny, nz } = mask.grid;
            let [nx, ny, nz] = [nx, ny, nz].map(u64::from);
            let along_y = AxisLines {
                stride: nx,
                len: ny,
                interleaved: nx,
                group_stride: nx * ny,
                squared_spacing: weights[1],
            };
            let along_z = AxisLines {
                stride: nx * ny,
                len: nz,
                interleaved: nx * ny,
                group_stride: nx * ny * nz,
                squared_spacing: weights[2],
            };
            let (sample_launch, items) = items_launch(stream, samples as u64);
            // SAFETY: the object is padded by one sample, and the buffers have one element per
            // sample of the box or per voxel.
            unsafe {
                let args = (
                    mask.bits.view(),
                    bits,
                    weights[0],
                    box_rows,
                    costs.view_mut(),
                );
                stream.launch::<squared_distances_along_x>(launch, args)?;
                let args = (costs.view(), nx, weights[1], items, along.view_mut());
                stream.launch::<squared_distances_along_axis>(sample_launch, args)?;
                let args = (along.view(), nx * ny, weights[2], items, costs.view_mut());
                stream.launch::<squared_distances_along_axis>(sample_launch, args)?;
                let args = (
                    mask.bits.view(),
                    bits,
                    weights[0],
                    box_rows,
                    along.view_mut(),
                );
                stream.launch::<edge_weights_along_x>(launch, args)?;
                for columns in [along_y, along_z] {
                    let (launch, items) = items_launch(stream, samples as u64 / columns.len);
                    let args = (
                        costs.view(),
                        columns,
                        items,
                        edge_weights.view_mut(),
                        along.view_mut(),
                    );
                    stream.launch::<add_edge_weights_along_axis>(launch, args)?;
                }
                let args = (
                    mask.bits.view(),
                    before.view(),
                    bits,
                    along.view(),
                    box_rows,
                    squared_distances.view_mut(),
                    voxel_weights.view_mut(),
                    edge_weights.view_mut(),
                    costs.view_mut(),
                );
                stream.launch::<finish_edge_weights>(launch, args)?;
            }
        }
        let device = Self {
            stream,
            before,
            count,
            edge_weights,
            costs,
            half_step_lengths: stream.upload(&half_step_lengths(metric))?,
            mask,
        };
        let measured = DistancesAndWeights {
            squared_distances: round_squares(&stream.download(&squared_distances)?),
            edge_weights: stream.download(&voxel_weights)?,
        };
        Ok((device, measured))
    }

    /// Computes the shortest paths from `root`, which must be a voxel of the component, and their
    /// costs if `with_costs` is `true`. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device; [`Cancelled`](crate::monitor::Cancelled).
    pub fn shortest_paths(
        mut self,
        object: &Object,
        metric: &Metric,
        root: usize,
        with_costs: bool,
        progress: &ComponentProgress<'_>,
    ) -> Result<ShortestPaths, SkeletonError> {
        let root_at = object.position(root).map(|along| along as u32 + 1);
        self.relax(root_at, progress)?;
        let count = self.count as usize;
        let stream = self.stream;
        let mut predecessors = stream.alloc::<u8>(count)?;
        let box_rows = grid_rows(stream, self.mask.grid);
        let bits = self.mask.layout();
        // SAFETY: as in `new`; the output has one element per voxel.
        unsafe {
            let args = (
                self.mask.bits.view(),
                self.before.view(),
                bits,
                self.edge_weights.view(),
                self.costs.view(),
                self.half_step_lengths.view(),
                box_rows,
                predecessors.view_mut(),
            );
            stream.launch::<find_predecessors>(rows_launch(box_rows), args)?;
        }
        let costs = if with_costs {
            self.gather_costs()?
        } else {
            Vec::new()
        };
        let predecessors = stream.download(&predecessors)?;
        progress.finish_stage(Stage::Paths)?;
        Ok(ShortestPaths::from_parts(metric, predecessors, costs))
    }

    /// Relaxes the costs from a root until none decreases.
    fn relax(
        &mut self,
        root: [u32; 3],
        progress: &ComponentProgress<'_>,
    ) -> Result<(), SkeletonError> {
        let stream = self.stream;
        let grid = self.mask.grid;
        let bricks = brick_grid(grid);
        let count = bricks.samples() as usize;
        let mut queues = [stream.alloc::<u32>(count)?, stream.alloc::<u32>(count)?];
        let mut marks = stream.zeros::<u32>(count)?;
        let mut counts = stream.zeros::<u32>(3)?;
        let mut round = 1;
        // SAFETY: the root is a sample of the box, and the queues have one element per brick.
        unsafe {
            let args = (
                grid,
                bricks,
                root,
                round,
                queues[0].view_mut(),
                counts.view_mut(),
                self.costs.view_mut(),
            );
            stream.launch::<seed_root>(Launch::one_block().max_useful_threads(1), args)?;
        }
        let by_bricks = Launch::pieces(count as u64).block_divides(BRICK_VOXELS);
        let plan = stream.plan::<relax_bricks>(by_bricks)?;
        let blocks = u64::from(plan.resident_blocks).min(count as u64);
        let launch = Launch::pieces(blocks).block_divides(BRICK_VOXELS);
        loop {
            for _ in 0..ROUNDS_PER_CHECK {
                let [queue, next] = &mut queues;
                // SAFETY: there is an edge weight and a cost for each sample of the box, queues and
                // marks have one element per brick, and the marks are numbers of earlier rounds.
                unsafe {
                    let args = (
                        self.edge_weights.view(),
                        self.half_step_lengths.view(),
                        grid,
                        bricks,
                        round,
                        queue.view(),
                        next.view_mut(),
                        counts.view_mut(),
                        marks.view_mut(),
                        self.costs.view_mut(),
                    );
                    stream.launch::<relax_bricks>(launch, args)?;
                }
                queues.swap(0, 1);
                round += 1;
            }
            progress.check()?;
            if stream.download(&counts)?[(round % 3) as usize] == 0 {
                return Ok(());
            }
        }
    }

    /// Returns the path costs of the voxels, in voxel order.
    fn gather_costs(&self) -> Result<Vec<f64>, DeviceError> {
        let stream = self.stream;
        let mut costs = stream.alloc::<f64>(self.count as usize)?;
        let box_rows = grid_rows(stream, self.mask.grid);
        // SAFETY: the mask is that of the box, and the output has one element per voxel.
        unsafe {
            let args = (
                self.mask.bits.view(),
                self.before.view(),
                self.mask.layout(),
                self.costs.view(),
                box_rows,
                costs.view_mut(),
            );
            stream.launch::<gather_costs>(rows_launch(box_rows), args)?;
        }
        stream.download(&costs)
    }
}

/// Returns the launch rows of all samples of a box.
fn grid_rows(stream: &Stream, grid: Grid) -> Rows {
    rows(stream, [grid.nx, grid.ny, grid.nz], 1)
}
