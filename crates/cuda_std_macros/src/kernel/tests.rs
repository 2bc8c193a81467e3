//! What is refused and why, and the shape of what is accepted.

use super::{expand, inline_closures};
use quote::quote;

/// The expansion as text without spaces.
fn accept(options: proc_macro2::TokenStream, item: proc_macro2::TokenStream) -> String {
    let tokens = expand(options, item, None).expect("accepted");
    // Every expansion is a list of items.
    syn::parse2::<syn::File>(tokens.clone()).expect("items");
    tokens.to_string().replace(char::is_whitespace, "")
}

fn refuse(options: proc_macro2::TokenStream, item: proc_macro2::TokenStream) -> String {
    match expand(options, item, None) {
        Ok(tokens) => panic!("accepted: {tokens}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_cannot_be_a_kernel() {
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
            "one name",
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
fn wrong_attributes_explain_themselves() {
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
        (quote!(N = [-1]), with_values.clone(), "a number from 0"),
        (quote!(N = [1.5]), with_values.clone(), "a number from 0"),
        (quote!(N = ["3"]), with_values.clone(), "a number from 0"),
        (quote!(N = 3), with_values, "N = [...]"),
        (
            quote!(T: u8),
            with_types,
            "a list for each generic parameter",
        ),
        (quote!(device), plain.clone(), "`device` is no option"),
        (quote!(unsafe), plain.clone(), "`unsafe` is no option"),
        (quote!("fast"), plain, "a list for each generic parameter"),
    ];
    for (options, item, reason) in cases {
        let message = refuse(options.clone(), item);
        assert!(message.contains(reason), "{options}: {message}");
    }
}

#[test]
fn values_are_listed_as_types_are() {
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

#[test]
fn wrong_type_lists() {
    let generic = quote!(
        unsafe fn k<T: Copy>(x: View<T>) {}
    );
    let plain = quote!(
        unsafe fn k() {}
    );
    assert!(refuse(quote!(T = []), generic.clone()).contains("empty list"));
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

#[test]
fn views_and_slices_are_split_at_the_entry() {
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
fn attributes_go_where_they_belong() {
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
    // The struct, the body's impl, the entry and the trait's impl.
    assert_eq!(text.matches("#[cfg(feature=\"adding\")]").count(), 4);
    assert_eq!(text.matches("many_single_char_names").count(), 1);
    assert_eq!(text.matches("Adds.").count(), 1);
    assert_eq!(text.matches("#[no_mangle]").count(), 0);
    assert!(text.contains("Akernelwithoutarguments."));
}

#[test]
fn a_macro_may_write_the_types() {
    // A type from a `ty` fragment comes in an invisible group.
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
fn closures_that_are_passed_on_are_inlined_on_the_cpu() {
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
    assert_eq!(text.matches(attribute).count(), 2, "{text}");
    assert!(text.contains(&format!("{attribute}|x|each(x,{attribute}|y|")));
    // A stable compiler takes no attribute here.
    assert!(text.contains("letdouble=|x:u32|"));
    assert!(text.contains("#[inline(never)]|x|put(x)"));
}

#[test]
fn closures_of_what_a_kernel_calls_are_inlined_too() {
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
fn a_kernel_leaves_its_modules_name_alone() {
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
fn types_of_parameters_may_have_lifetimes() {
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
fn macros_that_print_are_those_of_cuda_std() {
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

#[test]
fn which_kernels_have_a_body_in_steps() {
    let has_steps = |item| accept(quote!(), item).contains("body_in_steps");
    assert!(has_steps(quote!(
        unsafe fn k() {
            if true {
                cuda_std::thread::sync_threads();
            }
        }
    )));
    assert!(has_steps(quote!(
        unsafe fn k(x: u32) {
            while sync_threads_or(x) != 0 {}
        }
    )));
    for without in [
        quote!(
            unsafe fn k() {}
        ),
        // nobody can wait in a closure, in a function, in what a macro is given
        quote!(
            unsafe fn k() {
                let wait = || sync_threads();
                fn also() {
                    sync_threads();
                }
                some_macro!(sync_threads());
            }
        ),
        quote!(
            unsafe fn k<'a>(x: View<'a, u32>) {
                sync_threads();
            }
        ),
        quote!(
            #[unknown]
            unsafe fn k() {
                sync_threads();
            }
        ),
    ] {
        assert!(!has_steps(without.clone()), "{without}");
    }
}

/// The body in steps, of a kernel with a barrier before `statements`.
fn in_steps(statements: &proc_macro2::TokenStream) -> String {
    let text = accept(
        quote!(),
        quote!(
            unsafe fn k(data: View<u32>, n: usize, own: Own) {
                let stride = (thread::grid_dim_x() * thread::block_dim_x()) as usize;
                let tile = shared_view![u32; 64];
                let mut i = thread::index_1d() as usize;
                let mut sum = 0;
                let mut other = own.value();
                thread::sync_threads();
                #statements
            }
        ),
    );
    let (_, steps) = text.split_once("fnbody_in_steps").expect("a body in steps");
    steps.to_owned()
}

#[test]
fn loops_work_on_copies_of_what_is_known_to_be_numbers_and_views() {
    let text = in_steps(&quote!(for k in 0..n {
        sum += data.read(k) + tile.read(k);
        other.change();
    }));
    for part in [
        "let__copy_of_data=(unsafe{__arguments.0});",
        "lettile=tile;",
        "letmutsum=sum;",
        "sum+=__copy_of_data.read(k)+tile.read(k);",
        "(sum,)=",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("other=other"), "{text}");
    assert!(!text.contains("give_way"), "{text}");
}

#[test]
fn loops_that_stride_over_the_grid_give_way() {
    let turns = |text: &str| text.contains("give_way()");
    assert!(turns(&in_steps(&quote!(while i < data.len() {
        sum += data.read(i);
        i += stride;
    }))));
    for steady in [
        quote!(while i < data.len() {
            sum += data.read(i);
            i += 1;
        }),
        quote!(while i < data.len() {
            if data.read(i) == 0 {
                break;
            }
            i += stride;
        }),
        quote!(while next() < data.len() {
            i += stride;
        }),
    ] {
        assert!(!turns(&in_steps(&steady)), "{steady}");
    }
}

#[test]
fn loops_that_may_do_anything_with_a_variable_stay_as_they_are() {
    for opaque in [
        quote!(for k in 0..n {
            let add = |x: u32| sum += x;
            add(1);
        }),
        quote!(for k in 0..n {
            change(&mut sum);
        }),
        quote!(for k in 0..n {
            if k == 5 {
                return;
            }
            sum += 1;
        }),
        quote!('outer: loop {
            for k in 0..n {
                sum += 1;
                break 'outer;
            }
        }),
        quote!(for k in 0..n {
            (sum, i) = (i, sum);
        }),
        quote!(
            let pointer = &raw mut sum;
            for k in 0..n {
                sum += *pointer;
            }
        ),
        quote!(
            println!("{sum}");
            for k in 0..n {
                sum += 1;
            }
        ),
    ] {
        let text = in_steps(&opaque);
        assert!(!text.contains("letmutsum=sum"), "{opaque} becomes {text}");
    }
}

/// What a kernel of this body is made of for checked mode, as text without spaces.
fn watched(parameters: proc_macro2::TokenStream, body: proc_macro2::TokenStream) -> Option<String> {
    let text = accept(quote!(), quote!(unsafe fn k(#parameters) { #body }));
    let (_, watched) = text.split_once("unsafefn__watched_body")?;
    Some(watched.to_owned())
}

#[test]
fn bodies_whose_accesses_go_through_views_are_compiled_as_before() {
    let parameters = quote!(x: View<f32>, y: ViewMut<f32>, n: usize);
    let bodies = [
        quote!(y.write(n, x.read(n));),
        quote!(let mut sums = [0.0; 4]; sums[n % 4] += TABLE[n]; loop { y.write(0, sums[0]); }),
    ];
    for body in bodies {
        assert_eq!(watched(parameters.clone(), body), None);
    }
}

#[test]
fn other_accesses_are_told() {
    let told =
        |body| watched(quote!(x: &[f32], p: *mut f32, n: usize), body).expect("instrumented");
    for (body, expected) in [
        (quote!(let a = x[n];), "read(__place)"),
        (quote!(*p.add(n) = 1.0;), "write_pointer(__place)"),
        (quote!(*p += 1.0;), "update_pointer(__place)"),
        (
            quote!(let e = &mut *p.add(n); *e = 2.0;),
            "watch::lend(__place)",
        ),
        (
            quote!(let e = &mut *p.add(n); *e = 2.0;),
            "watch::write(__place)",
        ),
        (quote!(p.add(n).write(1.0);), "write_pointer(__place)"),
        (
            quote!(while n > 0 {} *p = 0.0;),
            "whilen>0{::cuda_std::watch::step();}",
        ),
        (quote!(helper(x, n);), "watch::passed(&rawconst*x)"),
        (quote!(helper(p);), "before_passing()"),
    ] {
        let text = told(body);
        let expected = expected.replace(' ', "");
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn what_must_stay_stays() {
    let told =
        |body| watched(quote!(x: &[f32], p: *mut f32, n: usize), body).expect("instrumented");
    // a method that may change what it is called on, a unique reference that is lent on, patterns that bind by `ref`, constants
    for (body, expected) in [
        (quote!(*p = 0.0; list[n].push(1);), "list[n].push(1)"),
        (
            quote!(*p = 0.0; change(&mut list[n]);),
            "change(&mutlist[n])",
        ),
        (
            quote!(*p = 0.0; let ref mut a = list[n];),
            "letrefmuta=list[n];",
        ),
        (
            quote!(*p = 0.0; const N: usize = SIZES[1];),
            "constN:usize=SIZES[1];",
        ),
        (quote!(*p = 0.0; let a = [0.0; SIZES[1]];), "[0.0;SIZES[1]]"),
    ] {
        let text = told(body);
        assert!(text.contains(expected), "{text}");
    }
}
