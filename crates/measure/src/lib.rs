//! What the benches share.
//!
//! A bench measures something several times ([`Spread`]), makes a [`Record`] of it, and gives the
//! record to a [`Report`], which prints a line of a table and at the end writes CSV and JSON.
//! [`peers`] runs other systems' programs in the same run; these print records too, or say why they
//! could not run. Nothing is in a report that was not measured in its run.
//!
//! ```
//! use measure::{Record, Spread};
//! use std::time::Duration;
//!
//! let spread = Spread::of(&[3, 1, 2].map(Duration::from_millis));
//! let record = Record {
//!     subject: "scan".into(),
//!     system: "ferrovox".into(),
//!     bytes: Some(8_000_000),
//!     ..Record::default()
//! }
//! .timed(spread);
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
