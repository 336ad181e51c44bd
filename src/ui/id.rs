//! Unique ids.

/// Generates an id of 128 random bits, in hex.
pub(crate) fn fresh_id() -> String {
    #[cfg(not(target_arch = "wasm32"))]
    return native_id();
    #[cfg(target_arch = "wasm32")]
    platform_id()
}

/// Generates an id from the random seeds of the standard library's hash maps, for programs without
/// a browser. Ids only have to differ.
#[cfg(not(target_arch = "wasm32"))]
fn native_id() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

#[cfg(target_arch = "wasm32")]
fn platform_id() -> String {
    let mut bytes = [0_u8; 16];
    let filled = web_sys::window()
        .and_then(|window| window.crypto().ok())
        .map(|crypto| crypto.get_random_values_with_u8_array(&mut bytes));
    if !matches!(filled, Some(Ok(_))) {
        // No crypto: an insecure context of an old browser. Ids only have to differ.
        for byte in &mut bytes {
            *byte = random_byte();
        }
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(target_arch = "wasm32")]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product lies between 0 and 255"
)]
fn random_byte() -> u8 {
    (js_sys::Math::random() * 256.0) as u8
}
