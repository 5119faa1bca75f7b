import Glibc
import HostLoop
import PluginHost
import Synchronization

/// What a message asks for, done after the next one can be read.
protocol ReaderJob: AnyObject, Sendable {
    /// Does it.
    func run()
}

/// A job other than a call.
final class OtherJob: ReaderJob {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func run() { body() }
}

/// The threads of a worker that read the host's messages, one at a time, and make calls.
///
/// The thread that reads a call makes it at once: handing it to another thread would cost more than most calls. If
/// the call lasts longer than one look of the thread that stands by, that thread reads from then on. May be used from
/// any thread.
final class ReaderThreads: Sendable {
    /// The reading thread in the upper bits; bit 0: it makes a call. 0: no thread reads.
    private let role = Atomic<UInt64>(0)
    /// Counts the jobs of reading threads.
    private let jobs = Atomic<UInt64>(0)
    private let bell = Bell()
    /// Whether the thread that stands by sleeps without a limit.
    private let sleepsDeeply = Atomic<Bool>(false)
    /// Whether a thread stands by.
    private let hasStandby = Atomic<Bool>(false)
    private let reader: MessageReader
    private let next: @Sendable () -> (any ReaderJob)?
    private let lasting: @Sendable () -> Void

    /// How often the thread that stands by looks, and how often it looks in vain before it sleeps.
    static let look = Duration.milliseconds(1)
    private static let looksInVain = 100

    /// - Parameters:
    ///   - next: reads a message, and returns what is to be done; nil if no message waits.
    ///   - lasting: called when another thread reads from now on, because the present job lasts.
    init(
        _ reader: MessageReader, next: @escaping @Sendable () -> (any ReaderJob)?,
        lasting: @escaping @Sendable () -> Void
    ) {
        (self.reader, self.next, self.lasting) = (reader, next, lasting)
    }

    /// Reads on this thread, and never returns.
    func run() -> Never {
        role.store(Self.own, ordering: .sequentiallyConsistent)
        startStandby()
        while true {
            read()
            // Another thread reads. One that stands by is enough.
            guard
                hasStandby.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent)
                    .exchanged
            else {
                var rings = bell.rings
                while true {
                    bell.wait(beyond: rings)
                    rings = bell.rings
                }
            }
            standBy()
        }
    }

    /// Lets another thread read, if this one is the reader: it is about to wait.
    func willWait() {
        let own = Self.own
        if role.compareExchange(expected: own | 1, desired: 0, ordering: .sequentiallyConsistent).exchanged {
            bell.ring()
        }
    }

    private static var own: UInt64 { UInt64(pthread_self()) << 1 }

    private func startStandby() {
        guard
            hasStandby.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent)
                .exchanged
        else { return }
        let isStarted = HostThread.start { [self] in
            repeat {
                standBy()
                read()
            } while hasStandby.compareExchange(
                expected: false, desired: true, ordering: .sequentiallyConsistent
            )
            .exchanged
        }
        if !isStarted { hasStandby.store(false, ordering: .sequentiallyConsistent) }
    }

    /// Returns when this thread is the reader.
    private func standBy() {
        let own = Self.own
        var seen = UInt64.max
        var inVain = 0
        while true {
            let rings = bell.rings
            let present = role.load(ordering: .sequentiallyConsistent)
            let job = jobs.load(ordering: .sequentiallyConsistent)
            let isFree = present == 0
            if isFree || present & 1 == 1 && job == seen {
                if role.compareExchange(expected: present, desired: own, ordering: .sequentiallyConsistent)
                    .exchanged
                {
                    if !isFree { lasting() }
                    break
                }
                continue
            }
            (seen, inVain) = present & 1 == 1 ? (job, 0) : (.max, inVain + 1)
            if inVain > Self.looksInVain {
                sleepsDeeply.store(true, ordering: .sequentiallyConsistent)
                // The reader may have begun a job before it could see that.
                if role.load(ordering: .sequentiallyConsistent) == present { bell.wait(beyond: rings) }
                sleepsDeeply.store(false, ordering: .sequentiallyConsistent)
                inVain = 0
            } else {
                bell.wait(beyond: rings, atMost: Self.look)
            }
        }
        hasStandby.store(false, ordering: .sequentiallyConsistent)
        startStandby()
    }

    /// Reads and does jobs until another thread reads.
    private func read() {
        let own = Self.own
        while role.load(ordering: .relaxed) == own {
            guard let job = next() else {
                reader.wait()
                continue
            }
            jobs.add(1, ordering: .sequentiallyConsistent)
            role.store(own | 1, ordering: .sequentiallyConsistent)
            if sleepsDeeply.load(ordering: .sequentiallyConsistent) { bell.ring() }
            job.run()
            guard
                role.compareExchange(expected: own | 1, desired: own, ordering: .sequentiallyConsistent)
                    .exchanged
            else { return }
        }
    }
}
