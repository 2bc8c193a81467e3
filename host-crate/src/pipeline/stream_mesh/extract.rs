//! Reader, workers and writer, which run concurrently.

use super::{
    Job, StreamError, StreamReport,
    plan::Plan,
    slabs::{SlabBuffer, Slabs},
    worker::{FinishedPart, Worker},
};
use crate::{
    device::{DeviceError, no_thread},
    grid::{DeviceSample, Sample},
    io::{MeshCounts, MeshWriter},
    isosurface::{IsosurfaceError, TopologyCounts, counts::PartCounts},
    mesh::{EdgeBalance, Triangles},
    partition::{
        budget::OverBudget,
        devices::{Stop, collect_results},
        exchange::Guard,
        offsets::Offsets,
        ordered::consume_in_order,
    },
    pipeline::PositionEncoding,
};
use std::{
    sync::mpsc::{channel, sync_channel},
    thread,
    time::{Duration, Instant},
};

/// Runs the reader, the workers and the writer.
pub(super) fn extract_slabs<T: DeviceSample + Sample>(
    job: Job<'_>,
    plan: Plan,
    slabs: &mut Slabs<'_, T>,
    mut writer: Option<MeshWriter>,
) -> Result<StreamReport, OverBudget<StreamError>> {
    let too_little = OverBudget::TooLittle {
        budget: plan.memory,
    };
    if !plan.slab_fits {
        return Err(too_little);
    }
    let workers = plan.workers;
    let count = job.partition.cell_planes().div_ceil(plan.height) as usize;
    let counter = job.monitor.counter("slabs", count as u64);
    let offsets = Offsets::new(PartCounts::default(), count, PartCounts::plus);
    let mut writing = Duration::ZERO;
    let mut counts = MeshCounts::default();
    let mut non_finite_cells = 0;
    let mut topology = TopologyCounts::default();
    let mut balance = EdgeBalance::default();
    if let Some(writer) = &mut writer
        && job.options.positions == PositionEncoding::World
    {
        let origin = job.partition.origin.into();
        writer.set_origin(origin).map_err(failed)?;
    }
    let mut write = |_, mut part: FinishedPart| -> Result<(), StreamError> {
        let start = Instant::now();
        job.options.positions.apply(&mut part.mesh);
        balance = balance.plus(part.balance);
        let (vertices, normals) = (&part.mesh.vertices, part.mesh.normals.as_deref());
        if let Some(writer) = &mut writer {
            match &part.mesh.triangles {
                Triangles::U32(triangles) => writer.append(vertices, normals, triangles)?,
                Triangles::U64(triangles) => writer.append(vertices, normals, triangles)?,
            }
        }
        counts.vertices += vertices.len() as u64;
        counts.triangles += part.mesh.triangles.len() as u64;
        non_finite_cells += part.non_finite_cells;
        topology = topology.plus(part.topology);
        writing += start.elapsed();
        Ok(())
    };
    let result = thread::scope(|scope| {
        let (free, free_buffers) = channel();
        for _ in 0..workers + 1 {
            // cannot fail: the receiver exists
            let _ = free.send(SlabBuffer::default());
        }
        let (mut to_workers, mut jobs) = (Vec::new(), Vec::new());
        for device in &job.devices[..workers] {
            let (to_worker, filled) = sync_channel(0);
            to_workers.push(to_worker);
            let worker = Worker {
                job,
                plan,
                device,
                filled,
                free: free.clone(),
                offsets: &offsets,
            };
            jobs.push((worker, offsets.guard()));
        }
        drop(free);
        let slabs = &mut *slabs;
        let read = move || slabs.read_all(plan.height, free_buffers, &to_workers);
        let reader = thread::Builder::new().spawn_scoped(scope, read);
        let reader = reader.map_err(|error| no_thread(&error))?;
        let run = |_, (worker, guard): (Worker<'_, T>, Guard<'_, _>), sender| {
            let report = Worker::run(worker, &sender)?;
            guard.done();
            Ok(report)
        };
        let outcome = consume_in_order(jobs, count, 1, &counter, run, &mut write);
        // the reader stops once all workers are gone
        Ok((reader.join(), outcome?))
    });
    let (read, outcome) = result.map_err(|error: DeviceError| failed(error))?;
    let read = read.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let reading = read.map_err(failed)?;
    let mut is_too_little = false;
    let mut convert = |stop| match stop {
        Stop::Failed(OverBudget::Failed(error)) => Stop::Failed(error),
        Stop::Failed(OverBudget::TooLittle { .. }) => {
            is_too_little = true;
            Stop::OtherFailed
        }
        Stop::OtherFailed => Stop::OtherFailed,
    };
    let results = outcome.workers.into_iter();
    let results = results.map(|result| result.map_err(&mut convert)).collect();
    let devices = collect_results(job.devices, results)
        .map_err(|error| failed(IsosurfaceError::from(error)))?;
    if is_too_little {
        return Err(too_little);
    }
    outcome.consumed.map_err(OverBudget::Failed)?;
    let statistics = slabs.statistics();
    let start = Instant::now();
    if let Some(writer) = writer {
        counts = writer.finish().map_err(failed)?;
    }
    Ok(StreamReport {
        origin: job.partition.origin.into(),
        is_closed: balance.is_zero(),
        vertices: counts.vertices,
        triangles: counts.triangles,
        non_finite_cells,
        topology,
        samples: statistics.summary,
        inexact_samples: statistics.inexact,
        slabs: count as u64,
        along: job.along,
        devices,
        reading,
        writing: writing + start.elapsed(),
    })
}

fn failed(error: impl Into<StreamError>) -> OverBudget<StreamError> {
    OverBudget::Failed(error.into())
}
