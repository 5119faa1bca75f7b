//! A plugin in Rust with everything that the crate offers. `RustPluginTests` run it.

mod values;

use spinhost::{
    log_with, print, Call, Counter, Duration, Failure, Field, Instance, Level, Life, Readiness, Reconfigure, Saved,
    Saving, Secret, SharedBytes, SharedBytesMut, Status, Swap, Text, Texts,
};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use std::time;
use values::{add, age, greet, is_known, lengths, sort, sorted, wait, words};

spinhost::plugin!(
    "ticker", "1.0.0", config, instance, life, swap, reconfigure, ticked, tick, tick_in_work, tick_by_timer, until_cancelled,
    remember, expect, tick_by_poll, frame, film, add, greet, words, sort, sorted, lengths, wait, age, is_known,
);

spinhost::config! {
    pub struct Settings {
        /// What is counted.
        word: Text = "again";
        /// How far each count goes.
        step: i64 = 1, -1_000..=1_000;
        /// How long
        /// a timer waits.
        pause: Duration = "1ms", "0s"..="1h";
        /// What it also knows.
        others: Texts = [];
        /// Whether it can be started.
        works: bool = true;
        /// Twice of it is 1.
        half: f64 = 0.5;
        /// Who it is.
        token: Secret = {};
    }
}

/// The count outlives the instance when work has it.
struct Ticker {
    word: String,
    step: i64,
    pause: time::Duration,
    others: Vec<String>,
    token: Option<String>,
    works: bool,
    count: Arc<AtomicI64>,
}

impl Ticker {
    /// A function that goes one step further, for other threads.
    fn counting(&self) -> impl Fn() -> i64 + Send + 'static {
        let (count, step) = (self.count.clone(), self.step);
        move || count.fetch_add(step, Ordering::Relaxed).wrapping_add(step)
    }
}

impl Instance for Ticker {
    type Settings = Settings;

    fn create(_: Call, settings: &Settings) -> Result<Self, Failure> {
        if settings.word.is_empty() {
            return Err("there is no word".into());
        }
        if settings.half * 2.0 != 1.0 {
            return Err(Failure { code: Status(-77), message: format!("{} is no half", settings.half) });
        }
        Ok(Ticker {
            word: settings.word.to_string(),
            step: settings.step,
            pause: settings.pause.try_into().map_err(|_| "the pause is negative")?,
            others: settings.others.iter().map(str::to_owned).collect(),
            token: (!settings.token.is_empty())
                .then(|| format!("{:?} of {} bytes", settings.token, settings.token.len())),
            works: settings.works,
            count: Arc::default(),
        })
    }
}
spinhost::instance!(Ticker);

impl Drop for Ticker {
    fn drop(&mut self) {
        let _ = print(&format!("drop {}", self.word));
    }
}

impl Life for Ticker {
    fn start(&mut self, call: Call) -> Result<(), Failure> {
        if !self.works {
            return Err(Status::UNSUPPORTED.into());
        }
        spinhost::log(Some(call), Level::DEBUG, "starts")?;
        if let Some(token) = &self.token {
            print(token)?;
        }
        Ok(print(&format!("start {}", self.word))?)
    }

    fn stop(&mut self) {
        let _ = print(&format!("stop {}", self.word));
    }
}
spinhost::life!(Ticker);

impl Swap for Ticker {
    fn save(&self, _: Call, saving: &mut Saving) -> Result<(), Failure> {
        Ok(saving.write(&self.count.load(Ordering::Relaxed).to_le_bytes())?)
    }

    fn restore(&mut self, _: Call, saved: &Saved) -> Result<(), Failure> {
        if saved.schema() != 3 {
            return Err(format!("version {} has another schema", saved.version()).into());
        }
        let bytes = saved.data().try_into().map_err(|_| "8 bytes are expected")?;
        self.count.store(i64::from_le_bytes(bytes), Ordering::Relaxed);
        Ok(())
    }
}
spinhost::swap!(Ticker, 3);

impl Reconfigure for Ticker {
    fn reconfigure(&mut self, _: Call, before: &Settings, settings: &Settings) -> Result<(), Failure> {
        if *before.word != *settings.word {
            return Err("another word needs a new instance".into());
        }
        self.step = settings.step;
        Ok(print(&format!("step {} to {}", before.step, settings.step))?)
    }
}
spinhost::reconfigure!(Ticker);

spinhost::emitter!(ticked(word: &str, count: i64));

spinhost::effect! {
    /// The count, one step further.
    fn tick(ticker: &mut Ticker) -> i64 {
        ticker.counting()()
    }
}

