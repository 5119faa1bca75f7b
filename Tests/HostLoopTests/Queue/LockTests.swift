import Dispatch
import HostLoop
import Testing
import TestSupport

/// The lock with threads that sleep on it.
@Suite(.timeLimit(.minutes(10))) struct LockTests {
    private final class Guarded: Sendable {
        let count = Lock(0)
    }

    @Test func `of many threads, each has the lock alone`() {
        let guarded = Guarded()
        let done = DispatchSemaphore(value: 0)
        let (threads, each) = (32, 2_000)
        for _ in 0..<threads {
            OtherThread.start {
                for _ in 0..<each { guarded.count.withLock { $0 += 1 } }
                done.signal()
            }
        }
        for _ in 0..<threads { done.wait() }
        #expect(guarded.count.withLock { $0 } == threads * each)
    }

    @Test func `threads that sleep while one has the lock get it afterwards`() {
        let guarded = Guarded()
        let (began, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        guarded.count.withLock { count in
            for _ in 0..<8 {
                OtherThread.start {
                    began.signal()
                    guarded.count.withLock { $0 += 1 }
                    done.signal()
                }
            }
            for _ in 0..<8 { began.wait() }
            // No thread can be done while this one has the lock.
            #expect(done.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
            count = 100
        }
        for _ in 0..<8 { done.wait() }
        #expect(guarded.count.withLock { $0 } == 108)
    }

    @Test func `an error leaves the lock free`() {
        struct Failure: Error {}
        let guarded = Guarded()
        #expect(throws: Failure.self) { try guarded.count.withLock { _ in throw Failure() } }
        #expect(guarded.count.exchange(3) == 0)
        #expect(guarded.count.withLock { $0 } == 3)
    }

    @Test func `what a lock guards goes with it`() {
        final class Object: Sendable {}
        weak var object: Object?
        do {
            let made = Object()
            object = made
            let lock = Lock(made)
            #expect(lock.withLock { $0 === made })
        }
        #expect(object == nil)
    }
}
