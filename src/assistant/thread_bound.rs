//! Wraps state that may be accessed only by the thread that created the state.
//!
//! A browser has one thread. A server may drop a handle on a thread that did not create the handle.
//! The state is then kept until the thread that created the state creates the next handle.

#[cfg(target_arch = "wasm32")]
pub(super) type ThreadBound = send_wrapper::SendWrapper<super::SharedState>;

#[cfg(not(target_arch = "wasm32"))]
pub(super) use native::ThreadBound;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::{ops::Deref, sync::Mutex};

    use send_wrapper::SendWrapper;

    use super::super::SharedState;

    /// The state of handles that were dropped on other threads.
    static DROPPED_ON_OTHER_THREADS: Mutex<Vec<SendWrapper<SharedState>>> = Mutex::new(Vec::new());

    /// The state of a handle. The value is `None` only while the handle is being dropped.
    pub(in super::super) struct ThreadBound(Option<SendWrapper<SharedState>>);

    impl ThreadBound {
        pub(in super::super) fn new(shared: SharedState) -> Self {
            let own_states: Vec<_> = DROPPED_ON_OTHER_THREADS.lock().map_or_else(
                |_| Vec::new(),
                |mut states| states.extract_if(.., |shared| shared.valid()).collect(),
            );
            // The states are dropped after the lock is released, because their destructors may drop
            // further handles.
            drop(own_states);
            Self(Some(SendWrapper::new(shared)))
        }
    }

    impl Deref for ThreadBound {
        type Target = SharedState;

        fn deref(&self) -> &SharedState {
            match &self.0 {
                Some(shared) => shared,
                None => unreachable!("it is empty only while it is dropped"),
            }
        }
    }

    impl Drop for ThreadBound {
        fn drop(&mut self) {
            let foreign_state = self.0.take_if(|state| !state.valid());
            if let (Some(state), Ok(mut states)) = (foreign_state, DROPPED_ON_OTHER_THREADS.lock())
            {
                states.push(state);
            }
        }
    }
}
