//! The printing and assertion macros. The assertions are this crate's on the device and `std`'s on
//! the CPU.

/// Prints without a line break. [`io`](mod@crate::io) describes the destination and the
/// interleaving of threads.
///
/// ```
/// cuda_std::print!("{} ", 1);
/// ```
#[macro_export]
macro_rules! print {
    ($($argument:tt)*) => {
        $crate::io::print_text(::core::format_args!($($argument)*))
    };
}

/// Prints a line. [`io`](mod@crate::io) describes the destination and the interleaving of threads.
///
/// ```
/// let x = 0.5;
/// cuda_std::println!("{x:.2} and {:?}", [1, 2]);
/// cuda_std::println!();
/// ```
#[macro_export]
macro_rules! println {
    () => {
        $crate::io::print_text(::core::format_args!("\n"))
    };
    ($($argument:tt)*) => {
        $crate::io::print_text(::core::format_args!("{}\n", ::core::format_args!($($argument)*)))
    };
}

/// Prints like [`print!`](crate::print), on the CPU to standard error; the device has a single
/// output.
#[macro_export]
macro_rules! eprint {
    ($($argument:tt)*) => {
        $crate::io::print_error(::core::format_args!($($argument)*))
    };
}

/// Prints like [`println!`](crate::println), on the CPU to standard error; the device has a single
/// output.
#[macro_export]
macro_rules! eprintln {
    () => {
        $crate::io::print_error(::core::format_args!("\n"))
    };
    ($($argument:tt)*) => {
        $crate::io::print_error(::core::format_args!("{}\n", ::core::format_args!($($argument)*)))
    };
}

/// Ends the launch with a message if the condition is `false`: see [`io`](mod@crate::io).
#[cfg(target_arch = "nvptx64")]
#[macro_export]
macro_rules! assert {
    ($condition:expr $(,)?) => {
        if !$condition {
            $crate::__assertion_failed!("{}", ::core::stringify!($condition))
        }
    };
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            $crate::__assertion_failed!($($message)+)
        }
    };
}

/// Ends the launch with a message if two values are not equal: see [`io`](mod@crate::io).
#[cfg(target_arch = "nvptx64")]
#[macro_export]
macro_rules! assert_eq {
    ($left:expr, $right:expr $(,)?) => {
        $crate::__assert_compared!($left, $right, ==, "")
    };
    ($left:expr, $right:expr, $($message:tt)+) => {
        $crate::__assert_compared!($left, $right, ==, ": {}", ::core::format_args!($($message)+))
    };
}

/// Ends the launch with a message if two values are equal: see [`io`](mod@crate::io).
#[cfg(target_arch = "nvptx64")]
#[macro_export]
macro_rules! assert_ne {
    ($left:expr, $right:expr $(,)?) => {
        $crate::__assert_compared!($left, $right, !=, "")
    };
    ($left:expr, $right:expr, $($message:tt)+) => {
        $crate::__assert_compared!($left, $right, !=, ": {}", ::core::format_args!($($message)+))
    };
}

#[cfg(target_arch = "nvptx64")]
#[doc(hidden)]
#[macro_export]
macro_rules! __assert_compared {
    ($left:expr, $right:expr, $operator:tt, $($message:tt)+) => {
        match (&$left, &$right) {
            (left, right) => {
                if !(*left $operator *right) {
                    $crate::__assertion_failed!(
                        "{} {} {}: left is {:?}, right is {:?}{}",
                        ::core::stringify!($left),
                        ::core::stringify!($operator),
                        ::core::stringify!($right),
                        left,
                        right,
                        ::core::format_args!($($message)+)
                    )
                }
            }
        }
    };
}

#[cfg(target_arch = "nvptx64")]
#[doc(hidden)]
#[macro_export]
macro_rules! __assertion_failed {
    ($($message:tt)+) => {
        $crate::io::assertion_failed(
            ::core::format_args!($($message)+),
            // null-terminated strings
            ::core::concat!(::core::file!(), "\0"),
            ::core::line!(),
        )
    };
}
