import SpinPlugin

@Settings struct Counting {
    /// What is counted.
    var word: String = "again"
    /// How far each count goes.
    @Limits(1...1_000) var step: Int64 = 1
    /// How long the timer waits.
    @Limits(.zero ... .seconds(3_600)) var pause: Duration = .zero
    /// What it also knows.
    var others: [String] = []
    /// Twice of it is 1.
    var half: Double = 0.5
}

@Emitter @discardableResult
func counted(_ call: Call, word: String, count: Int64) -> Status

/// Counts a word. The host calls it from one thread at a time.
@Instance @Life @Swap(schema: 1)
final class Counter: @unchecked Sendable {
    private let settings: Counting
    private var count: Int64 = 0

    init(_ call: Call, settings: Counting) throws {
        guard !settings.word.isEmpty, settings.half == 0.5 else {
            throw NoCount(description: "there is no word")
        }
        self.settings = settings
    }

    func start(_ call: Call) throws {
        let status = Host.print("start \(settings.word)")
        guard status == .ok else { throw status }
    }

    func stop() { Host.print("stop \(settings.word) at \(count)") }

    func save(_ call: Call) throws -> [UInt8] { Array("\(count)".utf8) }

    func restore(_ call: Call, _ saved: SavedState) throws {
        guard saved.schema == 1 else { throw NoCount(description: "the schema of \(saved.version) is newer") }
        let text = String(decoding: saved.data, as: UTF8.self)
        guard let count = Int64(text) else {
            throw NoCount(description: "a number is expected, `\(text)` came")
        }
        self.count = count
    }

    func next() -> Int64 {
        count &+= settings.step
        return count
    }

    var word: String { settings.word }
    var pause: Duration { settings.pause }

    @discardableResult
    func emit(_ count: Int64, in call: Call) -> Status { counted(call, word: settings.word, count: count) }
}

/// Why something fails.
struct NoCount: Error, CustomStringConvertible {
    let description: String
}

/// The count, one step further.
@Effect func count(_ counter: Counter) -> Int64 { counter.next() }

/// Emits `counted`, from a thread of the host.
@Effect("count_on_thread")
func countOnThread(_ call: Call, _ counter: Counter) {
    let count = counter.next()
    Host.work {
        Host.print(call.deadline == .max ? "for ever" : "until then")
        _ = counted(call, word: counter.word, count: count, waiting: .seconds(100))
        call.finish()
    }
}

/// Emits `counted` so often.
@Effect("count_in_task")
func countInTask(_ call: Call, _ counter: Counter, _ times: Int64) async {
    var number: Int64 = 0
    while number < times, !Task.isCancelled {
        number += 1
        await Task.yield()
        counter.emit(number, in: call)
    }
}

/// Emits `counted` until it is cancelled.
@Effect("count_by_timer")
func countByTimer(_ call: Call, _ counter: Counter) throws {
    try call.startTimer(after: counter.pause, every: .milliseconds(1)) { _ in
        counter.emit(counter.next(), in: call)
    }
    try call.onCancel { Host.print("no more counts") }
}

/// Ends when it is cancelled, and says so.
@Effect("sleep_in_task")
func sleepInTask(_ call: Call, _ counter: Counter) async throws {
    counter.emit(0, in: call)
    do { try await Task.sleep(for: .seconds(100_000)) } catch {
        Host.print("woken")
        throw error
    }
}

/// Fails.
@Effect("throw_in_task")
func throwInTask(_ call: Call) async throws { throw NoCount(description: "there is nothing to count") }
