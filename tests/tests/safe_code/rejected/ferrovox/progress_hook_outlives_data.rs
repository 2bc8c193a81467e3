// E0597: a progress hook does not outlive what it borrows
#![forbid(unsafe_code)]

use ferrovox::monitor::{Monitor, Progress};

fn main() {
    let monitor;
    {
        let hook = |progress: Progress| println!("{}", progress.done);
        monitor = Monitor::new().on_progress(&hook);
    }
    println!("{}", monitor.is_unobserved());
}
