//! Finds the program that the tests of Redis need, so that without it they are listed as ignored.

use std::env;

fn main() {
    println!("cargo:rustc-check-cfg=cfg(redis_server)");
    println!("cargo:rerun-if-env-changed=PATH");
    println!("cargo:rerun-if-changed=/usr/bin/redis-server");
    let path = env::var_os("PATH").unwrap_or_default();
    if env::split_paths(&path).any(|folder| folder.join("redis-server").is_file()) {
        println!("cargo:rustc-cfg=redis_server");
    }
}
