public import Journal
public import Manifest

// What is found when a journal is opened.
extension AppJournal {
    /// The names of secrets that both have, with other values.
    static func changed(from old: [Epoch.Secret], to new: [Epoch.Secret]) -> [String] {
        old.filter { secret in
            new.contains { $0.name == secret.name && $0.mac != secret.mac }
        }.map(\.name)
    }

    /// The number of runs of feedbacks on events that have not ended, or wait.
    static func eventRuns(_ loops: [LoopPast], _ epoch: Epoch?) -> Int {
        var count = 0
        for past in loops {
            let schema = epoch?.schema.loops[past.index].feedbacks ?? []
            for (feedback, known) in zip(schema, past.feedbacks) where feedback.trigger == .event {
                count += known.open.count + known.waiting.count
            }
        }
        return count
    }
}

extension AppJournal.Recovery {
    init(_ state: JournalState, _ restarts: [LoopRestart?], of manifest: Manifest) {
        loops = state.loops.count(where: \.hasBegun)
        steps = state.loops.reduce(0) { $0 + $1.step }
        runsAgain = restarts.reduce(0) { $0 + ($1?.runsAgain ?? 0) }
        attempts = state.attempts
        begun = state.loops.filter { $0.hasBegun && $0.end == nil }.flatMap { past in
            let steps = past.feedbacks.flatMap { ($0.open + $0.waiting).map(\.step) }
            let loop = state.epoch?.schema.loops[past.index].name ?? ""
            return Set(steps + (past.isDelivered ? [] : [past.step])).map {
                AppJournal.Step(loop: loop, number: $0)
            }
        }
        let ending = manifest.loops.filter { $0.until != nil }.map { loop in
            state.index(ofLoop: loop.name).map { state.loops[$0] }
        }
        guard !ending.isEmpty, ending.allSatisfy({ $0?.end == true }) else {
            end = nil
            return
        }
        end = ending.compactMap { $0 }.max { $0.time < $1.time }.map { ($0.step, $0.time) }
    }
}

extension Snapshotter.Retention {
    /// What the manifest or the command line says.
    public init(_ keep: JournalModel.Retention) {
        self =
            switch keep {
            case .all: .all
            case .age(let age): .age(age)
            case .bytes(let bytes): .bytes(bytes)
            case .steps(let steps): .steps(steps)
            }
    }
}
