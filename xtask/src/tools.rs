//! Installs the tools that the tasks need, unless the right versions are present.
//!
//! Cargo, npm and pip install inside the project (`.tools`, `node_modules`, the example's `.venv`),
//! so the user's own files are not touched. System packages are installed by apt if run as root;
//! otherwise the command is printed. Every installation is announced with its approximate duration.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{Outcome, Project, read_text};

/// The version of trunk that is installed. Other versions of the same series are accepted, too.
const TRUNK: &str = "0.21.14";
const TRUNK_SERIES: &str = "0.21.";
/// The version of Firefox's driver that is installed, because Debian does not package the driver.
const GECKODRIVER: &str = "0.37.1";
const WASM: &str = "wasm32-unknown-unknown";
/// The folders of the Python servers that the end-to-end tests run.
const PYTHON_SERVERS: [&str; 4] = [
    "examples/pydantic-ai",
    "examples/langgraph",
    "examples/agent-framework",
    "examples/django",
];
/// The system packages of the other servers: their name, the command that succeeds if they are
/// installed, and the packages.
const SYSTEM_SERVERS: [(&str, [&str; 3], [&str; 2]); 2] = [
    (
        "PHP with cURL",
        ["php", "-r", "exit(function_exists('curl_exec') ? 0 : 1);"],
        ["php-cli", "php-curl"],
    ),
    (
        "Rails with Puma",
        [
            "ruby",
            "-e",
            "require 'action_controller/railtie'; require 'puma'",
        ],
        ["ruby-railties", "puma"],
    ),
];

impl Project {
    /// Ensures that Rust's target for the browser is installed.
    pub(crate) fn need_wasm_target(&self) -> Outcome<()> {
        let library = self
            .output(
                self.command("rustc")
                    .args(["--print", "target-libdir", "--target", WASM]),
            )
            .is_some_and(|folder| Path::new(&folder).is_dir());
        if library {
            return Ok(());
        }
        self.install_with_rustup("the target for the browser", &["target", "add", WASM])
    }

    /// Ensures that `cargo fmt` and `cargo clippy` are installed.
    pub(crate) fn need_lint_tools(&self) -> Outcome<()> {
        for (program, component) in [("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")] {
            if self
                .output(self.command(program).arg("--version"))
                .is_none()
            {
                self.install_with_rustup(component, &["component", "add", component])?;
            }
        }
        Ok(())
    }

    fn install_with_rustup(&self, what: &str, args: &[&str]) -> Outcome<()> {
        let line = format!("rustup {}", args.join(" "));
        if self.which("rustup").is_none() {
            return Err(format!(
                "{what} is missing: install it, with rustup by `{line}`"
            ));
        }
        print_installing(&format!("{what} by `{line}`"));
        self.run(self.command("rustup").args(args))
    }

    /// Ensures that trunk is installed, and wasm-bindgen in the version of `Cargo.lock`.
    pub(crate) fn need_page_builders(&self) -> Outcome<()> {
        let bindgen = self.locked_version_of("wasm-bindgen")?;
        if self.version_of("wasm-bindgen").as_deref() != Some(bindgen.as_str()) {
            self.cargo_install(
                "wasm-bindgen-cli",
                &bindgen,
                &[],
                "1",
                "two or three minutes",
            )?;
        }
        if !self
            .version_of("trunk")
            .is_some_and(|version| version.starts_with(TRUNK_SERIES))
        {
            let features = ["--no-default-features", "--features", "rustls"];
            // It only copies files and runs other programs, so optimizing it would take longer than
            // it saves.
            self.cargo_install("trunk", TRUNK, &features, "0", "four minutes and more")?;
        }
        Ok(())
    }

    /// Returns the version in the output of `PROGRAM --version`.
    fn version_of(&self, program: &str) -> Option<String> {
        let line = self.output(self.command(program).arg("--version"))?;
        line.split_whitespace().nth(1).map(str::to_owned)
    }

    /// Returns the version of a package in `Cargo.lock`. Fails if the package is not listed.
    fn locked_version_of(&self, package: &str) -> Outcome<String> {
        let lock = read_text(&self.root.join("Cargo.lock"))?;
        locked_version(&lock, package)
            .map(str::to_owned)
            .ok_or_else(|| format!("Cargo.lock has no {package}"))
    }

