/// Receives the emissions and the end of one call.
///
/// All functions may be called from any thread, but not while the host holds a lock. `finished` or `failed`
/// is called at most once, and never after the call was cancelled. An emission that began before the end may
/// arrive after it.
public protocol CallSink: Sendable {
    /// The call emitted an event.
    ///
    /// `payload` is a record of the emitter's fields (`EmitterDescription.payload`), borrowed for the call.
    /// The receiver copies the parts that it keeps.
    /// - Parameter wait: how long to wait while the loop has no room. Only `none` on a thread that takes
    ///   steps of a loop.
    /// - Returns: the plugin's answer, one of `SPIN_OK`, `SPIN_FULL`, `SPIN_CANCELLED`, `SPIN_STOPPED`.
    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32

    /// The call emitted an invalid payload, and was answered `SPIN_BAD_VALUE`.
    ///
    /// - Parameters:
    ///   - emitter: nil when the plugin does not declare the emitter.
    ///   - reason: what is wrong, such as `` `text`: the text is not UTF-8 at byte 1 ``.
    func rejected(emitter: String?, reason: String)

    /// The call is done.
    func finished()

    /// The call failed with a negative code and a sentence for the user, which may be empty.
    func failed(code: Int32, text: String)
}
