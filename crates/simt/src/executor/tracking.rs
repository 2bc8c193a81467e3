//! What is printed to checked mode: rules that a thread broke, and the memory that it touches.

use super::current_thread::current_thread;
use super::{Executor, end_thread};
use crate::checked::{AccessedMemory, AsyncCopy, Checker};
use crate::fiber;
use crate::finding::{Access, FindingKind, Site};
use crate::{LaunchError, Report};
use std::cell::RefCell;

impl Executor<'_> {
    /// Records that the current_executor thread broke a rule. In fast mode that ends the launch.
    #[cold]
    pub(crate) fn report_finding(&self, site: Site, kind: FindingKind) {
        self.report_finding_for(current_thread().rank(), site, kind);
    }

    /// The same of any thread of the block.
    #[cold]
    pub(super) fn report_finding_for(&self, rank: u32, site: Site, kind: FindingKind) {
        match &self.checker {
            Some(checker) => checker.borrow_mut().record_finding(rank, site, kind),
            None => {
                let (thread, block) = (self.index_of(rank), current_thread().block.get());
                let mut report = Report::new(self.launch.kernel, None);
                report.add(block, thread, site, kind);
                self.fail(LaunchError::Findings(report));
            }
        }
    }

    /// Notes that the current_executor thread touches memory, in checked mode.
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
        // A view of global memory may have been made of a pointer into shared memory: the address
        // decides, since the next block uses the same addresses for memory of its own.
        let place = self.arena.borrow().locate(address);
        let memory = AccessedMemory {
            address,
            bytes,
            is_shared: shared || place.is_some(),
            shared: place,
        };
        self.touch(checker, access, memory, site);
    }

    /// Notes the same of memory that was reached by a pointer or, where `by_reference`, in any
    /// other way: it may be the thread's own, of which nothing is noted.
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
        let place = self.arena.borrow().locate(address);
        let is_own = || {
            fiber::is_on_running_stack(address)
                || by_reference && !checker.borrow().is_kernel_memory(address)
        };
        if bytes > 0 && (place.is_some() || !is_own()) {
            let memory = AccessedMemory {
                address,
                bytes,
                is_shared: place.is_some(),
                shared: place,
            };
            self.touch(checker, access, memory, site);
        }
    }

    /// Notes that the current_executor thread takes a reference to memory from a raw pointer.
    pub(crate) fn record_borrow(&self, address: usize, bytes: usize) {
        let Some(checker) = &self.checker else {
            return;
        };
        if self.arena.borrow().locate(address).is_none() && !fiber::is_on_running_stack(address) {
            checker.borrow_mut().record_borrow(address, bytes);
        }
    }

    /// Notes that a pointer is passed to a function that may not be instrumented, or that an
    /// instrumented function has got one.
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
                Some(site) => log.pass(site),
                None => log.receive(),
            }
        }
    }

    fn touch(
        &self,
        checker: &RefCell<Checker>,
        access: Access,
        memory: AccessedMemory,
        site: Site,
    ) {
        let rank = current_thread().rank();
        {
            let arena = self.arena.borrow();
            if let Some(place) = &memory.shared {
                arena.record_access(place);
            }
            let is_unwritten = |address, bytes| arena.is_unwritten(address, bytes);
            let mut checker = checker.borrow_mut();
            checker.touch(rank, access, memory, site, is_unwritten);
        }
        self.count_step(site);
    }

    /// Counts a step of the current_executor thread. Ends it where it was one too many.
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

    /// The current_executor thread begins an asynchronous copy from global into shared memory.
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

    /// The current_executor thread waits for the copies that it began: from now on they are its writes.
    pub(crate) fn complete_async_copies(&self) {
        if let Some(checker) = &self.checker {
            let done = checker
                .borrow_mut()
                .complete_async_copies(current_thread().rank());
            for copy in done {
                // It may have read its source as late as that.
                self.record_view_access(Access::Read, false, copy.from, copy.bytes, copy.site);
                self.record_view_access(Access::Write, true, copy.to, copy.bytes, copy.site);
            }
        }
    }
}
