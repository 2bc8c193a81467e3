//! Tables of file formats: one row per format declares its enum variant and its encoder.

/// Declares an enum of file formats from a table with one row per format.
///
/// Every row names a variant and its encoder, a unit struct whose `info()` returns the format's
/// name and extension. Lookups by path, messages and help texts are derived from the table, so a
/// new format needs no other registration. `streams` names the format of outputs without a file
/// name extension: devices, pipes and standard output.
macro_rules! file_formats {
    (
        $(#[$attribute:meta])*
        $name:ident: $encoder:path, streams: $default:ident {
            $($(#[$doc:meta])* $variant:ident => $instance:expr,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl $name {
            /// All formats, in the order in which tables and messages list them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the format that the extension of `path` names, or `None`.
            pub fn from_path(path: &std::path::Path) -> Option<Self> {
                Self::from_extension(&$crate::io::file_extension::extension(path))
            }

            /// Returns the short name of the format, for messages.
            pub fn name(self) -> &'static str {
                self.encoder().info().name
            }

            /// Returns the file name extension, without a dot and in lower case.
            pub fn extension(self) -> &'static str {
                self.encoder().info().extension
            }

            /// Returns the format of the output `path`: the default format for a device, a pipe or
            /// standard output without an extension.
            pub(crate) fn from_output_path(path: &std::path::Path) -> Option<Self> {
                let default = Self::$default.extension();
                Self::from_extension(&$crate::io::output::destination::output_extension(path, default))
            }

            fn from_extension(extension: &str) -> Option<Self> {
                let mut formats = Self::ALL.iter().copied();
                formats.find(|format| format.extension() == extension)
            }

            pub(super) fn encoder(self) -> &'static dyn $encoder {
                match self {
                    $(Self::$variant => &$instance,)+
                }
            }
        }
    };
}

pub(super) use file_formats;
