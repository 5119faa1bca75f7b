import Manifest
import Records
import Synchronization

/// What the feedbacks of one running loop share.
struct LoopContext {
    let model: LoopModel
    let config: Record
    /// The types of the messages.
    let gears: [GearModel]
    /// The gears of the running app.
    let runningGears: AppGears
    /// The addresses that expressions read from on the loop's executor.
    let frame: ExpressionFrame
    /// Memory for events that are emitted there.
    let pool: EventPool
    /// Emissions that nothing receives.
    let drops: DropCount
    /// Where the loop's steps are recorded; nil without a journal.
    var journal: JournaledLoop?
    /// The number of the journal's epoch.
    var epoch = 1
    /// The feedback that the context is for, by its index in the engine's order.
    var feedback = 0
    /// Tells the loop's calls that another process makes one at a time; see `RemoteFunction.begin`.
    let lane = Self.newLane()
    /// Tells the runs of this app from those of all others.
    let origin: RunKeys.Origin

    private static let lanes = Atomic<UInt64>(0)

    /// A lane of its own for a feedback.
    static func newLane() -> UInt64 { lanes.add(1, ordering: .relaxed).newValue }

    /// How the keys of a feedback's runs are made.
    func keys(of feedback: FeedbackModel) -> RunKeys {
        RunKeys(origin: origin, loop: model.name, feedback: feedback.name, epoch: epoch)
    }
}
