@testable import HostLoop

/// The rules for runs, written as flags, next to a table that gets the same operations.
struct RunTableModel {
    /// The operations on a run. One that has no meaning for the run at that time has no effect.
    enum Word: CaseIterable {
        case call, returnFinished, returnPending, callElsewhere, returnElsewhere, callAgain
        case finish, fail, keepHandler, cancel, cancelAll, accept
    }

    private struct Failure: Error {}

    private struct Run {
        let key: RunKey
        /// A call executes on the loop's executor.
        var isCalling = false
        /// The table has its own row for the run, not only one for a call.
        var isKnown = false
        var callsElsewhere = 0
        var isPending = false
        var isFinished = false
        var hasFailed = false
        var isCancelled = false
        /// Handlers that were kept and neither called nor dropped.
        var handlers: [Int] = []

        mutating func forget() { self = Run(key: RunKey(feedback: key.feedback, number: key.number + 1)) }
    }

    private var runs: [Run]
    private var table = RunTable()
    private var released = RunTable.Released()
    private let called = Box<[Int]>([])
    private var issued = 0
    private(set) var differences: [String] = []

    init(runs count: Int) {
        runs = (0..<count).map { Run(key: RunKey(feedback: Int32($0), number: 1)) }
    }

    mutating func take(_ word: Word, _ generator: inout some RandomNumberGenerator) {
        let index = Int.random(in: runs.indices, using: &generator)
        let isSecondKind = Bool.random(using: &generator)
        apply(word, to: index, isSecondKind)
        let known = runs.filter(\.isKnown)
        check(table.keys == known.map(\.key), "keys after \(word)")
        check(table.isOver == known.isEmpty, "isOver after \(word)")
        check(table.live == known.count { !$0.isCancelled }, "live after \(word)")
        for run in runs {
            let accepts = run.isKnown ? !run.isCancelled && !run.isFinished : run.isCalling && !run.isFinished
            check(table.accepts(run.key, whileCalling: run.isCalling) == accepts, "accepts after \(word)")
        }
    }

    private mutating func apply(_ word: Word, to index: Int, _ isSecondKind: Bool) {
        var run = runs[index]
        let isIdle = !run.isCalling && !run.isKnown
        switch word {
        case .call:
            // The loop makes one call at a time.
            if isIdle, !runs.contains(where: \.isCalling) { run.isCalling = true }
        case .returnFinished:
            guard run.isCalling else { return }
            table.removeCalling(&released)
            run.forget()
        case .returnPending:
            guard run.isCalling else { return }
            let outcome = table.register(run.key, isStopping: false, &released)
            check(hasEnded(outcome) == run.isFinished, "register")
            check(error(of: outcome) == (run.isFinished && run.hasFailed), "error of register")
            if run.isFinished {
                run.forget()
            } else {
                (run.isCalling, run.isKnown, run.isPending) = (false, true, true)
            }
        case .callElsewhere:
            guard isIdle || run.callsElsewhere > 0 else { return }
            table.callElsewhere(run.key, isStopping: false)
            run.isKnown = true
            run.callsElsewhere += 1
        case .returnElsewhere:
            guard run.callsElsewhere > 0 else { return }
            let outcome = table.returned(run.key, isSecondKind ? .pending : .finished, error: nil, &released)
            run.callsElsewhere -= 1
            if isSecondKind { run.isPending = true }
            let isOver = run.callsElsewhere == 0 && (run.isFinished || !run.isPending)
            check(hasEnded(outcome) == isOver, "returned")
            check(error(of: outcome) == (isOver && run.hasFailed), "error of returned")
            if isOver { run.forget() }
        case .callAgain:
            guard !run.isCalling else { return }
            let readiness = table.callAgain(run.key, elsewhere: true)
            if !run.isKnown || run.isCancelled || run.isFinished {
                check(readiness == .over, "callAgain of a run that is over")
            } else if run.callsElsewhere > 0 {
                check(readiness == .calling, "callAgain during a call")
            } else {
                check(readiness == .ready, "callAgain")
                (run.callsElsewhere, run.isPending) = (1, false)
            }
        case .finish, .fail:
            let error: (any Error)? = word == .fail ? Failure() : nil
            let outcome = table.finish(run.key, error: error, whileCalling: run.isCalling, &released)
            let ends = run.isKnown && !run.isFinished && run.callsElsewhere == 0
            check(hasEnded(outcome) == ends, "finish")
            check(self.error(of: outcome) == (ends && error != nil), "error of finish")
            if ends {
                run.forget()
            } else if !run.isFinished, run.isKnown || run.isCalling {
                (run.isFinished, run.hasFailed, run.handlers) = (true, error != nil, [])
            }
        case .keepHandler:
            issued += 1
            let (id, called) = (issued, called)
            table.keep(
                CancelHandler { called.change { $0.append(id) } }, for: run.key, whileCalling: run.isCalling,
                &released)
            if run.isKnown || run.isCalling, !run.isFinished { run.handlers.append(id) }
        case .cancel:
            guard !run.isCalling else { return }
            let handlers = table.cancel(run.key)
            check((handlers != nil) == (run.isKnown && !run.isCancelled), "cancel")
            call(handlers ?? [], expecting: handlers == nil ? [] : run.handlers)
            if handlers != nil { (run.isCancelled, run.handlers) = (true, []) }
        case .cancelAll:
            let (keys, handlers) = table.cancelAll()
            let cancelled = runs.filter { $0.isKnown && !$0.isCancelled }
            let calling = runs.filter(\.isCalling)
            check(keys == cancelled.map(\.key), "cancelAll")
            call(handlers, expecting: (cancelled + calling).flatMap(\.handlers))
            for index in runs.indices {
                if runs[index].isKnown {
                    runs[index].isCancelled = true
                }
                runs[index].handlers = []
            }
            return
        case .accept: return
        }
        runs[index] = run
    }

    private mutating func call(_ handlers: [CancelHandler], expecting ids: [Int]) {
        called.change { $0 = [] }
        for handler in handlers { handler() }
        let called = called.value
        check(called == ids, "handlers: \(called), not \(ids)")
    }

    private func hasEnded(_ outcome: RunTable.Outcome) -> Bool {
        if case .ended = outcome { true } else { false }
    }

    private func error(of outcome: RunTable.Outcome) -> Bool {
        switch outcome {
        case .continues(let error), .ended(let error): error != nil
        }
    }

    private mutating func check(_ holds: Bool, _ what: String) {
        if !holds { differences.append(what) }
    }
}
