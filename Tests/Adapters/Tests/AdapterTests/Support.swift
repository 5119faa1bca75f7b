import Foundation
import OpenCombine

/// A value that any threads change.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var contents: Value

    init(_ value: Value) {
        contents = value
    }

    var value: Value { lock.withLock { contents } }

    func change(_ body: (inout Value) -> Void) {
        lock.withLock { body(&contents) }
    }
}

/// Lines that any threads append.
final class Log: Sendable {
    private let contents = Guarded<[String]>([])

    var lines: [String] { contents.value }

    func append(_ line: String) {
        contents.change { $0.append(line) }
    }
}

/// A subscriber that requests what the test says.
final class Requester<Input: Sendable, Failure: Error>: Subscriber, Sendable {
    private struct Contents {
        var values: [Input] = []
        var completions = 0
        var subscription: (any OpenCombine.Subscription)?
    }

    private let contents = Guarded(Contents())
    private let onValue: @Sendable (Requester, Input) -> Subscribers.Demand
    private let first: Subscribers.Demand

    /// - Parameter onValue: Returns the further demand.
    init(
        first: Subscribers.Demand = .none,
        onValue: @escaping @Sendable (Requester, Input) -> Subscribers.Demand = { _, _ in .none }
    ) {
        self.first = first
        self.onValue = onValue
    }

    var values: [Input] { contents.value.values }
    var completions: Int { contents.value.completions }

    func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

    func cancel() { subscription?.cancel() }

    private var subscription: (any OpenCombine.Subscription)? { contents.value.subscription }

    func receive(subscription: any OpenCombine.Subscription) {
        contents.change { $0.subscription = subscription }
        if first > .none { subscription.request(first) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        contents.change { $0.values.append(input) }
        return onValue(self, input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        contents.change { $0.completions += 1 }
    }
}
