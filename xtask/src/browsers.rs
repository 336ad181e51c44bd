//! Finds the browsers in which the tests run, and the drivers of the browsers.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::options::Browser;
use crate::project::{Outcome, Project};

/// A `WebDriver` server, which the runner of the browser tests uses.
#[derive(Debug)]
pub(crate) struct Driver {
    /// The environment variable from which the runner reads the driver's path.
    variable: &'static str,
    path: PathBuf,
    /// The program that provides a virtual display, if there is no display and the browser needs
    /// one.
    screen: Option<PathBuf>,
    /// The file with the browser's start options, if there are any.
    starts: Option<PathBuf>,
}

impl Driver {
    /// Returns a cargo command whose test runner uses this driver.
    pub(crate) fn cargo(&self, project: &Project) -> Command {
        let cargo = project.cargo();
        let mut command = match &self.screen {
            Some(screen) => {
                let mut command = project.command(&screen.to_string_lossy());
                command.arg("-a").arg(cargo.get_program());
                command
            }
            None => cargo,
        };
        command.env(self.variable, &self.path);
        // Other variables would take precedence.
        for other in ["GECKODRIVER", "SAFARIDRIVER", "CHROMEDRIVER"] {
            if other != self.variable {
                command.env_remove(other);
            }
        }
        if let Some(file) = &self.starts {
            command.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", file);
        }
        // WebKit starts slowly.
        command.env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "20");
        // Seconds for all tests together: two to three times the time on a slow machine.
        command.env("WASM_BINDGEN_TEST_TIMEOUT", "1500");
        command
    }
}

pub(crate) const fn browser_name(browser: Browser) -> &'static str {
    match browser {
        Browser::Chromium => "chromium",
        Browser::Firefox => "firefox",
        Browser::WebKit => "webkit",
    }
}

/// Ensures that a browser for the end-to-end tests is installed, and returns its path. Fails for
/// [`Browser::WebKit`].
pub(crate) fn need_browser(project: &Project, browser: Browser) -> Outcome<PathBuf> {
    match browser {
        Browser::Chromium => project.need_headless_chromium(),
        Browser::Firefox => project.need_firefox(),
        Browser::WebKit => Err("the end-to-end tests do not run in WebKit".to_owned()),
    }
}

/// Ensures that a browser and its driver are installed, and returns the driver.
pub(crate) fn need_driver(project: &Project, browser: Browser) -> Outcome<Driver> {
    match browser {
        Browser::Chromium => {
            project.need_chromium()?;
            Ok(Driver {
                variable: "CHROMEDRIVER",
                path: project.need_chromedriver()?,
                screen: None,
                starts: Some(project.root.join("tests/webdriver.json")),
            })
        }
        Browser::Firefox => {
            let firefox = project.need_firefox()?;
            Ok(Driver {
                variable: "GECKODRIVER",
                path: project.need_geckodriver()?,
                screen: None,
                starts: Some(write_firefox_options(project, &firefox)?),
            })
        }
        Browser::WebKit => Ok(Driver {
            // The runner starts it in the same way, and requests no more than a browser.
            variable: "SAFARIDRIVER",
            path: project.need_webkit_driver()?,
            screen: match has_screen() {
                true => None,
                false => Some(project.need_screen()?),
            },
            starts: None,
        }),
    }
}

/// Writes a file with start options that contain the path of Firefox, because its driver searches
/// for only one program name. Returns the path of the file.
fn write_firefox_options(project: &Project, firefox: &Path) -> Outcome<PathBuf> {
    // Rust's escapes of a path are valid in JSON.
    let firefox = firefox.to_string_lossy();
    let options = format!("{{\"moz:firefoxOptions\": {{\"binary\": {firefox:?}}}}}\n");
    let folder = project.target_folder();
    let file = folder.join("webdriver-firefox.json");
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, options));
    written.map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(file)
}

fn has_screen() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}
