//! What is told to checked mode: rules that a thread broke, and the memory that it touches.

use super::record::here;
use super::{Executor, end_thread};
use crate::checked::{Checker, Copy, Memory};
use crate::fiber;
use crate::finding::{Access, FindingKind, Site};
use crate::{LaunchError, Report};
use std::cell::RefCell;

impl Executor<'_> {
    /// Records that the running thread broke a rule. In fast mode that ends the launch.
    #[cold]
    pub(crate) fn find(&self, site: Site, kind: FindingKind) {
        self.find_of(here().rank(), site, kind);
    }

    /// The same of any thread of the block.
    #[cold]
    pub(super) fn find_of(&self, rank: u32, site: Site, kind: FindingKind) {
        match &self.checker {
            Some(checker) => checker.borrow_mut().found(rank, site, kind),
            None => {
                let (thread, block) = (self.index_of(rank), here().block.get());
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
        // A view of global memory may have been made of a pointer into shared memory: the address
        // decides, since the next block uses the same addresses for memory of its own.
        let place = self.arena.borrow().locate(address);
        let memory = Memory {
            address,
            bytes,
            is_shared: shared || place.is_some(),
            shared: place,
        };
        self.touch(checker, access, memory, site);
    }

    /// Notes the same of memory that was reached by a pointer or, where `by_reference`, in any
    /// other way: it may be the thread's own, of which nothing is noted.
    pub(crate) fn note_plain(
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
                || by_reference && !checker.borrow().is_known(address)
        };
        if bytes > 0 && (place.is_some() || !is_own()) {
            let memory = Memory {
                address,
                bytes,
                is_shared: place.is_some(),
                shared: place,
            };
            self.touch(checker, access, memory, site);
        }
    }

    /// Notes that the running thread takes a reference to memory from a raw pointer.
    pub(crate) fn lend(&self, address: usize, bytes: usize) {
        let Some(checker) = &self.checker else {
            return;
        };
        if self.arena.borrow().locate(address).is_none() && !fiber::is_on_running_stack(address) {
            checker.borrow_mut().lend(address, bytes);
        }
    }

    /// Notes that a pointer is passed to a function that may not be instrumented, or that an
    /// instrumented function has got one.
    pub(crate) fn hand(&self, address: usize, passed: Option<Site>) {
        let Some(checker) = &self.checker else {
            return;
        };
        if fiber::is_on_running_stack(address) {
            return;
        }
        let (arena, checker) = (self.arena.borrow(), checker.borrow());
        if let Some(seen) = arena.seen(address).or_else(|| checker.seen(address)) {
            match passed {
                Some(site) => seen.pass(site),
                None => seen.receive(),
            }
        }
    }

    fn touch(&self, checker: &RefCell<Checker>, access: Access, memory: Memory, site: Site) {
        let rank = here().rank();
        {
            let arena = self.arena.borrow();
            if let Some(place) = &memory.shared {
                arena.saw(place);
            }
            let is_unwritten = |address, bytes| arena.is_unwritten(address, bytes);
            let mut checker = checker.borrow_mut();
            checker.touch(rank, access, memory, site, is_unwritten);
        }
        self.step(site);
    }

    /// Counts a step of the running thread. Ends it where it was one too many.
    pub(crate) fn step(&self, site: Site) {
        let Some(checker) = &self.checker else {
            return;
        };
        let error = checker.borrow_mut().step(here().rank(), site);
        if let Some(error) = error
            && !std::thread::panicking()
        {
            self.fail(error);
            end_thread();
        }
    }

    /// The running thread begins an asynchronous copy from global into shared memory.
    pub(crate) fn begin_copy(&self, from: usize, to: usize, bytes: usize, site: Site) {
        if let Some(checker) = &self.checker {
            let rank = here().rank();
            checker.borrow_mut().begin_copy(Copy {
                rank,
                from,
                to,
                bytes,
                site,
            });
        }
    }

    /// The running thread waits for the copies that it began: from now on they are its writes.
    pub(crate) fn finish_copies(&self) {
        if let Some(checker) = &self.checker {
            let done = checker.borrow_mut().finish_copies(here().rank());
            for copy in done {
                // It may have read its source as late as that.
                self.note(Access::Read, false, copy.from, copy.bytes, copy.site);
                self.note(Access::Write, true, copy.to, copy.bytes, copy.site);
            }
        }
    }
}
