public import Records

/// Answers the calls that C makes of the callbacks of one call.
///
/// All functions may be called from any thread, also after the call has ended, but not while the host holds a
/// lock.
public protocol CallbackSink: Sendable {
    /// True once C gets no more answers, because the run has ended or failed. Each call then returns the
    /// fallback.
    var isOver: Bool { get }

    /// What a call of a callback returns that the host cannot answer: a record with the field `result`; nil for
    /// a callback that returns nothing.
    func fallback(_ callback: Int) -> Record?

    /// A way to answer calls of a callback, for one thread at a time.
    func responder(_ callback: Int) -> CallbackResponder

    /// C has called a callback with values that are not of their types, and got the fallback.
    func refused(_ error: PluginError)
}

/// Answers one call of a callback.
///
/// `value` is a record of `CallbackSignature.value`, borrowed for the call. `result` is a value of
/// `CallbackSignature.result`, zero at first, which the responder replaces; 8 bytes that nobody reads for a
/// callback that returns nothing. Returns false if there is no answer: C then gets the fallback.
public typealias CallbackResponder = (_ value: UnsafeRawPointer, _ result: UnsafeMutableRawPointer) -> Bool
