//! Macros that unroll loops with a constant counter.

macro_rules! unroll_32 {
    ($i:ident => $body:block) => {
        unroll_32!(@ $i $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
    (@ $i:ident $body:block $($n:literal)+) => {
        $({
            #[allow(dead_code)]
            const $i: u32 = $n;
            $body
        })+
    };
}

macro_rules! unroll_8 {
    ($i:ident => $body:block) => {
        unroll_32!(@ $i $body 0 1 2 3 4 5 6 7)
    };
}
