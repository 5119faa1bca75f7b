import CRing
import HostLoop

/// The places in the shared memory where threads of a worker wait for short answers of the host. May be used from any
/// thread.
final class AnswerPlaces: Sendable {
    /// What the host answers.
    struct Answer: Sendable {
        let status: Int32
        let word: UInt64
    }

    private let memory: SharedMemory
    private let free = Lock(Array(0..<UInt32(RING_ANSWERS)))

    init(_ memory: SharedMemory) { self.memory = memory }

    /// Asks the host, and waits for its answer.
    ///
    /// - Parameter ask: sends a message with the number of the place; returns false if it cannot be sent.
    /// - Returns: nil if it was not sent, or as many threads wait as can at once.
    func answer(_ ask: (_ place: UInt32) -> Bool) -> Answer? {
        guard let place = free.withLock({ $0.popLast() }) else { return nil }
        // Safe because the place is this thread's until it is free again.
        unsafe ring_expect(memory.pointer, place)
        guard ask(place) else {
            free.withLock { $0.append(place) }
            return nil
        }
        var word: UInt64 = 0
        let status = unsafe ring_await(memory.pointer, place, MessageReader.rounds, &word)
        free.withLock { $0.append(place) }
        return Answer(status: status, word: word)
    }

    /// Answers the thread that waits at a place, for the host. `place` must be below `RING_ANSWERS`.
    static func give(_ memory: SharedMemory, at place: UInt32, _ status: Int32, _ word: UInt64 = 0) {
        precondition(place < UInt32(RING_ANSWERS), "a place for an answer")
        unsafe ring_answer(memory.pointer, place, status, word)
    }
}