spinhost::effect! {
    /// Emits `ticked` from a thread of the host, which waits while the loop is busy.
    fn tick_in_work(call: Call, ticker: &Ticker) {
        let (word, counting) = (ticker.word.clone(), ticker.counting());
        let submitted = spinhost::work(move || {
            // The emission may end the call, as it changes the state.
            let _ = print(if call.deadline().is_some() { "until then" } else { "for ever" });
            let _ = ticked::wait(call, &word, counting(), Some(time::Duration::from_secs(100)));
            let _ = call.finish();
        });
        if let Err(status) = submitted {
            let _ = call.fail(status, "there is no thread");
        }
    }
}

spinhost::emitter!(frame(bytes: &[u8]));

spinhost::effect! {
    /// Emits `frame` with the argument, and with twice its bytes, both without a copy.
    fn film(call: Call, bytes: &[u8]) {
        let kept = SharedBytes::keep(call, bytes);
        let twice = SharedBytesMut::with_capacity(2 * bytes.len()).and_then(|mut twice| {
            twice.extend_from_slice(bytes).ok()?;
            // Safety: the bytes have room there.
            unsafe { twice.fill(|at, room| { at.copy_from(bytes.as_ptr(), room); room }) };
            twice.extend_from_slice(&[1]).is_err().then(|| twice.freeze())
        });
        let (Ok(kept), Some(twice)) = (kept, twice) else {
            let _ = call.fail(Status::FAILED, "there are no bytes to share");
            return;
        };
        let again = twice.clone();
        drop(twice);
        let fields = [
            Field::integer(c"size", again.len() as i64), Field::text(c"kind", "frame"),
            Field::number(c"half", 0.5), Field::flag(c"same", kept[..] == again[bytes.len()..]),
        ];
        let _ = log_with(Some(call), Level::WARNING, "filmed", &fields);
        let _ = (frame(call, &kept), frame(call, &again), call.finish());
    }
}

spinhost::effect! {
    /// Emits `ticked` whenever a socket is readable, which has three bytes, from the poll of the call.
    fn tick_by_poll(call: Call, ticker: &Ticker) {
        use std::io::{Read, Write};
        use std::os::{fd::AsRawFd, unix::net::UnixStream};
        let (word, counting) = (ticker.word.clone(), ticker.counting());
        let (mut reading, mut writing) = UnixStream::pair().expect("there are sockets");
        writing.write_all(b"abc").expect("there is room");
        let (descriptor, polls) = (reading.as_raw_fd(), Counter::new("polls_total", "Polls.", &[("of", "ticker")]));
        let key = call.run_key().unwrap_or_default();
        let started = call.start_poll(descriptor, Readiness::READ, move |events| {
            // The other side stays open as long as this function.
            let _ = &writing;
            let mut byte = [0];
            assert!(events.has(Readiness::READ) && reading.read(&mut byte).is_ok());
            let known = call.attempt() == 1 && call.run_key().as_ref() == Ok(&key);
            let _ = polls.add(if known { 1.0 } else { 0.0 });
            if ticked(call, &word, counting()) == Err(Status::FULL) {
                let _ = call.on_room(|| ());
            }
        });
        if call.instance().is_some() || started.is_err() {
            let _ = call.fail(Status::FAILED, "the socket cannot be polled");
        }
    }
}

spinhost::effect! {
    /// Emits `ticked` until it is cancelled.
    fn tick_by_timer(call: Call, ticker: &Ticker) {
        let (word, counting) = (ticker.word.clone(), ticker.counting());
        let started = call.start_timer(ticker.pause, Some(time::Duration::from_millis(1)), move |expirations| {
            assert!(expirations > 0);
            let _ = ticked(call, &word, counting());
        });
        if let Err(status) = started {
            let _ = call.fail(status, "there is no timer");
        }
    }
}

spinhost::effect! {
    /// Prints a line when it is cancelled.
    fn until_cancelled(call: Call) {
        let until = call.on_cancel(move || {
            let _ = print("cancelled");
        });
        match until {
            // The host has the function until the call is over.
            Ok(_until) => _ = print("waits"),
            Err(status) => _ = call.fail(status, "it is over"),
        }
    }
}

spinhost::effect! {
    /// The other words that it knows.
    fn remember(ticker: &Ticker) -> i64 {
        ticker.others.len() as i64
    }
}

spinhost::effect! {
    /// The number. Panics for 1,000.
    fn expect(number: u32) -> u32 {
        assert!(number != 1_000, "1000 is too much");
        number
    }
}
