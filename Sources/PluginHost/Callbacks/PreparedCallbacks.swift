import Interfaces

/// The callbacks of the calls that one `PreparedCall` makes, one call at a time.
///
/// Each call gets closures from their pools, and returns them at its end.
final class PreparedCallbacks {
    /// Answers the calls of C. It must be set before the first call.
    var sink: (any CallbackSink)?
    private let interface: CallInterface
    private var running: [CallbackClosure] = []

    init(_ interface: CallInterface) { self.interface = interface }

    /// Lets closures answer, and calls `pass` with each parameter and the address for it.
    ///
    /// - Throws: `DiagnosticCode.notCallable` when no closure can be made.
    func begin(_ pass: (_ parameter: Int, _ address: UInt) -> Void) throws(PluginError) {
        guard let sink else { preconditionFailure("a call with callbacks has a sink") }
        for (index, callback) in interface.callbacks.enumerated() {
            guard let closure = callback.pool.take() else {
                end()
                throw PluginError(
                    .notCallable,
                    "`\(interface.function.name)` cannot be called: the host cannot make another callback",
                    library: interface.function.image.library, symbol: interface.function.name)
            }
            closure.begin(CallbackTarget(callback.signature, of: interface.function, sink, index))
            running.append(closure)
            pass(callback.parameter, closure.function)
        }
    }

    /// Ends the answers.
    func end() {
        for (callback, closure) in zip(interface.callbacks, running) {
            closure.end()
            callback.pool.add(closure)
        }
        running = []
    }
}
