import HostLoop
import Manifest
import Records

/// The time of a delayed transition in one running loop. It begins each time that the case is entered, and
/// ends when the case is left.
// Safe because the engine calls it on the loop's executor only, one at a time.
final class DelayFeedback: @unchecked Sendable {
    private let name: String
    private let caseName: String
    private let delay: DelayModel
    private let event: AppEvent
    private let reducer: DeclarativeReducer
    /// Whether the loop has a key: then all instances have this object.
    private let isOfInstances: Bool
    // The entrance of the case that the time runs for.
    private var entry: UInt64?
    // The time that is left of a delay which an earlier process began.
    private var rest: Duration?

    /// - Parameter event: the index of an event of the loop that has a delay.
    init(_ event: Int, _ delay: DelayModel, of loop: LoopModel, reducer: DeclarativeReducer) {
        (name, self.delay, self.reducer) = (loop.events[event].name, delay, reducer)
        caseName = loop.stateType.cases[delay.stateCase].name
        isOfInstances = loop.key != nil
        self.event = AppEvent(index: event, payload: delay.event)
    }

    /// The case whose time it measures.
    var stateCase: Int { delay.stateCase }

    /// The feedback as the engine runs it.
    var feedback: Feedback<Record, AppEvent> {
        guard isOfInstances else {
            return .onChange(name) { [self] in
                RequestMemory(change: { self.change($0) }, effect: { self.wait($1) })
            }
        }
        return .onChange(
            name, request: { [self] state in state.caseIndex == stateCase ? true : nil },
            // The feedbacks see each state right after the event that made it.
            isEqual: { [self] _, _ in !reducer.hasEntered },
            with: { [self] _, _, run in wait(delay.duration, run) })
    }

    /// Continues the time of another loop's delay; false when that is another delay.
    func succeed(_ other: DelayFeedback) -> Bool {
        guard name == other.name, caseName == other.caseName, delay.duration == other.delay.duration
        else { return false }
        if other.entry != nil { entry = reducer.entries }
        return true
    }

    /// The time was over in an earlier process, and the case was not entered again.
    func settle() { entry = reducer.entries }

    /// Continues a delay that began so long ago, in an earlier process.
    func resume(after passed: Duration) { rest = max(.zero, delay.duration - passed) }

    private func change(_ state: Record) -> RequestChange {
        let last = entry
        entry = state.caseIndex == stateCase ? reducer.entries : nil
        guard entry != nil else { return .none }
        return entry == last ? .same : .new
    }

    private func wait(_ run: Run<AppEvent>) -> EffectStatus {
        defer { rest = nil }
        return wait(rest ?? delay.duration, run)
    }

    private func wait(_ duration: Duration, _ run: Run<AppEvent>) -> EffectStatus {
        run.resume(after: duration) { [event] run in
            run.emit(event)
            return .finished
        }
        return .pending
    }
}

extension LoopModel {
    /// The delays of the loop and their events, the shortest first: those that are due at once happen in the order of
    /// their times.
    var delays: [(event: Int, delay: DelayModel)] {
        events.enumerated().compactMap { index, event in event.delay.map { (index, $0) } }
            .sorted { ($0.delay.duration, $0.event) < ($1.delay.duration, $1.event) }
    }
}
