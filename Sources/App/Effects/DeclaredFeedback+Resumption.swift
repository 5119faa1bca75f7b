import HostLoop
import Manifest
import Records

// What the feedback knows of an earlier process, from a journal.
extension DeclaredFeedback {
    /// Takes the arguments in a state as those of the last run, which has ended: it is not begun again for them.
    func settle(_ state: Record) { _ = try? change(state) }

    /// Has no run begin for the state in which the loop continues.
    func skip(_ state: Record) {
        switch model.trigger {
        case .change: settle(state)
        case .state: skipsState = true
        case .events: break
        case .each: skippedItems = (try? itemRequests(state)) ?? []
        }
    }

    /// Whether a feedback on change that has seen one state begins a run in another one.
    func asksAnew(after seen: Record, in state: Record) -> Bool {
        settle(seen)
        defer { settle(seen) }
        return (try? change(state)) == .new
    }

    /// Whether a feedback on events begins a run for an event.
    func asks(for event: AppEvent, in state: Record) -> Bool { (try? holds(state, event)) == true }

    /// Gives runs the keys that they had in earlier epochs of a journal.
    func resumeKeys(_ epochs: [UInt64: Int]) { keys.resume(epochs) }
}
