//! Invalid kernels and their error messages.

use super::refuse;
use quote::quote;

#[test]
fn invalid_signatures_are_refused() {
    let cases = [
        (
            quote!(
                fn k() {}
            ),
            "unsafe fn",
        ),
        (
            quote!(
                unsafe fn k() -> f32 {
                    0.0
                }
            ),
            "returns nothing",
        ),
        (
            quote!(
                async unsafe fn k() {}
            ),
            "async",
        ),
        (
            quote!(
                const unsafe fn k() {}
            ),
            "const",
        ),
        (
            quote!(
                unsafe extern "system" fn k() {}
            ),
            "ABI",
        ),
        (
            quote!(
                unsafe fn k(self) {}
            ),
            "method",
        ),
        (
            quote!(
                unsafe fn k(&self) {}
            ),
            "method",
        ),
        (
            quote!(
                unsafe fn k((a, b): (u32, u32)) {}
            ),
            "a plain name",
        ),
        (
            quote!(
                unsafe fn k(x: impl Copy) {}
            ),
            "named type",
        ),
        (
            quote!(
                unsafe fn k<const N: usize>() {}
            ),
            "#[kernel(N = [3, 5])]",
        ),
        (
            quote!(
                unsafe fn k<T>(x: View<T>) {}
            ),
            "#[kernel(T = [u8, f32])]",
        ),
    ];
    for (item, reason) in cases {
        let message = refuse(quote!(), item.clone());
        assert!(message.contains(reason), "{item}: {message}");
    }
    assert!(
        !refuse(
            quote!(),
            quote!(
                struct K;
            )
        )
        .is_empty()
    );
}

#[test]
fn wrong_options_are_explained() {
    let plain = quote!(
        unsafe fn k() {}
    );
    let with_values = quote!(
        unsafe fn k<const N: usize>() {}
    );
    let with_types = quote!(
        unsafe fn k<T>(x: View<T>) {}
    );
    let cases = [
        (quote!(N = [3, 5]), plain.clone(), "`k<const N: usize>`"),
        (quote!(T = [u8]), plain.clone(), "`k<T>`"),
        (quote!(T = [3, 5]), with_types.clone(), "this is a value"),
        (
            quote!(N = [u8]),
            with_values.clone(),
            "list numbers or bools",
        ),
        (quote!(N = [M + 1]), with_values.clone(), "expected `,`"),
        (
            quote!(N = [-1]),
            with_values.clone(),
            "a non-negative number",
        ),
        (
            quote!(N = [1.5]),
            with_values.clone(),
            "a non-negative number",
        ),
        (
            quote!(N = ["3"]),
            with_values.clone(),
            "a non-negative number",
        ),
        (quote!(N = 3), with_values, "N = [...]"),
        (
            quote!(T: u8),
            with_types,
            "a list for each generic parameter",
        ),
        (quote!(device), plain.clone(), "unknown option `device`"),
        (quote!(unsafe), plain.clone(), "unknown option `unsafe`"),
        (
            quote!(fused, fused),
            plain.clone(),
            "`fused` is given twice",
        ),
        (
            quote!(fused, baseline),
            plain.clone(),
            "`fused` and `baseline` exclude each other",
        ),
        (quote!(fused = 3), plain.clone(), "fused = [...]"),
        (quote!("fast"), plain, "a list for each generic parameter"),
    ];
    for (options, item, reason) in cases {
        let message = refuse(options.clone(), item);
        assert!(message.contains(reason), "{options}: {message}");
    }
}

#[test]
fn wrong_type_lists_are_explained() {
    let generic = quote!(
        unsafe fn k<T: Copy>(x: View<T>) {}
    );
    let plain = quote!(
        unsafe fn k() {}
    );
    assert!(refuse(quote!(T = []), generic.clone()).contains("is empty"));
    assert!(refuse(quote!(T = [u8], T = [u16]), generic.clone()).contains("twice"));
    assert!(refuse(quote!(T = [Vec<u8>]), generic.clone()).contains("plain name"));
    assert!(refuse(quote!(T = [(u8, u8)]), generic).contains("plain name"));
    assert!(refuse(quote!(U = [u8]), plain.clone()).contains("no generic parameter `U`"));
    assert!(!refuse(quote!(block_dim = 3), plain).is_empty());
    let many: Vec<_> = (0..9).map(|i| quote::format_ident!("T{i}")).collect();
    let message = refuse(
        quote!(A = [#(#many),*], B = [#(#many),*]),
        quote!(
            unsafe fn k<A, B>(a: A, b: B) {}
        ),
    );
    assert!(
        message.contains("81") && message.contains("64"),
        "{message}"
    );
}
