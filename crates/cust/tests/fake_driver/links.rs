//! The linker: inputs passed to the driver, and its messages.

use cust::error::CudaError;
use cust::link::Linker;
use cust::module::ModuleJitOption;
use cust::prelude::*;

use crate::context;
use crate::fake::{self, Handle};

#[test]
fn linker_combines_its_inputs() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let owner = context(0);
    let mut linker = Linker::with_options(&[ModuleJitOption::MaxRegisters(24)]).unwrap();
    linker.add_ptx("// one").unwrap();
    linker.add_ptx(String::from("// two")).unwrap();
    assert_eq!(linker.log().error, "");
    // The linker keeps its context alive and works on other threads.
    drop(owner);
    let cubin = std::thread::spawn(move || linker.complete().unwrap())
        .join()
        .unwrap();
    assert_eq!((fake.linkers(), fake.retain_count(0)), (0, 0));
    assert_eq!(&cubin[64..], b"// one\0// two\0");
    let _context = context(0);
    let mut linker = Linker::new().unwrap();
    linker.add_cubin(&cubin).unwrap();
    let (again, log) = linker.complete_logged().unwrap();
    assert_eq!((&again[64..], log.error.as_str()), (&cubin[..], ""));
    let module = Module::from_cubin(&again, &[]).unwrap();
    assert!(module.get_function("vecadd").is_ok());
    assert_eq!(fake.live(Handle::Module), 1);
}

#[test]
fn link_errors_contain_the_log() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    assert_eq!(
        Linker::with_options(&[ModuleJitOption::MaxRegisters(25)]).err(),
        Some(CudaError::InvalidValue)
    );
    let mut linker = Linker::new().unwrap();
    assert_eq!(linker.add_ptx("nonsense"), Err(CudaError::InvalidPtx));
    assert_eq!(linker.log().error, "line 1; error : nonsense");
    assert_eq!(linker.add_ptx("a\0b"), Err(CudaError::InteriorNul));
    assert_eq!(linker.add_cubin(b"no cubin"), Err(CudaError::InvalidImage));
    assert_eq!(linker.add_fatbin(b""), Err(CudaError::InvalidImage));
    let error = linker.complete_logged().unwrap_err();
    assert!(error.to_string().contains("nothing to link"), "{error}");
    assert_eq!(Linker::new().unwrap().complete(), Err(error.error));
    drop(Linker::new().unwrap());
    let _nothing = cust::context::legacy::ContextStack::pop();
    assert_eq!(Linker::new().err(), Some(CudaError::InvalidContext));
    assert_eq!(fake.linkers(), 0);
}
