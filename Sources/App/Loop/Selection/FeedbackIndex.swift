import HostLoop
import Manifest
import Records

/// Says which feedbacks a step concerns: those that read a field which the step may have changed, those on its event,
/// and those that ask in each state. All others would find the arguments and conditions that they found before.
///
/// Used on the loop's executor only. It makes a list when a step first needs it.
final class FeedbackIndex {
    /// A loop with fewer feedbacks asks all of them, which takes less than to find those that a step concerns.
    @TaskLocal static var least = 4

    let selection = FeedbackSelection()
    private let parts: [LoopPart]
    private let table: TransitionTable
    // By entry of the table: the feedbacks to ask after that transition. Then, by row, those after a step without
    // transition.
    // Safe because one thread at a time uses the index.
    @safe @exclusivity(unchecked) private var lists: [[Int32]?]
    // Those after a native reducer has changed the case.
    private var entering: [Entering: [Int32]] = [:]
    // All lists that differ, so that equal ones share their memory.
    private var known: Set<[Int32]> = []
    // By case of the state. A state without cases has one entry.
    private var dependences: [[FeedbackDependence]?]
    private let stateType: RecordType
    private var changes: [FieldChanges?]

    /// Nil for a loop that asks all of its feedbacks.
    init?(_ model: LoopModel, _ parts: [LoopPart], _ table: TransitionTable) {
        guard parts.count >= Self.least else { return nil }
        (self.parts, self.table, stateType) = (parts, table, model.stateType)
        lists = Array(repeating: nil, count: table.entryCount + table.rowCount)
        dependences = Array(repeating: nil, count: max(1, stateType.cases.count))
        changes = Array(repeating: nil, count: dependences.count)
    }

    // MARK: - Transitions of the manifest

    /// A transition has applied.
    ///
    /// - Parameter entry: its place in the table.
    @inline(__always)
    func select(entry: Int) {
        guard let list = lists[entry] else { return make(entry) }
        selection.feedbacks = list
    }

    /// An event is handled, and the state is as before.
    ///
    /// - Parameter stateCase: the case of the state.
    func select(event: Int, in stateCase: Int?) { selection.feedbacks = unchanged(event, stateCase) }

    @inline(never)
    private func make(_ entry: Int) {
        let (event, stateCase, transition) = table.place(ofEntry: entry)
        let list =
            if let entered = transition.enteredCase {
                concerned(by: event, from: stateCase, to: entered)
            } else {
                concerned(by: event, in: stateCase, changing: transition.fields)
            }
        lists[entry] = list
        selection.feedbacks = list
    }

    private func unchanged(_ event: Int, _ stateCase: Int?) -> [Int32] {
        let place = table.entryCount + table.row(of: event, in: stateCase ?? 0)
        if let list = lists[place] { return list }
        let list = concerned(by: event, in: stateCase, changing: [])
        lists[place] = list
        return list
    }

    private func dependences(in stateCase: Int?) -> [FeedbackDependence] {
        if let known = dependences[stateCase ?? 0] { return known }
        let made = parts.map { FeedbackDependence($0, in: stateCase) }
        dependences[stateCase ?? 0] = made
        return made
    }

    /// - Parameter fields: those that the step sets.
    private func concerned(by event: Int, in stateCase: Int?, changing fields: Set<String>) -> [Int32] {
        places(dependences(in: stateCase)) { dependence in
            switch dependence {
            case .nothing: false
            case .everyState: true
            case .events(let events): events.contains(event)
            case .fields(let read): read.map { !$0.isDisjoint(with: fields) } ?? !fields.isEmpty
            }
        }
    }

    /// The feedbacks of both cases.
    private func concerned(by event: Int, from left: Int?, to entered: Int) -> [Int32] {
        places(zip(dependences(in: left), dependences(in: entered))) { before, now in
            switch (before, now) {
            case (.nothing, .nothing): false
            case (_, .events(let events)): events.contains(event)
            default: true
            }
        }
    }

    private func places<Elements: Sequence>(
        _ elements: Elements, where isConcerned: (Elements.Element) -> Bool
    ) -> [Int32] {
        let list = elements.enumerated().filter { isConcerned($0.element) }.map { Int32($0.offset) }
        return known.insert(list).memberAfterInsert
    }

    // MARK: - Native reducers

    /// A native reducer has made a state of another one.
    func select(event: Int, from before: Record, to state: Record) {
        let (left, now) = (before.caseIndex, state.caseIndex)
        guard left == now else {
            selection.feedbacks = now.map { entered(Entering(event: event, from: left, to: $0)) } ?? []
            return
        }
        var list = unchanged(event, now)
        let count = list.count
        changes(in: now).forEach(from: before, to: state) { list += $0 }
        if list.count > count { list = Set(list).sorted() }
        selection.feedbacks = list
    }

    private struct Entering: Hashable {
        let event: Int
        let from: Int?
        let to: Int
    }

    private func entered(_ step: Entering) -> [Int32] {
        if let list = entering[step] { return list }
        let list = concerned(by: step.event, from: step.from, to: step.to)
        entering[step] = list
        return list
    }

    private func changes(in stateCase: Int?) -> FieldChanges {
        if let known = changes[stateCase ?? 0] { return known }
        let made = FieldChanges(stateType, stateCase, readers: dependences(in: stateCase))
        changes[stateCase ?? 0] = made
        return made
    }
}
