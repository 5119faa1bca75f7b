/// Where the emissions and the end of one call go.
///
/// All functions may be called from any thread, none while a lock of the host is held. `finished` or `failed`
/// is called once at most, and never after the call was cancelled; an emission that began before the end may
/// arrive after it.
public protocol CallSink: Sendable {
    /// The call emitted an event.
    ///
    /// `payload` is a record of the emitter's fields (`EmitterDescription.payload`), borrowed for the call:
    /// copy what must outlive it.
    /// - Parameter wait: what to do while the loop has no room; other than `none` only on a thread that takes no loop's
    ///   steps.
    /// - Returns: what the plugin gets as answer, one of `SPIN_OK`, `SPIN_FULL`, `SPIN_CANCELLED`,
    ///   `SPIN_STOPPED`.
    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32

    /// The call emitted something that no event can be made of, and was answered `SPIN_BAD_VALUE`.
    ///
    /// `emitter` is nil when the emitter is none of the plugin's own; `reason` says what is wrong, such as
    /// `` `text`: the text is not UTF-8 at byte 1 ``.
    func rejected(emitter: String?, reason: String)

    /// The call is done.
    func finished()

    /// The call failed with a negative code and a sentence for the user, which may be empty.
    func failed(code: Int32, text: String)
}
