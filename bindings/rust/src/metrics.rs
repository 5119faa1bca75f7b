//! Numbers for the person who runs the app, as Prometheus knows them.

use crate::host::{service, Host};
use crate::services::MetricsService;
use crate::Status;
use alloc::ffi::CString;
use alloc::vec::Vec;
use core::ffi::c_char;
use core::ptr::null;

/// A number that only grows, from 0. Its name ends with `_total`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counter(u64);

/// A number that goes up and down, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gauge(u64);

/// Values, counted by their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Histogram(u64);

/// Calls `register` with texts in C; 0 for a text with a NUL inside, and without the service.
fn registered(
    name: &str, help: &str, labels: &[(&str, &str)],
    register: impl FnOnce(&Host, &MetricsService, *const c_char, *const c_char, *const *const c_char) -> u64,
) -> u64 {
    let (Ok(name), Ok(help)) = (CString::new(name), CString::new(help)) else { return 0 };
    let texts = labels.iter().flat_map(|(name, value)| [CString::new(*name), CString::new(*value)]);
    let Ok(texts) = texts.collect::<Result<Vec<_>, _>>() else { return 0 };
    let pointers: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
    let labels = pointers.as_ptr();
    service::<MetricsService>()
        .map_or(0, |(host, table)| register(host, table, name.as_ptr(), help.as_ptr(), labels))
}

fn change(
    metric: u64, amount: f64, function: impl FnOnce(&MetricsService) -> unsafe extern "C" fn(*const Host, u64, f64) -> Status,
) -> Result<(), Status> {
    let (host, table) = service::<MetricsService>()?;
    // Safety: the host checks the number.
    unsafe { function(table)(host, metric, amount) }.result()
}

impl Counter {
    /// Registers a counter, or finds the one with this name and these labels, also of an earlier version of the
    /// plugin. When the host refuses it, its changes answer `BAD_VALUE`, and the host's log has the reason.
    pub fn new(name: &str, help: &str, labels: &[(&str, &str)]) -> Self {
        let count = labels.len();
        Counter(registered(name, help, labels, |host, table, name, help, labels| {
            // Safety: the texts live until the host returns.
            unsafe { (table.counter)(host, name, help, labels, count) }
        }))
    }

    /// Adds a finite amount that is not negative. From any thread, without a lock.
    pub fn add(self, amount: f64) -> Result<(), Status> {
        change(self.0, amount, |table| table.add)
    }
}

impl Gauge {
    /// As `Counter::new`.
    pub fn new(name: &str, help: &str, labels: &[(&str, &str)]) -> Self {
        let count = labels.len();
        Gauge(registered(name, help, labels, |host, table, name, help, labels| {
            // Safety: the texts live until the host returns.
            unsafe { (table.gauge)(host, name, help, labels, count) }
        }))
    }

    /// Adds a finite amount. From any thread, without a lock.
    pub fn add(self, amount: f64) -> Result<(), Status> {
        change(self.0, amount, |table| table.add)
    }

    /// Sets the value. From any thread, without a lock.
    pub fn set(self, value: f64) -> Result<(), Status> {
        change(self.0, value, |table| table.set)
    }
}

impl Histogram {
    /// As `Counter::new`, with 1 to 32 bounds, each greater than the one before; none means bounds for seconds.
    pub fn new(name: &str, help: &str, labels: &[(&str, &str)], bounds: &[f64]) -> Self {
        let (count, at) = (labels.len(), if bounds.is_empty() { null() } else { bounds.as_ptr() });
        Histogram(registered(name, help, labels, |host, table, name, help, labels| {
            // Safety: the texts and the bounds live until the host returns.
            unsafe { (table.histogram)(host, name, help, labels, count, at, bounds.len()) }
        }))
    }

    /// Adds a finite value. From any thread, without a lock.
    pub fn observe(self, value: f64) -> Result<(), Status> {
        change(self.0, value, |table| table.observe)
    }
}
