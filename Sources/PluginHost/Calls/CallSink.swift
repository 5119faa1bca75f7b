public import HostLoop

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

    /// Calls `body` once, on any thread: when the loop has room for the emission that it refused last and for
    /// half of the events that its mailbox can hold, or will take no more; at once if it is so already. `body`
    /// does not wait.
    ///
    /// - Returns: a cancellation, which ends the wait; nil when the mailbox can never hold that emission.
    ///   `body` is not called then.
    func whenRoom(_ body: @escaping @Sendable () -> Void) -> Cancellation?

    /// Whether `data` is the start of a value of type `bytes` among the call's arguments, which the receiver
    /// keeps at least until this call of a function returns.
    func isArgument(_ data: UnsafeRawPointer) -> Bool

    /// The call has ended. Keeps the memory that the plugin has allocated for it, as long as the arguments: a function
    /// of the call may use both until it returns, however soon another thread has cancelled the call.
    func keep(_ arena: CallArena)

    /// The idempotency key of the run that the call belongs to: 1 to 255 printable ASCII characters without spaces,
    /// the same for each call of the run. Nil if the call belongs to no run of an effect.
    var key: String? { get }

    /// How many calls with this key the host has made, this one included; 0 without a key.
    var attempt: UInt32 { get }

    /// The function of the call has returned in another process. If it did not return, `error` is the reason. The
    /// `PreparedCall` then has the outcome of an effect that answers by returning. Called once for a call that
    /// another process makes, even after the call was cancelled, and for no other.
    func returned(_ token: CallToken, _ error: PluginError?)

    /// The call is done.
    func finished()

    /// The call failed with a negative code and a sentence for the user, which may be empty.
    func failed(code: Int32, text: String)
}

extension CallSink {
    /// Calls `body` at once: there is always room.
    public func whenRoom(_ body: @escaping @Sendable () -> Void) -> Cancellation? {
        body()
        return Cancellation {}
    }

    /// Nothing: the receiver makes no calls in other processes.
    public func returned(_ token: CallToken, _ error: PluginError?) {}

    /// False: the receiver keeps no arguments.
    public func isArgument(_ data: UnsafeRawPointer) -> Bool { false }

    /// Frees it: the functions of the call return before it ends.
    public func keep(_ arena: CallArena) {}

    /// Nil: the call belongs to no run of an effect.
    public var key: String? { nil }

    /// 0: the call belongs to no run of an effect.
    public var attempt: UInt32 { 0 }
}
