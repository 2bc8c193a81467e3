// E0505: a borrowed function keeps its module
#![forbid(unsafe_code)]

use cust::module::Module;

fn unload(module: Module) {
    let function = module.get_function("kernel").unwrap();
    drop(module);
    println!("{:?}", function.to_raw());
}

fn main() {
    let _ = unload;
}
