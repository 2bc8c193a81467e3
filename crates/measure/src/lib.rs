//! Shared infrastructure of the benchmarks: statistics, records, reports and runs of other systems.
//!
//! A benchmark measures an operation several times ([`Spread`]), creates a [`Record`] from the
//! times, and adds it to a [`Report`], which prints it as a table row and finally writes CSV and
//! JSON. [`peers`] runs the programs of other systems in the same run; they print records too, or
//! the reason why they could not run. A report contains only measurements of its own run.
//!
//! ```
//! use measure::{Record, Spread};
//! use std::time::Duration;
//!
//! let spread = Spread::from_durations(&[3, 1, 2].map(Duration::from_millis));
//! let record = Record {
//!     subject: "scan".into(),
//!     system: "ferrovox".into(),
//!     bytes: Some(8_000_000),
//!     ..Record::default()
//! }
//! .with_times(spread);
//! assert_eq!(record.median_ms, Some(2.0));
//! assert_eq!(record.gb_per_s, Some(4.0));
//! ```

mod date;
mod host;
pub mod options;
pub mod peers;
mod record;
mod report;
mod spread;
mod table;

pub use date::utc_label;
pub use options::Common;
pub use record::{COLUMNS, Record};
pub use report::{Report, ReportError};
pub use spread::Spread;
