//! Generates unique ids.

/// Generates a random id: a UUID of version 4, because some servers accept thread ids only in this
/// form (rule "ids"). Ids that the application or an agent chooses are used unchanged.
pub(crate) fn fresh_id() -> String {
    format_uuid(random_half(), random_half())
}

/// Formats random bits as a UUID of version 4, which fixes six of the bits.
fn format_uuid(high: u64, low: u64) -> String {
    let high = high & !0xf000 | 0x4000;
    let low = low & (u64::MAX >> 2) | 1 << 63;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

/// Generates random bits from the seeds of the standard library's hash maps, for programs without a
/// browser. Ids must be unique, but may be predictable.
#[cfg(not(target_arch = "wasm32"))]
fn random_half() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

#[cfg(target_arch = "wasm32")]
fn random_half() -> u64 {
    let mut bytes = [0_u8; 8];
    let outcome = web_sys::window()
        .and_then(|window| window.crypto().ok())
        .map(|crypto| crypto.get_random_values_with_u8_array(&mut bytes));
    if !matches!(outcome, Some(Ok(_))) {
        // The fallback is for old browsers, which have no `crypto` in an insecure context. The bits
        // may be predictable.
        for byte in &mut bytes {
            *byte = random_byte();
        }
    }
    u64::from_le_bytes(bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the version and the variant are fixed, and that all other bits are used.
    #[test]
    fn ids_are_random_uuids() {
        assert_eq!(format_uuid(0, 0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(
            format_uuid(u64::MAX, u64::MAX),
            "ffffffff-ffff-4fff-bfff-ffffffffffff"
        );
        assert_eq!(
            format_uuid(0x0123_4567_89ab_cdef, 0x0123_4567_89ab_cdef),
            "01234567-89ab-4def-8123-456789abcdef"
        );
        assert_ne!(fresh_id(), fresh_id());
    }
}
