import HostLoop
import Manifest
import Records

/// The time of a delayed transition in one running loop: it begins when the case is entered, anew when it is entered
/// again, and ends when the case is left.
// Safe because the engine calls it on the loop's executor only, one at a time.
final class DelayFeedback: @unchecked Sendable {
    private let name: String
    private let delay: DelayModel
    private let event: AppEvent
    private let reducer: DeclarativeReducer
    // Which entrance of the case the time runs for.
    private var entry: UInt64?

    /// - Parameter event: the index of an event of the loop that has a delay.
    init(_ event: Int, _ delay: DelayModel, of loop: LoopModel, reducer: DeclarativeReducer) {
        (name, self.delay, self.reducer) = (loop.events[event].name, delay, reducer)
        self.event = AppEvent(index: event, payload: delay.event)
    }

    /// The feedback as the engine runs it.
    var feedback: Feedback<Record, AppEvent> {
        .onChange(name) { [self] in
            RequestMemory(change: { self.change($0) }, effect: { self.wait($1) })
        }
    }

    /// Goes on where another one with the same delay is: the time that runs goes on.
    func takePlace(of other: DelayFeedback) {
        if other.entry != nil { entry = reducer.entries }
    }

    private func change(_ state: Record) -> RequestChange {
        let last = entry
        entry = state.caseIndex == delay.stateCase ? reducer.entries : nil
        guard entry != nil else { return .none }
        return entry == last ? .same : .new
    }

    private func wait(_ run: Run<AppEvent>) -> EffectStatus {
        run.resume(after: delay.duration) { [event] run in
            run.emit(event)
            return .finished
        }
        return .pending
    }
}
