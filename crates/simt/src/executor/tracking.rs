//! Interface between running threads and the checker: findings, memory accesses and steps.

use super::current_thread::current_thread;
use super::{Executor, end_thread};
use crate::checked::{AccessedMemory, AsyncCopy, Checker};
use crate::fiber;
use crate::finding::{Access, FindingKind, Site};
use crate::{LaunchError, Report};
use std::cell::RefCell;

impl Executor<'_> {
    /// Reports a finding of the running thread. In fast mode it ends the launch.
    #[cold]
    pub(crate) fn report_finding(&self, site: Site, kind: FindingKind) {
        self.report_finding_for(current_thread().rank(), site, kind);
    }

    /// Reports a finding of any thread of the block.
    #[cold]
    pub(super) fn report_finding_for(&self, rank: u32, site: Site, kind: FindingKind) {
        match &self.checker {
            Some(checker) => checker.borrow_mut().record_finding(rank, site, kind),
            None => {
                let (thread, block) = (self.thread_index(rank), current_thread().block.get());
                let mut report = Report::new(self.launch.kernel, None);
                report.add(block, thread, site, kind);
                self.fail(LaunchError::Findings(report));
            }
        }
    }

    /// Records, in checked mode, that the running thread accesses memory through a view.
    pub(crate) fn record_view_access(
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
        // A view of global memory may have been created from a pointer into shared memory, so the
        // address decides: the next block reuses these addresses for its own memory.
        let location = self.arena.borrow().locate(address);
        let memory = AccessedMemory {
            address,
            bytes,
            is_shared: shared || location.is_some(),
            shared: location,
        };
        self.check_and_record(checker, access, memory, site);
    }

    /// Records an access through a raw pointer or, if `by_reference`, in another way. The latter
    /// may refer to the thread's own memory, which is not tracked.
    pub(crate) fn record_plain_access(
        &self,
        access: Access,
        by_reference: bool,
        address: usize,
        bytes: usize,
        site: Site,
    ) {
        let Some(checker) = &self.checker else {
            return;
        };
        let location = self.arena.borrow().locate(address);
        let is_own = || {
            fiber::is_on_running_stack(address)
                || by_reference && !checker.borrow().is_kernel_memory(address)
        };
        if bytes > 0 && (location.is_some() || !is_own()) {
            let memory = AccessedMemory {
                address,
                bytes,
                is_shared: location.is_some(),
                shared: location,
            };
            self.check_and_record(checker, access, memory, site);
        }
    }

    /// Records that the running thread takes a reference to memory from a raw pointer.
    pub(crate) fn record_borrow(&self, address: usize, bytes: usize) {
        let Some(checker) = &self.checker else {
            return;
        };
        if self.arena.borrow().locate(address).is_none() && !fiber::is_on_running_stack(address) {
            checker.borrow_mut().record_borrow(address, bytes);
        }
    }

    /// Records that a pointer is passed to a function that may not be instrumented (`passed`), or
    /// that an instrumented function has received one (`None`).
    pub(crate) fn record_handoff(&self, address: usize, passed: Option<Site>) {
        let Some(checker) = &self.checker else {
            return;
        };
        if fiber::is_on_running_stack(address) {
            return;
        }
        let (arena, checker) = (self.arena.borrow(), checker.borrow());
        if let Some(log) = arena
            .access_log(address)
            .or_else(|| checker.access_log(address))
        {
            match passed {
                Some(site) => log.record_pass(site),
                None => log.record_receipt(),
            }
        }
    }

    fn check_and_record(
        &self,
        checker: &RefCell<Checker>,
        access: Access,
        memory: AccessedMemory,
        site: Site,
    ) {
        let rank = current_thread().rank();
        {
            let arena = self.arena.borrow();
            if let Some(location) = &memory.shared {
                arena.record_access(location);
            }
            let is_unwritten = |address, bytes| arena.is_unwritten(address, bytes);
            let mut checker = checker.borrow_mut();
            checker.check_and_record(rank, access, memory, site, is_unwritten);
        }
        self.count_step(site);
    }

    /// Counts a step of the running thread and ends the thread if it exceeds a limit.
    pub(crate) fn count_step(&self, site: Site) {
        let Some(checker) = &self.checker else {
            return;
        };
        let error = checker
            .borrow_mut()
            .count_step(current_thread().rank(), site);
        if let Some(error) = error
            && !std::thread::panicking()
        {
            self.fail(error);
            end_thread();
        }
    }

    /// Records that the running thread begins an asynchronous copy from global to shared memory.
    pub(crate) fn begin_async_copy(&self, from: usize, to: usize, bytes: usize, site: Site) {
        if let Some(checker) = &self.checker {
            let rank = current_thread().rank();
            checker.borrow_mut().begin_async_copy(AsyncCopy {
                rank,
                from,
                to,
                bytes,
                site,
            });
        }
    }

    /// Records that the running thread has waited for its copies. Their accesses are attributed to
    /// it from now on.
    pub(crate) fn complete_async_copies(&self) {
        if let Some(checker) = &self.checker {
            let done = checker
                .borrow_mut()
                .complete_async_copies(current_thread().rank());
            for copy in done {
                // The copy may have read its source as late as now.
                self.record_view_access(Access::Read, false, copy.from, copy.bytes, copy.site);
                self.record_view_access(Access::Write, true, copy.to, copy.bytes, copy.site);
            }
        }
    }
}
