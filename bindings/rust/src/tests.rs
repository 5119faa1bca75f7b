use crate::host::{Function, Host, NumberFunction, Service, HOST};
use crate::services::TimerService;
use crate::table::{
    ConfigDescription, Description, Effect, Emitter, Entry, InstanceDescription, LifeDescription, ReconfigureDescription,
    SwapDescription,
};
use crate::{doc, note_size, parameters, Call, Duration, Note, Secret, Setting, Status, Text, Texts};
use core::ffi::{c_char, c_void, CStr};
use core::mem::{align_of, size_of};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

#[test]
fn the_structs_have_the_sizes_of_the_header() {
    assert_eq!(size_of::<Description>(), 8);
    assert_eq!(size_of::<Effect>(), 48);
    assert_eq!(size_of::<Emitter>(), 40);
    assert_eq!(size_of::<InstanceDescription>(), 24);
    assert_eq!(size_of::<ConfigDescription>(), 16);
    assert_eq!(size_of::<LifeDescription>(), 24);
    assert_eq!(size_of::<SwapDescription>(), 32);
    assert_eq!(size_of::<ReconfigureDescription>(), 16);
    assert_eq!(size_of::<Entry>(), 56);
    assert_eq!(size_of::<Host>(), 96);
    assert_eq!(size_of::<crate::Saving>(), 16);
    assert_eq!(size_of::<crate::Saved>(), 40);
    assert_eq!((size_of::<Text>(), size_of::<crate::Bytes>(), size_of::<Texts>()), (16, 16, 16));
}

#[test]
fn texts_of_a_declaration_are_those_of_c() {
    assert_eq!(parameters(""), "void");
    assert_eq!(parameters(", int64_t n, spin_string s"), "int64_t n, spin_string s");
    assert_eq!(doc(" The level."), "The level.");
    assert_eq!(crate::c_literal!(9_600), "9600");
    assert_eq!(crate::c_literal!(-1_000), "-1000");
    assert_eq!(crate::c_literal!([]), "{}");
    assert_eq!(crate::c_literal!({}), "{}");
    assert_eq!(crate::c_literal!("a [_] b "), "\"a [_] b \"");
}

#[test]
fn a_note_is_an_elf_note_of_the_owner() {
    const TEXTS: &[&str] = &["one\0", "two\0", "\0"];
    static NOTE: Note<{ note_size(TEXTS) }> = Note::new(2, TEXTS);
    let expected = [&[9, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0][..], b"spinhost\0\0\0\0", b"one\0two\0\0\0\0\0"].concat();
    assert_eq!(NOTE.bytes()[..], expected[..]);
    assert_eq!(align_of::<Note<4>>(), 4);
}

#[test]
fn durations_keep_to_their_range() {
    use core::time::Duration as Positive;
    assert_eq!(Duration::from(Positive::from_micros(3)), Duration(3_000));
    assert_eq!(Duration::from(Positive::MAX), Duration(i64::MAX));
    assert_eq!(Positive::try_from(Duration(5)), Ok(Positive::from_nanos(5)));
    assert!(Positive::try_from(Duration(-1)).is_err());
}

/// What the plugin told the host of the test, and what the host has of it.
struct Heard {
    answer: Status,
    function: Option<(Function, usize)>,
    message: String,
}

static HEARD: Mutex<Heard> = Mutex::new(Heard { answer: Status::OK, function: None, message: String::new() });
/// One test at a time has the host.
static TURN: Mutex<()> = Mutex::new(());

unsafe extern "C" fn emit(_: Call, _: *const Emitter, _: *const c_void) -> Status {
    HEARD.lock().unwrap().answer
}
unsafe extern "C" fn finish(_: Call) -> Status {
    HEARD.lock().unwrap().answer
}
unsafe extern "C" fn fail(_: Call, _: Status, text: *const c_char) -> Status {
    let mut heard = HEARD.lock().unwrap();
    heard.message = CStr::from_ptr(text).to_str().unwrap().into();
    heard.answer
}
unsafe extern "C" fn cancelled(_: Call) -> i32 {
    0
}
unsafe extern "C" fn on_cancel(_: Call, function: Function, context: *mut c_void) -> Status {
    let mut heard = HEARD.lock().unwrap();
    heard.function = Some((function, context as usize));
    heard.answer
}
unsafe extern "C" fn service(_: *const Host, id: *const c_char) -> *const c_void {
    if CStr::from_ptr(id) != TimerService::ID {
        return core::ptr::null();
    }
    LOOKUPS.fetch_add(1, Ordering::Relaxed);
    &raw const TIMERS as *const c_void
}
unsafe extern "C" fn emit_wait(_: Call, _: *const Emitter, _: *const c_void, _: i64) -> Status {
    HEARD.lock().unwrap().answer
}
unsafe extern "C" fn deadline(_: Call) -> i64 {
    i64::MAX
}

/// How often the plugin has looked for the service of timers.
static LOOKUPS: AtomicUsize = AtomicUsize::new(0);
static TIMERS: TimerService = TimerService { size: size_of::<TimerService>() as u32, flags: 0, start, cancel };

