//! Compares the parallel loops with sequential ones.

use super::*;
use crate::memory::{OutOfMemory, catch_out_of_memory};
use crate::monitor::{CancelFlag, Cancelled};
use proptest::prelude::*;

proptest! {
    #[test]
    fn parallel_loops_equal_sequential_loops(
        numbers in prop::collection::vec(0_u32..60, 0..300),
        chunk_len in 1_usize..40,
    ) {
        let all = |range: Range<usize>| numbers[range].to_vec();
        let one = reduce(numbers.len(), chunk_len, all, |a, b| [a, b].concat());
        prop_assert_eq!(&one.unwrap_or_default(), &numbers);

        let join = |a: Vec<u32>, b| [a, b].concat();
        let (one, first) = reduce_in_background(numbers.len(), chunk_len, all, join, || {
            numbers.first()
        });
        prop_assert_eq!(&one.unwrap_or_default(), &numbers);
        prop_assert_eq!(first, numbers.first());

        let mut changed = numbers.clone();
        for_each_chunk_mut(&mut changed, chunk_len, |first, part| {
            for (at, number) in (first..).zip(part) {
                *number += at as u32;
            }
        });
        for_each_mut(&mut changed, |at, number| *number -= at as u32);
        prop_assert_eq!(&changed, &numbers);

        let states = for_each_with(numbers.len(), || 0, |sum, at| *sum += u64::from(numbers[at]));
        prop_assert_eq!(states.iter().sum::<u64>(), numbers.iter().map(|&it| u64::from(it)).sum::<u64>());

        prop_assert_eq!(&map(numbers.len(), |at| numbers[at]), &numbers);
        let is_odd = |number: &u32| !number.is_multiple_of(7);
        let odd: Vec<u32> = numbers.iter().copied().filter(is_odd).collect();
        let found = collect(numbers.len(), chunk_len, |range, list| {
            list.extend_or_unwind(numbers[range].iter().copied().filter(is_odd));
        });
        prop_assert_eq!(found, odd);
        let position = |range: Range<usize>| numbers[range.clone()].iter().position(|&it| it > 55).map(|at| range.start + at);
        prop_assert_eq!(find_first(numbers.len(), chunk_len, position), position(0..numbers.len()));

        let mut changed = numbers.clone();
        prop_assert_eq!(&map_mut(&mut changed, |at, number| std::mem::replace(number, at as u32)), &numbers);
        prop_assert!(changed.iter().copied().eq(0..numbers.len() as u32));

        let tried = |at: usize| if numbers[at] == 59 { Err(59) } else { Ok(numbers[at]) };
        let expected: Result<Vec<u32>, i32> = (0..numbers.len()).map(tried).collect();
        prop_assert_eq!(&try_map(numbers.len(), tried), &expected);
        prop_assert_eq!(try_map_mut(&mut changed, |at, _| tried(at)), expected);
    }
}

#[test]
fn reduce_joins_ranges_in_order() {
    for count in [
        0,
        1,
        MAX_RANGES - 1,
        MAX_RANGES,
        MAX_RANGES + 1,
        10 * MAX_RANGES + 7,
    ] {
        let joined = reduce(
            count,
            1,
            |range| range,
            |a, b| {
                if a.end == b.start {
                    a.start..b.end
                } else {
                    panic!("{a:?}, {b:?}")
                }
            },
        );
        assert_eq!(joined.unwrap_or(0..0), 0..count);
    }
}

#[test]
fn no_call_starts_after_an_error() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let started = AtomicUsize::new(0);
    let result = pool.unwrap().install(|| {
        try_map(100, |at| {
            started.fetch_add(1, Relaxed);
            if at == 9 { Err(at) } else { Ok(at) }
        })
    });
    assert_eq!((result, started.into_inner()), (Err(9), 10));
}

#[test]
fn failed_allocation_in_a_loop_is_caught_by_the_caller() {
    let result = catch_out_of_memory("a test", || {
        for_each(8, &|_| drop(with_capacity_or_unwind::<u64>(1 << 58)));
        Ok::<_, OutOfMemory>(())
    });
    assert_eq!(result.unwrap_err().bytes, 1 << 61);
}

#[test]
fn job_of_a_thread_with_a_cancelled_loop_is_not_cancelled() {
    let flag = CancelFlag::new();
    let result = catch_cancelled(Some(&flag), || {
        flag.cancel();
        // as a thread of the pool does while it waits for the other items of a loop
        let count = run_job(|| map(3, |it| it).len());
        Ok::<_, Cancelled>(count)
    });
    assert_eq!(result, Ok(3));
}

#[test]
fn loops_end_after_their_flag_is_set() {
    let flag = CancelFlag::new();
    let calls = AtomicUsize::new(0);
    let result = catch_cancelled(Some(&flag), || {
        let long = || {
            for_each(1_000_000, &|_| {
                map(2, |_| ());
                if calls.fetch_add(1, Relaxed) == 1000 {
                    flag.cancel();
                }
            });
        };
        join(|| (), long);
        Ok(())
    });
    assert_eq!(result, Err(Cancelled));
    assert!(calls.load(Relaxed) < 500_000);
    // later loops have no flag
    map(4, |_| unwind_if_cancelled());
    let counted = catch_cancelled(None, || Ok::<_, Cancelled>(map(3, |it| it).len()));
    assert_eq!(counted, Ok(3));
}
