//! Graphs, the linker, and explicitly created contexts.

use cust::context::CurrentContext;
use cust::context::legacy::{self, ContextStack};
use cust::error::CudaError;
use cust::graph::{Graph, GraphCreationFlags, GraphNodeType};
use cust::kernel_invocation;
use cust::link::Linker;
use cust::prelude::*;

use crate::{gpu, kernels};

#[test]
fn a_graph_can_be_launched_repeatedly() {
    let Some(_context) = gpu(0) else { return };
    let stream = Stream::new_non_blocking(None).unwrap();
    let n = 100_000usize;
    let values = DeviceBuffer::from_slice(&vec![1.0f32; n]).unwrap();
    let ready = {
        let module = kernels();
        let p = values.as_device_ptr();
        let grid = (n as u32).div_ceil(256);
        let double = kernel_invocation!(module.vecadd<<<grid, 256, 0, _>>>(p, p, p, n)).unwrap();
        let mut graph = Graph::new(GraphCreationFlags::NONE).unwrap();
        let mut nodes = Vec::new();
        for _ in 0..5 {
            let before: Vec<_> = nodes.last().copied().into_iter().collect();
            // SAFETY: vecadd(a, b, c, n).
            nodes.push(unsafe { graph.add_kernel_node(double.clone(), before) }.unwrap());
        }
        assert_eq!((graph.num_nodes(), graph.num_edges()), (Ok(5), Ok(4)));
        assert!(graph.edges().unwrap().contains(&(nodes[0], nodes[1])));
        assert_eq!(
            graph.node_type(nodes[2]),
            Ok(GraphNodeType::KernelInvocation)
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.dot");
        match graph.dump_debug_dotfile(&path) {
            Ok(()) => assert!(std::fs::read_to_string(&path).unwrap().contains("digraph")),
            Err(error) => assert!(matches!(error, CudaError::MissingFunction(_)), "{error}"),
        }
        graph.instantiate().unwrap()
    };
    for round in 1..=3 {
        // SAFETY: the kernels access only `values`, which nothing else uses until the stream is
        // synchronized.
        unsafe { ready.launch(&stream) }.unwrap();
        stream.synchronize().unwrap();
        let expected = (1u32 << (5 * round)) as f32;
        assert!(
            values
                .as_host_vec()
                .unwrap()
                .iter()
                .all(|value| *value == expected)
        );
    }
}

const KERNEL: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 argument);
.visible .entry doubled(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, 21;
    {
        .param .b32 argument;
        .param .b32 result;
        st.param.b32 [argument], %r1;
        call.uni (result), twice, (argument);
        ld.param.b32 %r2, [result];
    }
    st.global.u32 [%rd2], %r2;
    ret;
}
";

const FUNCTION: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 argument)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [argument];
    add.u32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
}
";

#[test]
fn linked_code_calls_a_function_of_another_input() {
    let Some(_context) = gpu(0) else { return };
    let mut linker = Linker::new().unwrap();
    linker.add_ptx(KERNEL).unwrap();
    linker.add_ptx(FUNCTION).unwrap();
    let (cubin, log) = linker
        .complete_logged()
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(log.error, "");
    let module = Module::from_cubin(&cubin, &[]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(1).unwrap();
    // SAFETY: doubled(out) writes one value.
    unsafe { launch!(module.doubled<<<1, 1, 0, stream>>>(out.as_device_ptr())) }.unwrap();
    stream.synchronize().unwrap();
    assert_eq!(out.as_host_vec().unwrap(), [42]);

    let mut half = Linker::new().unwrap();
    half.add_ptx(KERNEL).unwrap();
    let error = half.complete_logged().unwrap_err();
    eprintln!("{error}");
    assert!(error.to_string().contains("twice"), "{error}");
    let mut broken = Linker::new().unwrap();
    assert!(
        broken
            .add_ptx(KERNEL.replace("%r2;", "%undeclared;"))
            .is_err()
    );
    assert!(!broken.log().error.is_empty());
}

#[test]
fn an_explicit_context_outlives_the_objects_created_in_it() {
    let Some(primary) = gpu(0) else { return };
    let device = primary.device();
    let own = legacy::Context::create_and_push(ContextFlags::SCHED_AUTO, device).unwrap();
    let mut unified = UnifiedBuffer::new(&1u32, 1000).unwrap();
    let buffer = DeviceBuffer::from_slice(&[5u32]).unwrap();
    let handle = ContextStack::pop().unwrap();
    assert_eq!(CurrentContext::get_device().unwrap(), device);
    drop(own);
    std::thread::spawn(move || {
        ContextStack::push(&handle).unwrap();
        unified[999] += 1;
        assert_eq!(unified[998..], [1, 2]);
        assert_eq!(buffer.as_host_vec().unwrap(), [5]);
        drop((unified, buffer));
        ContextStack::pop().unwrap();
    })
    .join()
    .unwrap();
    assert_eq!(
        ContextStack::pop().unwrap().get_api_version(),
        primary.get_api_version()
    );
}
