//! The crate that a module is made by.

/// A crate with a list of schemes; [`about!`](crate::about) tells of the one that it stands in.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Digest of its sources, which its build script gives it; none for the package's own module.
    pub build: Option<&'static str>,
    /// Where its sources were.
    pub folder: &'static str,
}

/// Tells of the crate that it stands in.
#[macro_export]
macro_rules! about {
    () => {
        $crate::About {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            build: option_env!("CRATE_BUILD"),
            folder: env!("CARGO_MANIFEST_DIR"),
        }
    };
}

impl About {
    /// Name, version and digest, of a crate with schemes of its own.
    pub(crate) fn outside(&self) -> Option<(&'static str, &'static str, &'static str)> {
        Some((self.name, self.version, self.build?))
    }
}

/// What a result says of the crates that made it, if one has schemes of its own.
pub(crate) fn crates() -> Option<Vec<String>> {
    let (name, version, build) = crate::ABOUT.get()?.outside()?;
    let engine = concat!("multihop ", env!("CARGO_PKG_VERSION"), "+", env!("ENGINE_BUILD"));
    Some(vec![engine.to_owned(), format!("{name} {version}+{build}")])
}
