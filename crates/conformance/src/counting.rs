//! A counting allocator, to compare work without measuring time.
//!
//! Computation without allocation is not measured; the benchmark's times cover it.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static WORK: Cell<Work> = const { Cell::new(Work { calls: 0, bytes: 0 }) };
}

/// The number and size of requests to the allocator. A reallocation counts with its new size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The number of requests.
    pub calls: u64,
    /// The number of requested bytes.
    pub bytes: u64,
}

/// The system's allocator, which counts the requests of each thread.
#[derive(Debug)]
pub struct CountingAllocator;

fn count_request(size: usize) {
    // The counter is not accessible while a thread ends.
    let _ = WORK.try_with(|work| {
        let Work { calls, bytes } = work.get();
        work.set(Work {
            calls: calls + 1,
            bytes: bytes + size as u64,
        });
    });
}

// SAFETY: everything is handed to the system's allocator as it came; counting allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_request(layout.size());
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_request(size);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Runs `act` and returns its allocations on this thread: all zero unless [`CountingAllocator`] is
/// the binary's allocator.
pub fn measure_work(act: impl FnOnce()) -> Work {
    let before = WORK.get();
    act();
    let after = WORK.get();
    Work {
        calls: after.calls - before.calls,
        bytes: after.bytes - before.bytes,
    }
}
