//! Emits relocations for a split build, which the program that splits the module needs.

fn main() {
    let split = std::env::var_os("CARGO_FEATURE_SPLIT").is_some();
    let family = std::env::var("CARGO_CFG_TARGET_FAMILY").unwrap_or_default();
    if split && family == "wasm" {
        println!("cargo:rustc-link-arg=--emit-relocs");
    }
}
