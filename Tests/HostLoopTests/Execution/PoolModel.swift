import TestSupport

@testable import HostLoop

/// Runs the decisions of `JobQueue` with workers that are numbers. A tick is a tenth of a millisecond.
struct PoolModel {
    enum Kind: Sendable { case slice, blocking }

    private final class Job: Runnable {
        let kind: Kind

        init(_ kind: Kind) { self.kind = kind }

        func run() {}
    }

    private enum Activity: Equatable {
        case starting(until: Int)
        case looking
        case running(until: Int)
        case blocked
        case polling(until: Int)
        case sleeping
    }

    private struct Worker {
        var activity: Activity
        var last = ReadyJobs.noRound
    }

    private(set) var queue: JobQueue
    private var ready = ReadyJobs()
    private var workers: [Worker] = []
    private var wakeUps = 0
    private var pollIsOver = false
    private var timer: Int?
    private var now = 0
    private var lastTake = 0
    private var random: SeededGenerator
    /// This many attempts to start a worker fail from now on.
    var failingStarts = 0
    private(set) var added = 0
    private(set) var finished = 0
    /// Jobs that block, or wait to.
    private(set) var blocking = 0
    private(set) var faults: [String] = []

    init(limit: Int, spare: Int, seed: UInt64) {
        queue = JobQueue(limit: limit, spare: spare, polls: limit > 1)
        random = SeededGenerator(seed: seed)
    }

    var waiting: Int { queue.jobs.count + ready.jobs.count }
    var timerIsOn: Bool { timer != nil }

    mutating func add(_ kind: Kind) {
        added += 1
        if kind == .blocking { blocking += 1 }
        switch queue.add(Job(kind)) {
        case .none: break
        case .timer: setTimer(JobQueue.shortestPause)
        case .poller: pollIsOver = true
        case .sleeper: wakeUps += 1
        case .newWorker:
            if !startWorker(), queue.startFailed(1) { setTimer(queue.pause) }
        }
    }

    /// Makes one of the blocking jobs return.
    mutating func unblockOne() {
        guard let index = workers.firstIndex(where: { $0.activity == .blocked }) else { return }
        workers[index].activity = .looking
        blocking -= 1
        finished += 1
    }

    mutating func tick() {
        now += 1
        if let timer, timer <= now { look() }
        // Another worker comes first each time.
        for index in workers.indices.shuffled(using: &random) {
            var worker = workers[index]
            advance(&worker)
            workers[index] = worker
        }
        workers.removeAll { $0.activity == .starting(until: .max) }
        check()
    }

    private mutating func startWorker() -> Bool {
        guard failingStarts == 0 else {
            failingStarts -= 1
            return false
        }
        workers.append(Worker(activity: .starting(until: now + Int.random(in: 1...5, using: &random))))
        return true
    }

    private mutating func setTimer(_ pause: Int64) {
        if timer != nil { faults.append("the timer was set twice at \(now)") }
        // Timers are late at times.
        timer = now + Int(pause / 100_000) + [0, 0, 1, 5].randomElement(using: &random)!
    }

    private mutating func look() {
        timer = nil
        let arrivals = ready.beginRound()
        switch queue.look(ready: ready.jobs.count, arrivals: arrivals) {
        case .over: break
        case .again(let pause): setTimer(pause)
        case .start(let count):
            var missing = count
            while missing > 0, startWorker() { missing -= 1 }
            if missing > 0 { _ = queue.startFailed(missing) } else { queue.started() }
            setTimer(queue.pause)
        }
    }

    private mutating func advance(_ worker: inout Worker) {
        switch worker.activity {
        case .starting(let end): if end <= now { worker.activity = .looking }
        case .running(let end):
            guard end <= now else { return }
            finished += 1
            worker.activity = .looking
        case .polling(let end):
            guard pollIsOver || end <= now else { return }
            queue.poll.end()
            pollIsOver = false
            worker.activity = .looking
        case .sleeping:
            guard wakeUps > 0 else { return }
            wakeUps -= 1
            worker.activity = .looking
        case .looking, .blocked: break
        }
        if worker.activity == .looking { worker.activity = next(&worker.last) }
    }

    private mutating func next(_ last: inout ReadyJobs.Round) -> Activity {
        // A worker that ends is removed after the tick.
        let end = Activity.starting(until: .max)
        if ready.arrive(last: &last) > queue.limit, queue.endSpare() { return end }
        switch ready.jobs.popFirst().map(JobQueue.Next.run) ?? queue.take(all: &ready.jobs) {
        case .run(let job): return activity(job as? Job)
        case .poll: return .polling(until: now + 1)
        case .sleep: return .sleeping
        case .end: return end
        }
    }

    private mutating func activity(_ job: Job?) -> Activity {
        lastTake = now
        guard let job, job.kind == .slice else { return .blocked }
        // Most slices are short, the longest take 1 ms.
        return .running(until: now + [1, 1, 2, 10].randomElement(using: &random)!)
    }

    private mutating func check() {
        if queue.workers != workers.count {
            faults.append("\(queue.workers) of \(workers.count) workers at \(now)")
        }
        if queue.workers > queue.limitWithSpare { faults.append("\(queue.workers) workers at \(now)") }
        // 15 ms until a spare worker starts, and the pauses after failed attempts.
        if waiting == 0 { lastTake = now }
        if now - lastTake > 2_000 { faults.append("jobs wait at \(now), and no worker takes one") }
    }
}
