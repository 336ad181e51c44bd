//! What only the thread that made it may touch.
//!
//! In a browser there is one thread. A server may let go of a handle on another than the one that
//! made it; what it holds then waits until its own thread makes the next one.

#[cfg(target_arch = "wasm32")]
pub(super) type ThreadBound = send_wrapper::SendWrapper<super::Shared>;

#[cfg(not(target_arch = "wasm32"))]
pub(super) use native::ThreadBound;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::{ops::Deref, sync::Mutex};

    use send_wrapper::SendWrapper;

    use super::super::Shared;

    /// What was let go of on other threads.
    static LEFT: Mutex<Vec<SendWrapper<Shared>>> = Mutex::new(Vec::new());

    /// Empty only while it is dropped.
    pub(in super::super) struct ThreadBound(Option<SendWrapper<Shared>>);

    impl ThreadBound {
        pub(in super::super) fn new(shared: Shared) -> Self {
            let ours: Vec<_> = LEFT.lock().map_or_else(
                |_| Vec::new(),
                |mut left| left.extract_if(.., |shared| shared.valid()).collect(),
            );
            // Dropped after the lock ends: what it holds may come back here.
            drop(ours);
            Self(Some(SendWrapper::new(shared)))
        }
    }

    impl Deref for ThreadBound {
        type Target = Shared;

        fn deref(&self) -> &Shared {
            match &self.0 {
                Some(shared) => shared,
                None => unreachable!("it is empty only while it is dropped"),
            }
        }
    }

    impl Drop for ThreadBound {
        fn drop(&mut self) {
            let foreign = self.0.take_if(|shared| !shared.valid());
            if let (Some(shared), Ok(mut left)) = (foreign, LEFT.lock()) {
                left.push(shared);
            }
        }
    }
}
