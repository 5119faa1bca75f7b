@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies

/// A sink that hands each value to a closure, within the subscription of another sink.
// Safe because it adds an immutable property only.
final class Tap<Value: Sendable>: FlowSink<Value>, @unchecked Sendable {
    private let body: @Sendable (Value) -> Void

    init<Outer>(_ outer: FlowSink<Outer>, _ body: @escaping @Sendable (Value) -> Void) {
        self.body = body
        super.init(scope: outer.scope)
    }

    override func receive(_ value: Value) -> EmitResult {
        body(value)
        return .queued
    }

    override func complete(_ error: (any Error)?) {}
}
