//! Work that several devices do at the same time, each on its part of one mesh.

use super::{IndexWidth, IsosurfaceError, IsosurfaceParams};
use crate::partition::workers::{self, Guard, Shared};

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

/// What the workers have said so far.
struct Said {
    counts: Vec<Option<PartCounts>>,
    /// Where each part's place is, from when all counts are known.
    places: Option<Vec<Place>>,
    /// Why there are no places although all counts are known.
    refused: Option<IsosurfaceError>,
}

impl Said {
    /// Computes the places, if all counts are known.
    fn place_all(&mut self, params: &IsosurfaceParams) {
        let Some(counts) = self.counts.iter().copied().collect::<Option<Vec<_>>>() else {
            return;
        };
        let width = params.width_for(
            counts.iter().map(|part| part.vertices).sum(),
            counts.iter().map(|part| part.triangles).sum(),
        );
        match width {
            Err(error) => self.refused = Some(error),
            Ok(width) => {
                let mut next = 0;
                let place = |part: &PartCounts| {
                    let first_vertex = next;
                    next += part.vertices;
                    Place {
                        first_vertex,
                        width,
                    }
                };
                self.places = Some(counts.iter().map(place).collect());
            }
        }
    }
}

/// How a worker tells the others what its part has. If it is dropped before, all give up.
pub(super) struct Exchange<'a> {
    worker: usize,
    params: &'a IsosurfaceParams,
    guard: Guard<'a, Said>,
}

impl<'a> Exchange<'a> {
    /// Says what the worker's part has. The last one that does computes the places of all.
    pub fn say(self, counts: PartCounts) -> ToBePlaced<'a> {
        let (worker, params) = (self.worker, self.params);
        self.guard.shared().change(|said| {
            said.counts[worker] = Some(counts);
            said.place_all(params);
        });
        // whatever this worker does now, the others know what they need
        let said = self.guard.done();
        ToBePlaced { worker, said }
    }
}

/// How a worker learns what lies before its part.
pub(super) struct ToBePlaced<'a> {
    worker: usize,
    said: &'a Shared<Said>,
}

impl ToBePlaced<'_> {
    /// Where the part begins. Waits until all workers have said what they have; gives up when one of them failed.
    pub fn place(self) -> Result<Place, Stop> {
        let found = self.said.wait(|said| match (&said.places, &said.refused) {
            (Some(places), _) => Some(Some(places[self.worker])),
            (None, Some(_)) => Some(None),
            (None, None) => None,
        });
        // a refusal is reported by `together`
        found.ok().flatten().ok_or(Stop::OtherFailed)
    }
}

/// Runs `work` for each of the devices, named by `devices`: the first on this thread, each other on one of its own. The results
/// are in their order.
///
/// # Errors
/// The first worker's that failed, with the device's name, or [`IsosurfaceError::IndexWidth`].
pub(super) fn together<R: Send>(
    devices: &[String],
    params: &IsosurfaceParams,
    work: impl Fn(usize, Exchange<'_>) -> Result<R, Stop> + Sync,
) -> Result<Vec<R>, IsosurfaceError> {
    let said = Shared::new(Said {
        counts: vec![None; devices.len()],
        places: None,
        refused: None,
    });
    // made before any worker begins, so that none is waited for that never does
    let exchanges: Vec<_> = (0..devices.len())
        .map(|worker| Exchange {
            worker,
            params,
            guard: said.give_up_unless_done(),
        })
        .collect();
    let results = workers::each(exchanges, work);
    let mut done = Vec::with_capacity(devices.len());
    for (worker, result) in results.into_iter().enumerate() {
        match result {
            Ok(result) => done.push(result),
            Err(Stop::OtherFailed) => {}
            Err(Stop::Failed(source)) => {
                return Err(on_device(devices, worker, source));
            }
        }
    }
    match said.into_inner().refused {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{panic, thread, time::Duration};

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|i| format!("device-{i}")).collect()
    }

    fn counts(vertices: u64) -> PartCounts {
        PartCounts {
            vertices,
            triangles: 1,
        }
    }

    #[test]
    fn places_follow_each_other_whoever_is_last() {
        for late in 0..4 {
            let places = together(
                &names(4),
                &IsosurfaceParams::default(),
                |worker, exchange| {
                    if worker == late {
                        thread::sleep(Duration::from_millis(2));
                    }
                    exchange.say(counts(10 + worker as u64)).place()
                },
            );
            let first: Vec<u64> = places.unwrap().iter().map(|it| it.first_vertex).collect();
            assert_eq!(first, [0, 10, 21, 33]);
        }
    }

    #[test]
    fn the_first_that_failed_is_named() {
        for failing in 0..3 {
            let outcome = together(
                &names(3),
                &IsosurfaceParams::default(),
                |worker, exchange| {
                    if worker >= failing {
                        return Err(Stop::Failed(IsosurfaceError::NoDevices));
                    }
                    exchange.say(counts(1)).place()
                },
            );
            match outcome {
                Err(IsosurfaceError::OnDevice { number, count, .. }) => {
                    assert_eq!((number, count), (failing + 1, 3));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// As one whose triangles find no memory: the others are told what they need in any case.
    #[test]
    fn failing_after_the_exchange_is_reported_too() {
        let outcome = together(
            &names(2),
            &IsosurfaceParams::default(),
            |worker, exchange| {
                let place = exchange.say(counts(1)).place()?;
                match worker {
                    1 => Err(Stop::Failed(IsosurfaceError::NoDevices)),
                    _ => Ok(place),
                }
            },
        );
        assert!(matches!(
            outcome,
            Err(IsosurfaceError::OnDevice { number: 2, .. })
        ));
    }

    #[test]
    fn a_panic_hangs_nobody() {
        for place in 0..3 {
            let outcome = panic::catch_unwind(|| {
                together(
                    &names(3),
                    &IsosurfaceParams::default(),
                    |worker, exchange| {
                        assert!(worker != place, "worker {worker}");
                        exchange.say(counts(1)).place()
                    },
                )
            });
            assert!(outcome.is_err());
        }
    }

    #[test]
    fn too_many_vertices_for_the_width_are_refused_once() {
        let params = IsosurfaceParams {
            index_width: IndexWidth::Bits32,
            ..Default::default()
        };
        let outcome = together(&names(2), &params, |_, exchange| {
            exchange.say(counts(1 << 31)).place()
        });
        match outcome {
            Err(IsosurfaceError::IndexWidth { vertices, .. }) => assert_eq!(vertices, 1 << 32),
            other => panic!("{other:?}"),
        }
    }
}
