import HostLoop
import Interfaces
import PluginHost
import Records

/// What was told from any thread, in order.
final class Collected<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// A clock whose time passes only when a test says so; actions run in `advance`.
final class StandingClock: LoopClock {
    private struct State {
        var now = LoopInstant(nanoseconds: 1000)
        var next = 0
        var scheduled: [Int: (at: LoopInstant, action: @Sendable () -> Void)] = [:]
    }

    private let state = Lock(State())

    var now: LoopInstant { state.withLock { $0.now } }

    /// How many actions wait.
    var count: Int { state.withLock { $0.scheduled.count } }

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let number = state.withLock { state in
            state.next += 1
            state.scheduled[state.next] = (instant, action)
            return state.next
        }
        return Cancellation { [self] in state.withLock { $0.scheduled[number] = nil } }
    }

    /// Moves on by so many nanoseconds at once, then runs what is due.
    func advance(by nanoseconds: Int64) {
        state.withLock { $0.now = LoopInstant(nanoseconds: $0.now.nanoseconds + nanoseconds) }
        while let action = takeDue() { action() }
    }

    private func takeDue() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let due = state.scheduled.filter { $0.value.at <= state.now }
                .min { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
            guard let due else { return nil }
            state.scheduled[due.key] = nil
            return due.value.action
        }
    }
}

/// A sink that keeps what it hears as text: `pair {"a":1,"b":0.5}`, `finished`, `failed -3 sorry`, `rejected pair: …`.
final class RecordingSink: CallSink {
    let heard = Collected<String>()
    private let types: [String: RecordType]
    private let answer: Int32
    private let waiting = Lock<[Int: @Sendable () -> Void]>([:])
    private let waits = Lock(0)

    init(_ image: PluginImage, answer: Int32 = 0) {
        let emitters = image.description?.emitters ?? []
        types = Dictionary(uniqueKeysWithValues: emitters.map { ($0.name, $0.payload) })
        self.answer = answer
    }

    var key: String? { "a key" }
    var attempt: UInt32 { 1 }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
        // Safe because the payload is a record of the emitter's type.
        let value = types[emitter].map { unsafe ValueMemory.load(payload, as: .record($0)) }
        heard.append("\(emitter) \(value?.json ?? "?")")
        return answer
    }

    func rejected(emitter: String?, reason: String) {
        heard.append("rejected \(emitter ?? "?"): \(reason)")
    }

    func whenRoom(_ body: @escaping @Sendable () -> Void) -> Cancellation? {
        let number = waits.withLock { waits in
            waits += 1
            return waits
        }
        waiting.withLock { $0[number] = body }
        return Cancellation { [self] in waiting.withLock { $0[number] = nil } }
    }

    /// How many wait for room.
    var waitingCount: Int { waiting.withLock { $0.count } }

    /// Calls those who wait for room.
    func makeRoom() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting.values
        }
        for body in bodies { body() }
    }

    func finished() { heard.append("finished") }

    func failed(code: Int32, text: String) { heard.append("failed \(code) \(text)") }
}
