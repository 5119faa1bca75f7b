import PluginHost
import Records

/// Has the host answer the callbacks of a call. May be used from any thread.
final class ServedCallbacks: CallbackSink {
    private let number: UInt64
    private let function: ServedFunction
    private let fallbacks: [Record?]
    private let link: HostLink

    init(_ number: UInt64, _ function: ServedFunction, _ fallbacks: [Record?], _ link: HostLink) {
        (self.number, self.function, self.fallbacks, self.link) = (number, function, fallbacks, link)
    }

    /// The host knows, and does not answer then.
    var isOver: Bool { false }

    func fallback(_ callback: Int) -> Record? { fallbacks[callback] }

    func responder(_ callback: Int) -> CallbackResponder {
        let (coders, number, link) = (function.coders.callbacks[callback], number, link)
        return { value, result in
            let answer = link.ask(.callback) { body in
                body.put(number)
                body.put(count: callback)
                // Safe because the value is a record of the callback's values, borrowed for the call.
                unsafe coders.value.write(recordAt: value, to: body)
            }
            guard let answer, answer.status == 0 else { return false }
            // Safe because the result has 8 bytes.
            unsafe result.storeBytes(of: answer.word, as: UInt64.self)
            return true
        }
    }

    func refused(_ error: PluginError) {
        link.send(.callbackRefused) { body in
            body.put(number)
            error.write(to: body)
        }
    }
}
