//! Runs programs in the project's folder, with a common `PATH`, with output on standard error, and
//! with errors that name the command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// A value, or an error message for the terminal.
pub(crate) type Outcome<T> = Result<T, String>;

/// The project's root folder, and the search path for programs.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    path: OsString,
}

impl Project {
    /// Finds the project's folder from the path of this package, which cargo sets.
    pub(crate) fn find() -> Outcome<Self> {
        let package =
            env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&package)
            .parent()
            .filter(|root| root.join("Trunk.toml").is_file())
            .ok_or("run it as `cargo xtask` inside the project")?
            .to_owned();
        let mut folders = vec![root.join(".tools/bin"), root.join("node_modules/.bin")];
        folders.extend(env::var_os("PATH").iter().flat_map(env::split_paths));
        folders.extend(cargo_bin());
        // A bare environment still has the system's programs.
        folders.extend(
            ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"].map(PathBuf::from),
        );
        let path = env::join_paths(folders).map_err(|error| format!("PATH: {error}"))?;
        Ok(Self { root, path })
    }

    /// Returns a command that runs in the project's folder, with the common `PATH`, without input
    /// and with output on standard error.
    pub(crate) fn command(&self, program: &str) -> Command {
        let found = self.which(program).unwrap_or_else(|| program.into());
        let mut command = Command::new(found);
        command
            .current_dir(&self.root)
            .env("PATH", &self.path)
            .stdin(Stdio::null())
            .stdout(Stdio::from(std::io::stderr()));
        command
    }

    /// Returns a command that runs the same cargo that runs this program, so that the chosen
    /// toolchain is used.
    pub(crate) fn cargo(&self) -> Command {
        self.command(&env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
    }

    /// Runs a command and waits for its end. The error of a failure names the command.
    pub(crate) fn run(&self, command: &mut Command) -> Outcome<()> {
        let status = command
            .status()
            .map_err(|error| start_error(command, &error))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("{} failed: {status}", command_line(command)))
        }
    }

    /// Returns the output of a command. If the command fails, prints its error output, and returns
    /// an error that names the command.
    pub(crate) fn required_output(&self, command: &mut Command) -> Outcome<String> {
        let output = command.stdout(Stdio::piped()).output();
        let output = output.map_err(|error| format!("{}: {error}", command_line(command)))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            Err(format!("{} failed", command_line(command)))
        }
    }

    /// Returns the output of a command, trimmed; `None` if the command cannot be started or fails.
    pub(crate) fn output(&self, command: &mut Command) -> Option<String> {
        let output = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Returns the path of a program, if it is installed.
    pub(crate) fn which(&self, program: &str) -> Option<PathBuf> {
        if Path::new(program).is_absolute() {
            return Some(program.into());
        }
        env::split_paths(&self.path)
            .map(|folder| folder.join(program))
            .find(|file| is_executable(file))
    }
}

/// Makes a build command remove local paths from its module, which is published. Otherwise each
/// panic location of a dependency would contain the path of its source on this machine. Call this
/// after the sources have been fetched.
pub(crate) fn remap_local_paths(command: &mut Command) {
    let sources = cargo_home().map(|home| home.join("registry/src"));
    let registries = sources.and_then(|sources| fs::read_dir(sources).ok());
    let registries = registries.into_iter().flatten().flatten();
    let flags: Vec<String> = registries
        .map(|registry| registry.path())
        .chain(standard_library_path())
        .map(|folder| format!("--remap-path-prefix={}/=", folder.display()))
        // Flags are separated by blanks.
        .filter(|flag| !flag.contains(char::is_whitespace))
        .collect();
    // Cargo adds them to the flags of `.cargo/config.toml`.
    command.env(
        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
        flags.join(" "),
    );
}

/// Returns the path of the standard library's source. If the component `rust-src` is installed,
/// panic locations contain this path.
fn standard_library_path() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let root = String::from_utf8(output.ok()?.stdout).ok()?;
    Some(Path::new(root.trim()).join("lib/rustlib/src/rust"))
}

/// Returns the folder in which `cargo install` installs programs.
fn cargo_bin() -> Option<PathBuf> {
    cargo_home().map(|home| home.join("bin"))
}

fn cargo_home() -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| env::home_dir().map(|home| home.join(".cargo")))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// Formats a command as it would be entered in a terminal.
pub(crate) fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let mut line = program.to_string_lossy().into_owned();
    for arg in command.get_args() {
        line.push(' ');
        line.push_str(&arg.to_string_lossy());
    }
    line
}

/// Returns the error message for a command that could not be started.
pub(crate) fn start_error(command: &Command, error: &std::io::Error) -> String {
    format!("{} cannot be started: {error}", command_line(command))
}

/// Reads a file as text. The error names the file.
pub(crate) fn read_text(file: &Path) -> Outcome<String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Returns the paths of the files in a folder that have an extension, sorted, and relative to the
/// project; empty if the folder cannot be read.
pub(crate) fn files_with_extension(project: &Project, folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.root.join(folder))
        .into_iter()
        .flatten()
        .flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| PathBuf::from(folder).join(entry.file_name()))
        .filter(|file| file.extension().is_some_and(|found| found == ending))
        .collect();
    files.sort();
    files
}
