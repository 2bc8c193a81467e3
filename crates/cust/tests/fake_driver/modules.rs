//! Modules, functions and symbols, and the arguments of launches.

use cust::error::CudaError;
use cust::function::{BlockSize, FunctionAttribute, GridSize};
use cust::module::{ModuleJitOption, OptLevel};
use cust::prelude::*;

use crate::context;
use crate::fake::{self, Handle};

#[test]
fn a_launch_passes_dimensions_and_arguments() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let a = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0]).unwrap();
    let b = [10.0f32, 20.0, 30.0].as_dbuf().unwrap();
    let c = DeviceBuffer::<f32>::zeroed(3).unwrap();
    // SAFETY: the arguments match the stand-in's vecadd.
    unsafe {
        launch!(module.vecadd<<<(2, 3, 4), (5, 6), 7, stream>>>(
            a.as_device_ptr(), b.as_device_ptr(), c.as_device_ptr(), a.len()
        ))
        .unwrap();
    }
    assert_eq!(fake.last_launch(), [2, 3, 4, 5, 6, 1, 7]);
    assert_eq!(c.as_host_vec().unwrap(), [11.0, 22.0, 33.0]);

    let vecadd = module.get_function_owned("vecadd").unwrap();
    // SAFETY: as above; the dimensions are rejected.
    let refused = unsafe {
        launch!(vecadd<<<1, 2048, 0, stream>>>(a.as_device_ptr(), b.as_device_ptr(), c.as_device_ptr(), 3usize))
    };
    assert_eq!(refused, Err(CudaError::InvalidValue));
    // the stand-in would run these
    let before = fake.last_launch();
    for (grid, block) in [
        ((0, 1, 1), (1, 1, 1)),
        ((5, 1, 0), (1, 1, 1)),
        ((1, 1, 1), (8, 0, 1)),
    ] {
        let args = [std::ptr::null_mut(); 4];
        // SAFETY: the dimensions are rejected.
        let refused = unsafe {
            [
                stream.launch(&vecadd, grid, block, 0, &args),
                stream.launch_cooperative(&vecadd, grid, block, 0, &args),
            ]
        };
        assert_eq!(refused, [Err(CudaError::InvalidValue); 2]);
    }
    assert_eq!(fake.last_launch(), before);
    // SAFETY: there is no such kernel to launch.
    let absent = unsafe { launch!(module.absent<<<1, 1, 0, stream>>>(3usize)) };
    assert_eq!(absent, Err(CudaError::NotFound));
}

#[test]
fn invalid_ptx_is_reported_with_the_compilers_log() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let error = Module::from_ptx_logged("nonsense", &[]).unwrap_err();
    assert_eq!(error.error, CudaError::InvalidPtx);
    let text = error.to_string();
    assert!(
        text.contains("CUDA_ERROR_INVALID_PTX (218)") && text.contains("line 3; error : nonsense"),
        "{text}"
    );
    assert_eq!(
        Module::from_ptx("nonsense", &[]).unwrap_err(),
        CudaError::InvalidPtx
    );
    assert_eq!(
        Module::from_ptx("a\0b", &[]).unwrap_err(),
        CudaError::InteriorNul
    );
    assert_eq!(
        Module::from_cubin(b"no cubin", &[]).unwrap_err(),
        CudaError::InvalidImage
    );
    assert_eq!(
        Module::from_file("/nonexistent.ptx").unwrap_err(),
        CudaError::FileNotFound
    );
    // The stand-in rejects any other number of registers: the value of the option arrives, also
    // after an option without value.
    let options = [
        ModuleJitOption::DetermineTargetFromContext,
        ModuleJitOption::MaxRegisters(24),
        ModuleJitOption::OptLevel(OptLevel::O3),
    ];
    Module::from_ptx("// fine", &options).unwrap();
    assert_eq!(
        Module::from_ptx("// fine", &[ModuleJitOption::MaxRegisters(25)]).unwrap_err(),
        CudaError::InvalidValue
    );
    assert_eq!(fake.live(Handle::Module), 0);
}

#[test]
fn owned_functions_keep_their_module_loaded() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let owner = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let function = module.get_function_owned("vecadd").unwrap();
    Module::drop(module).unwrap();
    drop(owner);
    assert_eq!((fake.live(Handle::Module), fake.retain_count(0)), (1, 1));
    assert_eq!(
        function.get_attribute(FunctionAttribute::NumRegisters),
        Ok(18)
    );
    drop(function);
    assert_eq!((fake.live(Handle::Module), fake.retain_count(0)), (0, 0));
}

#[test]
fn function_attributes_and_occupancy() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let function = module.get_function("vecadd").unwrap();
    assert_eq!(
        module.get_function("a\0b").unwrap_err(),
        CudaError::InteriorNul
    );
    function.set_max_dynamic_shared_memory(100 << 10).unwrap();
    assert_eq!(
        function.get_attribute(FunctionAttribute::MaxDynamicSharedSizeBytes),
        Ok(100 << 10)
    );
    assert_eq!(
        function.set_max_dynamic_shared_memory(1 << 20),
        Err(CudaError::InvalidValue)
    );
    assert_eq!(
        function.set_max_dynamic_shared_memory(usize::MAX),
        Err(CudaError::InvalidValue)
    );
    assert_eq!(
        function.max_active_blocks_per_multiprocessor(BlockSize::xy(16, 16), 0),
        Ok(8)
    );
    assert_eq!(
        function.max_active_blocks_per_multiprocessor(BlockSize::x(256), 100_000),
        Ok(2)
    );
    assert_eq!(
        function.max_active_blocks_per_multiprocessor(BlockSize::xy(1 << 20, 1 << 20), 0),
        Err(CudaError::InvalidValue)
    );
    assert_eq!(
        function.suggested_launch_configuration(0, BlockSize::x(512)),
        Ok((264, 512))
    );
    // The stand-in does not have this function.
    let error = function
        .available_dynamic_shared_memory_per_block(GridSize::x(2), BlockSize::x(256))
        .unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, CudaError::MissingFunction(_)), "{error:?}");
    assert!(
        text.contains("cuOccupancyAvailableDynamicSMemPerBlock")
            && text.contains("11.0")
            && text.contains("10.2"),
        "{text}"
    );
}

#[test]
fn symbol_sizes_are_checked() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let mut table = module.get_global::<[i32; 4]>(c"TABLE").unwrap();
    table.copy_from(&[1, 2, 3, 4]).unwrap();
    let mut back = [0; 4];
    table.copy_to(&mut back).unwrap();
    assert_eq!(back, [1, 2, 3, 4]);
    // SAFETY: used while the module is loaded.
    let slice = unsafe { module.get_global_slice::<i32>(c"TABLE") }.unwrap();
    assert_eq!(slice.as_host_vec().unwrap(), [1, 2, 3, 4]);
    assert_eq!(
        module.get_global::<f32>(c"TABLE").unwrap_err(),
        CudaError::SymbolSize {
            symbol: 16,
            requested: 4
        }
    );
    assert_eq!(
        module.get_global::<f32>(c"ABSENT").unwrap_err(),
        CudaError::NotFound
    );
}