    fn cargo_install(
        &self,
        package: &str,
        version: &str,
        features: &[&str],
        opt_level: &str,
        time: &str,
    ) -> Outcome<()> {
        print_installing(&format!(
            "{package} {version} into .tools, compiled once: {time}"
        ));
        let scratch = self.root.join("target/tools");
        let install = |locked: &[&str]| {
            let mut command = self.cargo();
            command
                .args(["install", package, "--version", version, "--root", ".tools"])
                .args(features)
                .args(locked)
                // A separate folder, so that an interrupted installation can continue.
                .env("CARGO_TARGET_DIR", &scratch)
                // Optimizing short-running tools for ten minutes is not worthwhile.
                .env("CARGO_PROFILE_RELEASE_LTO", "off")
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level)
                .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
                .env("CARGO_PROFILE_RELEASE_DEBUG", "0");
            self.run(&mut command)
        };
        // A version in the tool's own lock file may have been yanked; compatible versions work as
        // well.
        if let Err(message) = install(&["--locked"]) {
            eprintln!("xtask: {message}; trying without --locked");
            install(&[])?;
        }
        // The rest is only needed for continuing, so failing to remove it is not an error.
        let _ = fs::remove_dir_all(scratch);
        Ok(())
    }

    /// Ensures that Node.js is installed, and fails if its version is older than `least`.
    pub(crate) fn need_node(&self, least: (u32, u32)) -> Outcome<()> {
        if self.which("node").is_none() {
            self.install_with_apt("Node.js", &["nodejs"])?;
        }
        let text = self
            .output(self.command("node").arg("--version"))
            .unwrap_or_default();
        let mut numbers = text
            .trim_start_matches('v')
            .split('.')
            .map_while(|n| n.parse().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if version >= least {
            return Ok(());
        }
        Err(format!(
            "Node.js {}.{} or newer is needed; `node --version` says `{text}`",
            least.0, least.1
        ))
    }

    /// Ensures that the packages in package.json are installed: wasm-opt, and the packages for the
    /// end-to-end tests.
    pub(crate) fn need_node_modules(&self) -> Outcome<()> {
        self.need_node_modules_of("")
    }

    /// Ensures that the AG-UI reference client for the conformance tests is installed.
    pub(crate) fn need_reference(&self) -> Outcome<()> {
        self.need_node_modules_of("crates/conformance/reference")
    }

    fn need_node_modules_of(&self, folder: &str) -> Outcome<()> {
        let path = self.root.join(folder);
        let lock = read_text(&path.join("package-lock.json"))?;
        let stamp = path.join("node_modules/.lock-of-this-install");
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
            return Ok(());
        }
        if self.which("npm").is_none() {
            self.install_with_apt("npm", &["npm"])?;
        }
        let lock_file = Path::new(folder).join("package-lock.json");
        let lock_file = lock_file.display();
        print_installing(&format!(
            "the npm packages of {lock_file} into node_modules beside it: seconds"
        ));
        let mut command = self.command("npm");
        command
            .current_dir(&path)
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
        self.run(&mut command)?;
        write_text(&stamp, &lock)
    }

    /// Ensures that Chromium is installed, and returns its path.
    pub(crate) fn need_chromium(&self) -> Outcome<PathBuf> {
        let names = [
            "chromium",
            "chromium-browser",
            "google-chrome-stable",
            "google-chrome",
        ];
        self.need_program("CHROMIUM", &names, &["chromium", "fonts-liberation"])
    }

    /// Ensures that headless Chromium, which needs half the processor time, is installed, and
    /// returns its path. Without such a package, returns the path of Chromium.
    pub(crate) fn need_headless_chromium(&self) -> Outcome<PathBuf> {
        if std::env::var_os("CHROMIUM").is_some() {
            return self.need_chromium();
        }
        let shell = "chromium-headless-shell";
        let packages = [shell, "fonts-liberation"];
        self.need_program("HEADLESS_CHROMIUM", &[shell], &packages)
            .or_else(|_| self.need_chromium())
    }

    /// Ensures that Chromium's driver for the browser tests is installed, and returns its path.
    pub(crate) fn need_chromedriver(&self) -> Outcome<PathBuf> {
        self.need_program("CHROMEDRIVER", &["chromedriver"], &["chromium-driver"])
    }

    /// Ensures that Firefox is installed, and returns its path.
    pub(crate) fn need_firefox(&self) -> Outcome<PathBuf> {
        self.need_program("FIREFOX", &["firefox", "firefox-esr"], &["firefox-esr"])
    }

    /// Ensures that Firefox's driver is installed, and returns its path.
    pub(crate) fn need_geckodriver(&self) -> Outcome<PathBuf> {
        if let Some(path) = std::env::var_os("GECKODRIVER") {
            return Ok(path.into());
        }
        let find = || self.which("geckodriver");
        if find().is_none() {
            let time = "two or three minutes";
            self.cargo_install("geckodriver", GECKODRIVER, &[], "1", time)?;
        }
        find().ok_or_else(|| "geckodriver is not there after its installation".to_owned())
    }

    /// Ensures that the driver of `WebKitGTK`, and the browser that it starts, are installed, and
    /// returns the driver's path.
    pub(crate) fn need_webkit_driver(&self) -> Outcome<PathBuf> {
        let names = ["WebKitWebDriver"];
        self.need_program("WEBKITDRIVER", &names, &["webkit2gtk-driver"])
    }

    /// Ensures that a virtual display for browsers is installed, and returns its path.
    pub(crate) fn need_screen(&self) -> Outcome<PathBuf> {
        self.need_program("XVFB_RUN", &["xvfb-run"], &["xvfb", "xauth"])
    }

    /// Ensures that the screen reader Orca is installed, with the accessibility bus, and returns
    /// its path.
    pub(crate) fn need_orca(&self) -> Outcome<PathBuf> {
        self.need_program("ORCA", &["orca"], &["orca", "at-spi2-core"])
    }

    /// Ensures that a display server without hardware (`Xvfb`) is installed, and returns its path.
    pub(crate) fn need_display_server(&self) -> Outcome<PathBuf> {
        self.need_program("XVFB", &["Xvfb"], &["xvfb"])
    }

    /// Ensures that the message bus daemon is installed, and returns its path.
    pub(crate) fn need_message_bus(&self) -> Outcome<PathBuf> {
        self.need_program("DBUS_DAEMON", &["dbus-daemon"], &["dbus-daemon"])
    }

    /// Ensures that `xdotool`, which presses keys on a display, is installed, and returns its path.
    pub(crate) fn need_xdotool(&self) -> Outcome<PathBuf> {
        self.need_program("XDOTOOL", &["xdotool"], &["xdotool"])
    }

    fn need_program(&self, variable: &str, names: &[&str], packages: &[&str]) -> Outcome<PathBuf> {
        if let Some(path) = std::env::var_os(variable) {
            return Ok(path.into());
        }
        let find = || names.iter().find_map(|name| self.which(name));
        if find().is_none() {
            self.install_with_apt(
                &format!("{} (or {variable}=path)", names.join(" or ")),
                packages,
            )?;
        }
        find().ok_or_else(|| format!("{} is not there after its installation", names.join(" or ")))
    }

    /// Ensures that the servers of `examples/` can run: the Python environments, PHP and Rails.
    pub(crate) fn need_example_servers(&self) -> Outcome<()> {
        for server in PYTHON_SERVERS {
            self.need_python_server(server)?;
        }
        for (what, [program, option, script], packages) in SYSTEM_SERVERS {
            let works = || {
                let mut command = self.command(program);
                self.output(command.args([option, script])).is_some()
            };
            if works() {
                continue;
            }
            self.install_with_apt(what, &packages)?;
            if !works() {
                return Err(format!(
                    "{what} is not there after its installation: is another `{program}` first in PATH?"
                ));
            }
        }
        Ok(())
    }

    fn need_python_server(&self, server: &str) -> Outcome<()> {
        let folder = self.root.join(server);
        let wanted = read_text(&folder.join("requirements.txt"))?;
        let venv = folder.join(".venv");
        let stamp = venv.join("requirements-of-this-install.txt");
        let python = venv.join("bin/python");
        let python = python.to_string_lossy();
        let works = self
            .output(self.command(&python).arg("--version"))
            .is_some();
        if works && fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(());
        }
        if self.which("python3").is_none() {
            self.install_with_apt("Python 3", &["python3", "python3-venv"])?;
        }
        print_installing(&format!(
            "the Python packages of {server}/requirements.txt into its .venv: half a minute"
        ));
        let make = || {
            let mut command = self.command("python3");
            self.run(command.args(["-m", "venv", "--clear"]).arg(&venv))
        };
        if make().is_err() {
            // Debian packages this part of Python separately.
            self.install_with_apt("Python's venv module", &["python3-venv"])?;
            make()?;
        }
        let mut command = self.command(&python);
        let requirements = folder.join("requirements.txt");
        command
            .args(["-m", "pip", "install", "--no-input", "--quiet", "-r"])
            .arg(requirements);
        self.run(&mut command)?;
        write_text(&stamp, &wanted)
    }

    /// Ensures that a Redis server is installed, for the relay's tests of a shared store.
    pub(crate) fn need_redis_server(&self) -> Outcome<()> {
        match self.which("redis-server") {
            Some(_) => Ok(()),
            None => self.install_with_apt("redis-server", &["redis-server"]),
        }
    }

    /// Installs system packages if this process is root and apt exists. Otherwise fails with the
    /// command to run.
    fn install_with_apt(&self, what: &str, packages: &[&str]) -> Outcome<()> {
        let line = format!("apt-get install -y {}", packages.join(" "));
        let root = self.output(self.command("id").arg("-u")).as_deref() == Some("0");
        if !root || self.which("apt-get").is_none() {
            return Err(format!("{what} is missing; on Debian: sudo {line}"));
        }
        print_installing(&format!("{what} by `{line}`"));
        for args in [
            &["update", "-q"][..],
            &["install", "-y", "-q", "--no-install-recommends"][..],
        ] {
            let mut command = self.command("apt-get");
            command.args(["-o", "Acquire::Retries=3"]);
            command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
            if args.contains(&"install") {
                command.args(packages);
            }
            self.run(&mut command)?;
        }
        Ok(())
    }
}

fn print_installing(what: &str) {
    eprintln!("xtask: installing {what}");
}

/// Returns the version that a lock file lists after a package's name, if any.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.next()?;
    lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

fn write_text(file: &Path, text: &str) -> Outcome<()> {
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locked_version_is_that_of_the_exact_package() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.9\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(lock, "bindgen"), None);
    }
}
