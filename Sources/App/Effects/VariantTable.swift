import Manifest
import Records

/// The variants of a feedback in one running loop, found by event and state.
struct VariantTable: Sendable {
    /// The one variant for every state and event; nil when there are several.
    let only: DeclaredVariant?
    private let all: [DeclaredVariant]
    private let events: [Int]
    /// How many cases the state has; 1 when it has none.
    private let width: Int
    private let hasCases: Bool
    /// For each event, or once without events, the variant for each case.
    private let cells: [DeclaredVariant?]

    /// - Parameter make: makes the variant of an index into `FeedbackModel.variants`.
    init(_ model: FeedbackModel, of loop: LoopModel, _ make: (Int) -> DeclaredVariant) {
        let events = model.trigger.events
        let width = max(1, loop.stateType.cases.count)
        let all = model.variants.indices.map(make)
        var cells = [DeclaredVariant?](repeating: nil, count: max(1, events.count) * width)
        for variant in all {
            let row = variant.model.event.flatMap(events.firstIndex) ?? 0
            let columns = variant.model.case.map { $0..<$0 + 1 } ?? 0..<width
            for column in columns { cells[row * width + column] = variant }
        }
        only = events.isEmpty ? all.last { $0.model.case == nil } : nil
        (self.all, self.events, self.width, self.cells) = (all, events, width, cells)
        hasCases = !loop.stateType.cases.isEmpty
    }

    /// Each variant once.
    func forEach(_ body: (DeclaredVariant) -> Void) { all.forEach(body) }

    /// The variant for a state and for the event that made it; nil when the feedback does not run for these.
    @inline(__always)
    func variant(_ state: Record, _ event: AppEvent? = nil) -> DeclaredVariant? {
        if let only { return only }
        var row = 0
        if !events.isEmpty {
            guard let event, let found = events.firstIndex(of: event.index) else { return nil }
            row = found
        }
        guard hasCases else { return cells[row] }
        return state.caseIndex.flatMap { cells[row * width + $0] }
    }
}