unsafe extern "C" fn start(
    _: *const Host, _: Call, _: Duration, _: Duration, fire: NumberFunction, context: *mut c_void, release: Function,
    timer: *mut u64,
) -> Status {
    let answer = HEARD.lock().unwrap().answer;
    if answer == Status::OK {
        *timer = 7;
        fire(context, 2);
        fire(context, 3);
        release(context);
    }
    answer
}
unsafe extern "C" fn cancel(_: *const Host, timer: u64) -> Status {
    if timer == 7 { Status::STOPPED } else { Status::BAD_VALUE }
}

static FAKE: Host = Host {
    size: size_of::<Host>() as u32,
    abi_major: 2,
    abi_minor: 0,
    flags: 0,
    generation: 1,
    owner: core::ptr::null_mut(),
    emit,
    finish,
    fail,
    cancelled,
    on_cancel,
    service,
    emit_wait,
    deadline,
};

const CALL: Call = Call(0x11 as *mut c_void);

/// A host that gives this answer to everything.
fn answering(answer: Status) -> MutexGuard<'static, ()> {
    let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    HOST.store(&raw const FAKE as *mut Host, Ordering::Release);
    *HEARD.lock().unwrap() = Heard { answer, function: None, message: String::new() };
    turn
}

fn answer(answer: Status) {
    HEARD.lock().unwrap().answer = answer;
}

#[test]
fn a_function_for_cancellation_is_dropped_once_when_the_call_ends() {
    let _turn = answering(Status::OK);
    let kept = Arc::new(());
    let held = kept.clone();
    let cancellation = CALL.on_cancel(move || drop(held)).unwrap();
    assert_eq!(Arc::strong_count(&kept), 2);
    assert_eq!(cancellation.finish(), Ok(()));
    assert_eq!(Arc::strong_count(&kept), 1);
}

#[test]
fn a_function_for_cancellation_belongs_to_the_host_when_the_call_was_cancelled() {
    let _turn = answering(Status::OK);
    let kept = Arc::new(());
    let held = kept.clone();
    let cancellation = CALL.on_cancel(move || drop(held)).unwrap();
    let (function, context) = HEARD.lock().unwrap().function.unwrap();
    // Safety: the host calls it once, because the call is cancelled.
    unsafe { function(context as *mut c_void) };
    assert_eq!(Arc::strong_count(&kept), 1);
    answer(Status::CANCELLED);
    assert_eq!(cancellation.fail(Status::FAILED, "late"), Err(Status::CANCELLED));
    assert_eq!(Arc::strong_count(&kept), 1);
}

#[test]
fn a_function_that_the_host_does_not_take_is_dropped() {
    let _turn = answering(Status::FULL);
    let kept = Arc::new(());
    let held = kept.clone();
    assert_eq!(CALL.on_cancel(move || drop(held)).err(), Some(Status::FULL));
    let held = kept.clone();
    assert_eq!(crate::work(move || drop(held)), Err(Status::UNSUPPORTED));
    let held = kept.clone();
    let started = CALL.start_timer(core::time::Duration::ZERO, None, move |_| _ = &held);
    assert_eq!(started, Err(Status::FULL));
    assert_eq!(Arc::strong_count(&kept), 1);
}

#[test]
fn a_function_that_the_host_repeats_is_dropped_when_the_host_releases_it() {
    let _turn = answering(Status::OK);
    let fired = Arc::new(AtomicUsize::new(0));
    let held = fired.clone();
    let timer = CALL.start_timer(core::time::Duration::ZERO, None, move |expirations| {
        held.fetch_add(expirations as usize, Ordering::Relaxed);
    });
    assert_eq!(fired.load(Ordering::Relaxed), 5);
    assert_eq!(Arc::strong_count(&fired), 1);
    assert_eq!(timer.unwrap().cancel(), Err(Status::STOPPED));
}

#[test]
fn the_host_looks_for_a_service_once() {
    let _turn = answering(Status::OK);
    for _ in 0..3 {
        assert!(CALL.start_timer(core::time::Duration::ZERO, None, |_| ()).is_ok());
    }
    assert_eq!(LOOKUPS.load(Ordering::Relaxed), 1);
}

#[test]
fn a_secret_is_not_shown() {
    let settings = [Text::borrowing("sesame")];
    // Safety: a secret is laid out as a text.
    let secret = unsafe { &*(settings.as_ptr() as *const Secret) };
    assert_eq!((&**secret, format!("{secret:?}")), ("sesame", "<secret>".into()));
    assert_eq!(<Secret as Setting>::NAME, "spin_secret");
}

#[test]
fn a_message_ends_at_its_first_nul() {
    let _turn = answering(Status::OK);
    assert_eq!(CALL.fail(Status(-9), "no\0 more"), Ok(()));
    assert_eq!(HEARD.lock().unwrap().message, "no");
    assert_eq!((CALL.deadline(), CALL.is_cancelled()), (None, false));
}

#[test]
fn a_status_has_the_name_of_its_code() {
    assert_eq!(format!("{} {:?}", Status::FULL, Status(-42)), "FULL Status(-42)");
    assert_eq!(Status::OK.result(), Ok(()));
    assert_eq!(Status(-42).result(), Err(Status(-42)));
}

#[test]
fn a_field_is_laid_out_as_in_the_header() {
    assert_eq!(core::mem::size_of::<crate::Field>(), 32);
    assert_eq!(core::mem::align_of::<crate::Field>(), 8);
}
