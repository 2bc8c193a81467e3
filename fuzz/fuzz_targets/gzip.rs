#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ferrovox::io::fuzz::gzip(bytes));
