//! What is told to checked mode: rules that a thread broke, and the memory that it touches.

use super::Executor;
use super::record::here;
use crate::checked::Memory;
use crate::finding::{Access, FindingKind, Site};
use crate::{LaunchError, Report};

impl Executor<'_> {
    /// Records that the running thread broke a rule. In fast mode that ends the launch.
    #[cold]
    pub(crate) fn find(&self, site: Site, kind: FindingKind) {
        let current = here();
        let (thread, block) = (self.index_of(current.rank()), current.block.get());
        match &self.checker {
            Some(checker) => checker.borrow_mut().report.add(block, thread, site, kind),
            None => {
                let mut report = Report::new(self.launch.kernel, None);
                report.add(block, thread, site, kind);
                self.fail(LaunchError::Findings(report));
            }
        }
    }

    /// Notes that the running thread touches memory, in checked mode.
    pub(crate) fn note(
        &self,
        access: Access,
        shared: bool,
        address: usize,
        bytes: usize,
        site: Site,
    ) {
        let Some(checker) = &self.checker else {
            return;
        };
        // A view of global memory may have been made of a pointer into shared memory: the address decides, since the
        // next block uses the same addresses for memory of its own.
        let place = self.arena.borrow().locate(address);
        let memory = Memory {
            address,
            bytes,
            is_shared: shared || place.is_some(),
            shared: place,
        };
        let rank = here().rank();
        checker.borrow_mut().touch(rank, access, memory, site);
    }
}
