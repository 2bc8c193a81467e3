//! Work that several devices do at the same time, each on its part of one mesh.

use super::{IndexWidth, IsosurfaceError, IsosurfaceParams};
use std::{
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

/// Vertices and triangles of a part, before it is made.
#[derive(Clone, Copy, Default)]
pub(super) struct PartCounts {
    pub vertices: u64,
    pub triangles: u64,
}

/// Where a part's vertices begin, and how wide the mesh's indices are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub first_vertex: u64,
    pub width: IndexWidth,
}

/// Why a worker stops.
pub(super) enum Stop {
    Failed(IsosurfaceError),
    /// Another one failed.
    OtherFailed,
}

impl<E: Into<IsosurfaceError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// How a worker learns what lies before its part.
pub(super) struct Exchange {
    worker: usize,
    counts: Sender<(usize, PartCounts)>,
    place: Receiver<Place>,
}

impl Exchange {
    /// Says what the worker's part has. Waits until all workers have; gives up when one of them failed.
    pub fn place(self, counts: PartCounts) -> Result<Place, Stop> {
        let said = self.counts.send((self.worker, counts));
        said.map_err(|_| Stop::OtherFailed)?;
        drop(self.counts);
        self.place.recv().map_err(|_| Stop::OtherFailed)
    }
}

/// Runs `work` for each of the devices, named by `devices`, on a thread of its own. The results are in their order.
///
/// # Errors
/// The first worker's that failed, with the device's name, or [`IsosurfaceError::IndexWidth`].
pub(super) fn together<R: Send>(
    devices: &[String],
    params: &IsosurfaceParams,
    work: impl Fn(usize, Exchange) -> Result<R, Stop> + Sync,
) -> Result<Vec<R>, IsosurfaceError> {
    let count = devices.len();
    let (counts, counted) = channel();
    let (results, refused) = thread::scope(|scope| {
        let mut places = Vec::with_capacity(count);
        let mut threads = Vec::with_capacity(count);
        for worker in 0..count {
            let (to_worker, place) = channel();
            places.push(to_worker);
            let exchange = Exchange {
                worker,
                counts: counts.clone(),
                place,
            };
            let work = &work;
            threads.push(scope.spawn(move || work(worker, exchange)));
        }
        // from here on only the workers can send, so that the last one's end is noticed
        drop(counts);
        let refused = assign(counted, &places, params).err();
        drop(places);
        let results: Vec<_> = threads
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect();
        (results, refused)
    });
    let mut done = Vec::with_capacity(count);
    for (worker, result) in results.into_iter().enumerate() {
        match result {
            Ok(result) => done.push(result),
            Err(Stop::OtherFailed) => {}
            Err(Stop::Failed(source)) => {
                return Err(on_device(devices, worker, source));
            }
        }
    }
    match refused {
        Some(error) => Err(error),
        None => Ok(done),
    }
}

/// The error of a device among several.
pub(super) fn on_device(
    devices: &[String],
    worker: usize,
    source: IsosurfaceError,
) -> IsosurfaceError {
    IsosurfaceError::OnDevice {
        device: devices[worker].clone(),
        number: worker + 1,
        count: devices.len(),
        source: Box::new(source),
    }
}

/// Waits for the counts of all workers, and tells each what lies before its part; tells nobody if one has failed.
fn assign(
    counted: Receiver<(usize, PartCounts)>,
    places: &[Sender<Place>],
    params: &IsosurfaceParams,
) -> Result<(), IsosurfaceError> {
    let mut counts = vec![None; places.len()];
    for (worker, of_worker) in counted {
        counts[worker] = Some(of_worker);
    }
    let Some(counts) = counts.into_iter().collect::<Option<Vec<PartCounts>>>() else {
        // the worker that failed says why
        return Ok(());
    };
    let width = params.width_for(
        counts.iter().map(|part| part.vertices).sum(),
        counts.iter().map(|part| part.triangles).sum(),
    )?;
    let mut first_vertex = 0;
    for (place, part) in places.iter().zip(&counts) {
        // one that is gone says why itself
        let _ = place.send(Place {
            first_vertex,
            width,
        });
        first_vertex += part.vertices;
    }
    Ok(())
}
