//! The macros. On the device those for assertions are this crate's, on the CPU they are `std`'s.

/// Prints, without an end of line. See [`io`](mod@crate::io) for where the text goes and how much
/// of it stays together.
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

/// Prints a line. See [`io`](mod@crate::io) for where the text goes and how much of it stays
/// together.
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

/// As [`print!`](crate::print), on the CPU to the standard error; the device has one output for
/// both.
#[macro_export]
macro_rules! eprint {
    ($($argument:tt)*) => {
        $crate::io::print_error(::core::format_args!($($argument)*))
    };
}

/// As [`println!`](crate::println), on the CPU to the standard error; the device has one output for
/// both.
#[macro_export]
macro_rules! eprintln {
    () => {
        $crate::io::print_error(::core::format_args!("\n"))
    };
    ($($argument:tt)*) => {
        $crate::io::print_error(::core::format_args!("{}\n", ::core::format_args!($($argument)*)))
    };
}

/// Ends the launch where the condition does not hold, and says so: see [`io`](mod@crate::io).
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

/// Ends the launch where two values are not equal, and prints both: see [`io`](mod@crate::io).
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

/// Ends the launch where two values are equal, and prints them: see [`io`](mod@crate::io).
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
            // C's strings
            ::core::concat!(::core::file!(), "\0"),
            ::core::line!(),
        )
    };
}
