//! Bodies for the CPU: coroutines, loops on copies, and instrumentation.

use super::accept;
use quote::quote;

#[test]
fn kernels_with_barriers_have_a_coroutine() {
    let has_steps = |item| accept(quote!(), item).contains("coroutine_body");
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
        // closures, nested functions and macro arguments cannot wait
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

/// Returns the coroutine body of a kernel with a barrier before `statements`.
fn coroutine(statements: &proc_macro2::TokenStream) -> String {
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
    let (_, coroutine) = text.split_once("fncoroutine_body").expect("a coroutine");
    coroutine.to_owned()
}

#[test]
fn loops_work_on_copies_of_numbers_and_views() {
    let text = coroutine(&quote!(for k in 0..n {
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
    assert!(!text.contains("yield_step"), "{text}");
}

#[test]
fn grid_stride_loops_yield() {
    let yields = |text: &str| text.contains("yield_step()");
    assert!(yields(&coroutine(&quote!(while i < data.len() {
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
        assert!(!yields(&coroutine(&steady)), "{steady}");
    }
}

#[test]
fn loops_with_opaque_variable_uses_are_unchanged() {
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
        let text = coroutine(&opaque);
        assert!(!text.contains("letmutsum=sum"), "{opaque} becomes {text}");
    }
}

/// Returns the instrumented body of a kernel as text without spaces.
fn instrumented_body(
    parameters: proc_macro2::TokenStream,
    body: proc_macro2::TokenStream,
) -> Option<String> {
    let text = accept(quote!(), quote!(unsafe fn k(#parameters) { #body }));
    let (_, instrumented) = text.split_once("unsafefn__instrumented_body")?;
    Some(instrumented.to_owned())
}

#[test]
fn bodies_with_view_accesses_only_are_not_instrumented() {
    let parameters = quote!(x: View<f32>, y: ViewMut<f32>, n: usize);
    let bodies = [
        quote!(y.write(n, x.read(n));),
        quote!(let mut sums = [0.0; 4]; sums[n % 4] += TABLE[n]; loop { y.write(0, sums[0]); }),
    ];
    for body in bodies {
        assert_eq!(instrumented_body(parameters.clone(), body), None);
    }
}

#[test]
fn other_accesses_are_recorded() {
    let instrumented = |body| {
        instrumented_body(quote!(x: &[f32], p: *mut f32, n: usize), body).expect("instrumented")
    };
    for (body, expected) in [
        (quote!(let a = x[n];), "read(__place)"),
        (quote!(*p.add(n) = 1.0;), "write_pointer(__place)"),
        (quote!(*p += 1.0;), "update_pointer(__place)"),
        (
            quote!(let e = &mut *p.add(n); *e = 2.0;),
            "instrument::borrow(__place)",
        ),
        (
            quote!(let e = &mut *p.add(n); *e = 2.0;),
            "instrument::write(__place)",
        ),
        (quote!(p.add(n).write(1.0);), "write_pointer(__place)"),
        (
            quote!(while n > 0 {} *p = 0.0;),
            "whilen>0{::cuda_std::instrument::loop_iteration();}",
        ),
        (
            quote!(helper(x, n);),
            "instrument::argument_passed(&rawconst*x)",
        ),
        (quote!(helper(p);), "before_passing()"),
    ] {
        let text = instrumented(body);
        let expected = expected.replace(' ', "");
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn receivers_borrows_and_constants_are_unchanged() {
    let instrumented = |body| {
        instrumented_body(quote!(x: &[f32], p: *mut f32, n: usize), body).expect("instrumented")
    };
    // methods that may modify their receiver, reborrowed unique references, bindings by `ref`,
    // constants
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
        let text = instrumented(body);
        assert!(text.contains(expected), "{text}");
    }
}
