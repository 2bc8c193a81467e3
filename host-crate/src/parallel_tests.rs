//! Loops on all threads against loops on one.

use super::*;
use crate::memory::{OutOfMemory, caught};
use proptest::prelude::*;

proptest! {
    #[test]
    fn loops_do_what_loops_on_one_thread_do(
        numbers in prop::collection::vec(0_u32..60, 0..300),
        portion in 1_usize..40,
    ) {
        let all = |range: Range<usize>| numbers[range].to_vec();
        let one = reduce(numbers.len(), portion, all, |a, b| [a, b].concat());
        prop_assert_eq!(&one.unwrap_or_default(), &numbers);

        let mut changed = numbers.clone();
        each_portion_mut(&mut changed, portion, |first, part| {
            for (at, number) in (first..).zip(part) {
                *number += at as u32;
            }
        });
        each_mut(&mut changed, |at, number| *number -= at as u32);
        prop_assert_eq!(&changed, &numbers);

        let states = each_with(numbers.len(), || 0, |sum, at| *sum += u64::from(numbers[at]));
        prop_assert_eq!(states.iter().sum::<u64>(), numbers.iter().map(|&it| u64::from(it)).sum::<u64>());

        prop_assert_eq!(&map(numbers.len(), |at| numbers[at]), &numbers);
        let is_odd = |number: &u32| !number.is_multiple_of(7);
        let odd: Vec<u32> = numbers.iter().copied().filter(is_odd).collect();
        let found = listed(numbers.len(), portion, |range, list| {
            list.put_all(numbers[range].iter().copied().filter(is_odd));
        });
        prop_assert_eq!(found, odd);
        let place = |range: Range<usize>| numbers[range.clone()].iter().position(|&it| it > 55).map(|at| range.start + at);
        prop_assert_eq!(first(numbers.len(), portion, place), place(0..numbers.len()));

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
fn many_parts_are_joined_in_their_order() {
    for count in [0, 1, PARTS - 1, PARTS, PARTS + 1, 10 * PARTS + 7] {
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
fn nothing_is_begun_after_an_error() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let begun = AtomicUsize::new(0);
    let made = one.unwrap().install(|| {
        try_map(100, |at| {
            begun.fetch_add(1, Relaxed);
            if at == 9 { Err(at) } else { Ok(at) }
        })
    });
    assert_eq!((made, begun.into_inner()), (Err(9), 10));
}

#[test]
fn what_cannot_be_had_comes_back_to_where_it_is_caught() {
    let made = caught(|| {
        each(8, &|_| drop(with_room::<u64>(1 << 58)));
        Ok::<_, OutOfMemory>(())
    });
    assert_eq!(made.unwrap_err().bytes, 1 << 61);
}
