//! Expansion of accepted kernels: entry points, parameters, attributes, closures, printing.

use super::super::{expand, inline_closures};
use super::accept;
use quote::quote;

#[test]
fn values_are_listed_like_types() {
    let text = accept(
        quote!(N = [3, 5], FLIP = [true], T = [f32]),
        quote!(
            pub unsafe fn k<'a, const N: usize, const FLIP: bool, T: Copy>(x: &'a [T]) {}
        ),
    );
    for part in [
        "structk<constN:usize,constFLIP:bool,T>(",
        "PhantomData<fn()->(T,)>",
        "fnk_3_true_f32(",
        "fnk_5_true_f32(",
        "constN:usize=5;",
        "::<N,FLIP,T>::body(",
        "whereT:::cuda_std::kernel::KernelType",
        "matchN{3=>\"3\",5=>\"5\",",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// With debug assertions bodies are compiled for one instruction set, except fused ones.
#[test]
fn options_select_the_instruction_sets() {
    let kernel = quote!(
        pub unsafe fn k<T: Copy>(x: View<T>) {}
    );
    for (options, avx2) in [
        (quote!(T = [f32]), "{false||true&&("),
        (quote!(T = [f32], fused), "{true||"),
        (quote!(fused, T = [f32],), "{true||"),
        (quote!(T = [f32], baseline), "{false||false&&("),
    ] {
        let text = accept(options, kernel.clone());
        let runner = format!("::cuda_std::kernel::runner::<k<f32>,{avx2}");
        assert!(text.contains(&runner), "{runner} is not in {text}");
    }
    // a parameter may have the same name
    let named = quote!(
        pub unsafe fn k<fused: Copy>(x: View<fused>) {}
    );
    assert!(accept(quote!(fused = [f32]), named).contains("k<f32>,{false||"));
}

#[test]
fn views_and_slices_are_two_parameters_of_the_entry() {
    let text = accept(
        quote!(),
        quote!(
            pub unsafe fn k(
                a: View<f32>,
                b: &[u8],
                c: cuda_std::ViewMut<'_, u16>,
                d: &mut [i8],
                n: usize,
                p: *mut f32,
            ) {
            }
        ),
    );
    assert!(text.contains(
        "unsafeextern\"ptx-kernel\"fnk(argument_0:*constf32,length_0:usize,argument_1:*constu8,length_1:usize,\
         argument_2:*mutu16,length_2:usize,argument_3:*muti8,length_3:usize,argument_4:usize,argument_5:*mutf32)"
    ));
    assert!(text.contains(
        "typeArgs<'arguments>=(::cuda_std::View<'arguments,f32>,::cuda_std::View<'arguments,u8>,\
         ::cuda_std::ViewMut<'arguments,u16>,::cuda_std::ViewMut<'arguments,i8>,usize,*mutf32,);"
    ));
    assert_eq!(text.matches("#[unsafe(no_mangle)]").count(), 1);
}

#[test]
fn generic_kernels_have_an_entry_per_combination() {
    let text = accept(
        quote!(T = [u8, f32], I = [u32, u64]),
        quote!(
            pub unsafe fn k<T: Copy, I>(a: View<T>, i: I)
            where
                I: Copy,
            {
            }
        ),
    );
    for entry in ["k_u8_u32", "k_u8_u64", "k_f32_u32", "k_f32_u64"] {
        assert!(text.contains(&format!("fn{entry}(")), "{entry}");
    }
    assert!(
        text.contains(
            "whereT:::cuda_std::kernel::KernelType,I:::cuda_std::kernel::KernelType,I:Copy"
        )
    );
}

#[test]
fn attributes_are_placed_on_the_right_items() {
    let text = accept(
        quote!(),
        quote! {
            /// Adds.
            #[cfg(feature = "adding")]
            #[allow(clippy::many_single_char_names)]
            #[no_mangle]
            pub unsafe fn k() {}
        },
    );
    // The struct, the impl with the body, the entry point and the impl of the trait.
    assert_eq!(text.matches("#[cfg(feature=\"adding\")]").count(), 4);
    assert_eq!(text.matches("many_single_char_names").count(), 1);
    assert_eq!(text.matches("Adds.").count(), 1);
    assert_eq!(text.matches("#[no_mangle]").count(), 0);
    assert!(text.contains("Akernelwithoutarguments."));
}

#[test]
fn types_may_come_from_macros() {
    // A type from a `ty` fragment is wrapped in an invisible group.
    let element = proc_macro2::Group::new(proc_macro2::Delimiter::None, quote!(f32));
    let whole = proc_macro2::Group::new(proc_macro2::Delimiter::None, quote!(View<f32>));
    let text = accept(
        quote!(),
        quote!(unsafe fn k(a: View<#element>, b: #whole) {}),
    );
    assert!(
        text.contains("argument_1:*constf32,length_1:usize"),
        "{text}"
    );
}

#[test]
fn passed_closures_are_inlined_on_the_cpu() {
    let attribute = "#[cfg_attr(not(target_arch=\"nvptx64\"),inline(always))]";
    let text = accept(
        quote!(),
        quote! {
            unsafe fn k(n: u32) {
                let double = |x: u32| 2 * x;
                rows(n).for_each(|x| each(x, |y| put(double(y))));
                each(n, #[inline(never)] |x| put(x));
            }
        },
    );
    assert_eq!(text.matches(attribute).count(), 3, "{text}");
    assert!(text.contains(&format!("{attribute}|x|each(x,{attribute}|y|")));
    // Attributes on initial values are unstable.
    assert!(text.contains(&format!("letdouble=({attribute}|x:u32|2*x,).0;")));
    assert!(text.contains("#[inline(never)]|x|put(x)"));
}

#[test]
fn closures_of_called_functions_are_inlined_too() {
    let function = quote! {
        #[inline(always)]
        fn clear(&self) {
            self.each(|x| put(x));
        }
    };
    let tokens = inline_closures(quote!(), function.clone()).expect("accepted");
    let text = tokens.to_string().replace(char::is_whitespace, "");
    assert!(text.starts_with("#[inline(always)]fnclear(&self){self.each(#[cfg_attr("));
    assert!(inline_closures(quote!(all), function).is_err());
    assert!(
        inline_closures(
            quote!(),
            quote!(
                struct K;
            )
        )
        .is_err()
    );
}

#[test]
fn a_kernel_may_have_its_modules_name() {
    let item = quote!(
        pub unsafe fn gemm(c: *mut f32) {}
    );
    let expand = |module| {
        expand(quote!(), item.clone(), module)
            .unwrap()
            .to_string()
            .replace(char::is_whitespace, "")
    };
    let text = expand(Some("gemm"));
    assert!(text.contains("pubstructgemm_kernel;"), "{text}");
    assert!(text.contains("pubconstgemm:gemm_kernel=gemm_kernel;"));
    assert!(text.contains("fngemm(argument_0"));
    assert!(text.contains("NAME:&'staticstr=\"gemm\""));
    assert!(expand(Some("kernels")).contains("pubstructgemm;"));
}

#[test]
fn references_are_pointers() {
    let text = accept(
        quote!(),
        quote!(
            unsafe extern "C" fn k(x: &f32, y: &mut [f32; 3]) {}
        ),
    );
    assert!(text.contains("fnk(argument_0:*constf32,argument_1:*mut[f32;3])"));
    assert!(
        text.contains(
            "(::cuda_std::View<'arguments,f32>,::cuda_std::ViewMut<'arguments,[f32;3]>,)"
        )
    );
}

#[test]
fn parameter_types_may_have_lifetimes() {
    let text = accept(
        quote!(),
        quote!(
            unsafe fn k<'a>(
                x: &'a Scene<'a>,
                y: &mut [Item<'_>],
                z: Pair<'a>,
                w: View<Name<'static>>,
            ) {
            }
        ),
    );
    assert!(
        text.contains(
            "(::cuda_std::View<'arguments,Scene<'arguments>>,::cuda_std::ViewMut<'arguments,Item<'arguments>>,\
             Pair<'arguments>,::cuda_std::View<'arguments,Name<'static>>,)"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "(argument_0:*constScene<'_>,argument_1:*mutItem<'_>,length_1:usize,argument_2:Pair<'_>,\
             argument_3:*constName<'static>,length_3:usize)"
        ),
        "{text}"
    );
}

#[test]
fn printing_macros_refer_to_cuda_std() {
    let text = expand(
        quote!(),
        quote! {
            pub unsafe fn k(x: u32) {
                println!("{x}");
                let y = { assert_eq!(x, 1); x };
                const { assert!(true) };
                const Z: () = assert!(true);
                core::assert!(y == 1);
                fn inner() { print!("a"); }
                other::println!("b");
            }
        },
        None,
    )
    .expect("accepted")
    .to_string();
    for (words, there) in [
        (":: cuda_std :: println ! (\"{x}\")", true),
        (":: cuda_std :: assert_eq ! (x , 1)", true),
        ("const { assert ! (true) }", true),
        ("const Z : () = assert ! (true)", true),
        ("core :: assert ! (y == 1)", true),
        (":: cuda_std :: print ! (\"a\")", true),
        ("other :: println ! (\"b\")", true),
        (":: cuda_std :: assert !", false),
    ] {
        assert_eq!(text.contains(words), there, "{words}\n{text}");
    }
}
