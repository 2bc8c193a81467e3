//! Shortest ways of a given class.

use super::{
    classes::Class,
    cocycle::Cocycle,
    metric::Metric,
    neighbours::{AROUND, OFFSETS},
    object::Object,
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// The length of the shortest way of a class between two voxels through centres of voxels that touch, if it is less than `most`: in the smallest spacing.
///
/// Looks at places from which the way can still be so short only.
pub fn shortest_below(
    object: &Object,
    metric: &Metric,
    cocycle: &mut Cocycle,
    [from, to]: [usize; 2],
    class: Class,
    most: f64,
) -> Option<f64> {
    let goal = object.voxels[to];
    let rest = |voxel: usize| {
        let at = object.voxels[voxel];
        metric.length([0, 1, 2].map(|axis| f64::from(goal[axis] - at[axis])))
    };
    if rest(from) >= most {
        return None;
    }
    let steps = OFFSETS.map(|step| metric.length(step.map(f64::from)));
    let mut lengths: HashMap<(u32, Class), f64> = HashMap::new();
    let mut queue = BinaryHeap::new();
    lengths.insert((from as u32, 0), 0.0);
    // by the least length that the whole way may have (Hart, Nilsson and Raphael 1968)
    queue.push(Reverse((
        rest(from).to_bits(),
        0f64.to_bits(),
        from as u32,
        0,
    )));
    while let Some(Reverse((_, bits, voxel, at_class))) = queue.pop() {
        let length = f64::from_bits(bits);
        if lengths
            .get(&(voxel, at_class))
            .is_some_and(|&known| known < length)
        {
            continue;
        }
        if voxel as usize == to && at_class == class {
            return Some(length);
        }
        let voxel = voxel as usize;
        for (bit, other) in object.neighbours(voxel, object.around[voxel] & AROUND) {
            let next = length + steps[bit];
            let least = next + rest(other);
            if least >= most {
                continue;
            }
            let next_class = cocycle.table.sum(at_class, cocycle.step(voxel, bit));
            let known = lengths
                .entry((other as u32, next_class))
                .or_insert(f64::INFINITY);
            if next < *known {
                *known = next;
                queue.push(Reverse((
                    least.to_bits(),
                    next.to_bits(),
                    other as u32,
                    next_class,
                )));
            }
        }
    }
    None
}
