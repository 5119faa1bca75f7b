import Glibc
import SpinPlugin
import Synchronization

#plugin("feed", "1.0.0")

@Emitter func frame(_ call: Call, bytes: SharedBytes) -> Status

/// An instance that emits by itself: first 5000 zeros of its own, then what `give` gives it.
///
/// A byte in its pipe asks for the next emission.
@Instance @Life
final class Feed: Sendable {
    private struct State {
        var call: Call?
        var next = SharedBytes(count: 5000)
    }

    private let state = Mutex(State())
    private let ends: (reading: Int32, writing: Int32)

    init(_ call: Call, settings: NoSettings) throws {
        // Only `start` has one.
        guard call.instance == nil else { throw Status.failed }
        var pair: [Int32] = [0, 0]
        pipe(&pair)
        ends = (pair[0], pair[1])
        state.withLock {
            $0.next?.withBytes { bytes in _ = bytes.initializeMemory(as: UInt8.self, repeating: 0) }
        }
    }

    func start(_ call: Call) throws {
        guard let own = call.instance else { throw Status.unsupported }
        state.withLock { $0.call = own }
        let ends = ends
        try own.startPoll(
            ends.reading, for: .read,
            { [self] _ in
                var byte: UInt8 = 0
                read(ends.reading, &byte, 1)
                emit()
            },
            ended: {
                close(ends.reading)
                close(ends.writing)
                Host.print("ended")
            })
        ask()
    }

    func stop() {}

    func give(_ bytes: SharedBytes) {
        state.withLock { $0.next = bytes }
        ask()
    }

    private func ask() { write(ends.writing, "a", 1) }

    private func emit() {
        let state = state.withLock { $0 }
        guard let call = state.call, let next = state.next else { return }
        // Ends with the call, which `onRoom` refuses then.
        if frame(call, bytes: next) == .full { try? call.onRoom { [self] in emit() } }
    }
}

/// Has `bytes` emitted.
@Effect func give(_ call: Call, _ feed: Feed, _ bytes: SharedBytes) {
    call.finish()
    feed.give(bytes)
}
