@testable import HostLoop

/// A value that tests share between threads.
final class Box<Value: Sendable>: Sendable {
    private let lock: Lock<Value>

    init(_ value: Value) {
        lock = Lock(value)
    }

    var value: Value {
        get { lock.withLock { $0 } }
        set { lock.withLock { $0 = newValue } }
    }

    func change(_ body: (inout Value) -> Void) {
        lock.withLock { body(&$0) }
    }
}
