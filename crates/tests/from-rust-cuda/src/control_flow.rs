//! Branches and loops as in Rust-CUDA's compile tests, with results to compare.

#![allow(
    clippy::needless_return,
    clippy::manual_is_multiple_of,
    reason = "code as written for Rust-CUDA"
)]

use cuda_std::prelude::*;

/// Returns `true` if the number has two decimal digits.
fn has_two_digits(x: i32) -> bool {
    (10..100).contains(&x)
}

fn both(x: bool, y: bool) -> bool {
    x && y
}

fn either(x: bool, y: bool) -> bool {
    x || y
}

fn sign(x: i32) -> i32 {
    if x > 0 {
        return 1;
    }
    if x < 0 {
        return -1;
    } else {
        return 0;
    }
}

fn grade(x: i32) -> i32 {
    if x < 0 {
        0
    } else if x < 10 {
        1
    } else if has_two_digits(x) {
        2
    } else {
        3
    }
}

/// Combines a nested branch with a loop in a branch.
fn nested(x: i32) -> i32 {
    let mut result = 100;
    if x > 0 {
        if x % 2 == 0 {
            result = 200;
        }
        let mut rest = x;
        while rest > 9 {
            rest /= 10;
            result += 1;
        }
    }
    result
}

#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn branches(x: &[i32], out: *mut [i32; 5]) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        let x = x[i];
        let logic =
            i32::from(both(x > 0, x < 50)) + 2 * i32::from(either(x < 0, has_two_digits(x)));
        let known = [7, 8].get(x as usize).copied().unwrap_or(9);
        *out.add(i) = [sign(x), grade(x), nested(x), logic, known];
    }
}

/// Custom iterator: Fibonacci numbers below a limit.
struct Fibonacci {
    next: [u32; 2],
    limit: u32,
}

impl Iterator for Fibonacci {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let [a, b] = self.next;
        self.next = [b, a + b];
        (a < self.limit).then_some(a)
    }
}

/// Returns the number of Collatz steps to 1.
fn steps_to_one(mut x: u32) -> u32 {
    let mut steps = 0;
    while x != 1 {
        if x % 2 == 0 {
            x /= 2;
        } else {
            x = 3 * x + 1;
        }
        steps += 1;
    }
    steps
}

fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    loop {
        if b == 0 {
            break a;
        }
        (a, b) = (b, a % b);
    }
}

fn primes_below(n: u32) -> u32 {
    let mut count = 0;
    let mut x = 1;
    while x + 1 < n {
        x += 1;
        let mut divisor = 2;
        let mut prime = true;
        while divisor * divisor <= x {
            if x % divisor == 0 {
                prime = false;
                break;
            } else {
                divisor += 1;
                continue;
            }
        }
        if !prime {
            continue;
        }
        count += 1;
    }
    count
}

fn first_square_above(n: u32) -> u32 {
    let mut root = 0;
    while root < 1000 {
        if root * root > n {
            return root * root;
        }
        root += 1;
    }
    0
}

/// Returns the first two numbers below `n`, in row-major order, whose product is `n`.
fn first_factors(n: u32) -> u32 {
    let mut found = 0;
    'rows: for a in 2..n {
        for b in 2..n {
            if a * b > n {
                continue 'rows;
            }
            if a * b == n {
                found = 100 * a + b;
                break 'rows;
            }
        }
    }
    found
}

#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn loops(n: &[u32], out: *mut [i32; 8]) {
    let i = thread::index_1d() as usize;
    if i < n.len() {
        let n = n[i];
        let mut sum = 0;
        for x in 0..n {
            sum += x;
        }
        let mut signed = 0;
        for x in -(n as i32)..n as i32 {
            signed += x;
        }
        let fibonacci = Fibonacci {
            next: [1, 1],
            limit: n,
        };
        *out.add(i) = [
            sum as i32,
            signed,
            steps_to_one(n) as i32,
            greatest_common_divisor(n, 36) as i32,
            primes_below(n) as i32,
            first_square_above(n) as i32,
            first_factors(n) as i32,
            fibonacci.sum::<u32>() as i32,
        ];
    }
}
