//! Graphs: arguments passed to the driver, and objects kept alive.

use cust::error::CudaError;
use cust::graph::{Graph, GraphCreationFlags, GraphNode, GraphNodeType};
use cust::kernel_invocation;
use cust::prelude::*;

use crate::context;
use crate::fake::{self, Handle};

#[test]
fn a_graph_runs_its_nodes_in_order() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let context = context(0);
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let values = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0]).unwrap();
    let ready = {
        let module = Module::from_ptx("// vecadd", &[]).unwrap();
        let p = values.as_device_ptr();
        let double =
            kernel_invocation!(module.vecadd<<<(2, 1), 3, 5, stream>>>(p, p, p, values.len()))
                .unwrap();
        let mut graph = Graph::new(GraphCreationFlags::NONE).unwrap();
        assert_eq!((graph.num_nodes(), graph.num_edges()), (Ok(0), Ok(0)));
        // SAFETY: the arguments match the stand-in's vecadd.
        let (first, second, third) = unsafe {
            let first = graph.add_kernel_node(double.clone(), []).unwrap();
            let second = graph.add_kernel_node(double.clone(), [first]).unwrap();
            (
                first,
                second,
                graph.add_kernel_node(double, [first, second]).unwrap(),
            )
        };
        assert_eq!(graph.nodes().unwrap(), [first, second, third]);
        assert_eq!(
            graph.edges().unwrap(),
            [(first, second), (first, third), (second, third)]
        );
        assert_eq!(graph.node_type(second), Ok(GraphNodeType::KernelInvocation));
        let added = graph.kernel_node_params(third).unwrap();
        assert_eq!(
            (added.grid_dim.x, added.block_dim.x, added.shared_mem_bytes),
            (2, 3, 5)
        );
        graph.instantiate().unwrap()
    };
    // The graph and the module's owner are dropped; the executable graph keeps both alive.
    assert_eq!((fake.graphs(), fake.live(Handle::Module)), (1, 1));
    drop(context);
    for expected in [[8.0, 16.0, 24.0], [64.0, 128.0, 192.0]] {
        // SAFETY: the stand-in runs launches immediately, on live memory.
        unsafe { ready.launch(&stream) }.unwrap();
        stream.synchronize().unwrap();
        assert_eq!(values.as_host_vec().unwrap(), expected);
    }
    assert_eq!(fake.last_launch(), [2, 1, 1, 3, 1, 1, 5]);
    std::thread::spawn(move || drop(ready)).join().unwrap();
    assert_eq!((fake.graphs(), fake.live(Handle::Module)), (0, 0));
}

#[test]
fn nodes_of_other_graphs_are_rejected() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let vecadd = module.get_function("vecadd").unwrap();
    let p = DevicePointer::<f32>::null();
    let nothing = kernel_invocation!(vecadd<<<1, 1, 0, _>>>(p, p, p, 0usize)).unwrap();
    let (mut one, mut other) = (
        Graph::new(GraphCreationFlags::empty()).unwrap(),
        Graph::new(GraphCreationFlags::empty()).unwrap(),
    );
    // SAFETY: as many arguments as the stand-in's vecadd has; nothing is launched.
    unsafe {
        let node = one.add_kernel_node(nothing.clone(), []).unwrap();
        assert_eq!(one.is_valid_node(node), Ok(true));
        for dependencies in [vec![node], vec![GraphNode::from_raw(std::ptr::null_mut())]] {
            assert_eq!(
                other.add_kernel_node(nothing.clone(), dependencies),
                Err(CudaError::InvalidValue)
            );
        }
        assert_eq!(
            one.add_kernel_node(nothing.clone(), [node, node]),
            Err(CudaError::InvalidValue)
        );
        let (mut too_large, mut empty) = (nothing.clone(), nothing);
        too_large.block_dim.x = 2000;
        empty.grid_dim.y = 0;
        for refused in [too_large, empty] {
            assert_eq!(
                one.add_kernel_node(refused, [node]),
                Err(CudaError::InvalidValue)
            );
        }
        assert_eq!(other.node_type(node), Err(CudaError::InvalidValue));
        assert_eq!(
            other.kernel_node_params(node).err(),
            Some(CudaError::InvalidValue)
        );
    }
    assert_eq!((one.num_nodes(), other.num_nodes()), (Ok(1), Ok(0)));
    let absent = kernel_invocation!(module.absent<<<1, 1, 0, _>>>());
    assert_eq!(absent.err(), Some(CudaError::NotFound));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.dot");
    one.dump_debug_dotfile(&path).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().contains("1 nodes"));
    assert_eq!(
        one.dump_debug_dotfile(folder.path()),
        Err(CudaError::OperatingSystemError)
    );
    let raw = one.into_raw();
    // SAFETY: returned by `into_raw` just now.
    let mut one = unsafe { Graph::from_raw(raw) }.unwrap();
    assert_eq!(one.num_nodes(), Ok(1));
    drop((one, other));
    assert_eq!(fake.graphs(), 0);
}
