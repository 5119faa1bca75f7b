import Control
import Journal

/// The past that a journal has.
struct JournalPast: RunPast {
    /// A filter looks at so many entries at most.
    private static let mostEntries: UInt64 = 1_000_000

    let reader: JournalReader

    func steps(_ query: ControlQuery.Steps, _ filter: StepFilter?) throws -> [PastStep] {
        let start = try reader.start().state.next
        let end = try reader.end().state.next - 1
        let last = min(query.to ?? end, end)
        if let from = query.from {
            guard max(from, start) <= last else { return [] }
            let to = min(last, from.addingReportingOverflow(Self.mostEntries).partialValue)
            return try steps(from: max(from, start), to: to, query, filter, most: query.limit)
        }
        guard start <= last else { return [] }
        // Backwards, in windows that grow until there are enough steps.
        var window = UInt64(query.limit) * 2
        while true {
            let first = last - start < window ? start : last - window + 1
            let found = try steps(from: first, to: last, query, filter, most: .max)
            if found.count >= query.limit || first == start || window >= Self.mostEntries {
                return found.suffix(query.limit)
            }
            window = min(window * 8, Self.mostEntries)
        }
    }

    private func steps(
        from first: UInt64, to last: UInt64, _ query: ControlQuery.Steps, _ filter: StepFilter?, most: Int
    ) throws -> [PastStep] {
        var steps: [PastStep] = []
        try read(from: first, to: last) { placed, state in
            guard placed.position >= first, let step = PastStep(placed, state),
                query.loop == nil || step.loop == query.loop, filter?.holds(step) ?? true
            else { return true }
            steps.append(step)
            return steps.count < most
        }
        return steps
    }

    func steps(_ numbers: ClosedRange<UInt64>, of loop: String) throws -> [PastStep] {
        guard let first = try reader.position(ofStep: numbers.lowerBound, of: loop) else { return [] }
        var steps: [PastStep] = []
        try read(from: first, to: .max) { placed, state in
            guard placed.position >= first, let step = PastStep(placed, state), step.loop == loop else {
                return true
            }
            if numbers.contains(step.number) { steps.append(step) }
            return step.number < numbers.upperBound
        }
        return steps
    }

    /// Visits entries until `visit` returns false.
    private func read(
        from first: UInt64, to last: UInt64, _ visit: @escaping (PlacedEntry, JournalState) -> Bool
    ) throws {
        var point = try reader.point(before: first)
        if try point.state.next < reader.start().state.next { point = try reader.start() }
        var isWanted = true
        while isWanted, point.state.next <= last {
            let chunks = point.chunks
            try reader.read(into: &point, upTo: last, most: 1 << 20) { placed, state in
                if isWanted { isWanted = visit(placed, state) }
            }
            if let damage = point.damage { throw damage }
            guard point.chunks > chunks else { return }
        }
    }

    func states(at place: ControlQuery.Place) throws -> (position: UInt64, states: [State]) {
        let position: UInt64? =
            switch place {
            case .position(let position): position
            case .step(let step, let loop): try reader.position(ofStep: step, of: loop)
            }
        guard let position, position > 0, try position >= reader.start().state.next - 1 else {
            throw Self.unknown(place)
        }
        let point = try reader.point(upTo: position)
        if let damage = point.damage, point.state.next <= position { throw damage }
        guard point.state.next > position, let schema = point.state.epoch?.schema else {
            throw Self.unknown(place)
        }
        let states = point.state.loops.filter(\.hasBegun).map { past in
            (schema.loops[past.index].name, past.step, past.state)
        }
        return (position, states)
    }

    private static func unknown(_ place: ControlQuery.Place) -> ControlFault {
        ControlFault(.unknownPlace, "the journal has no \(place.text)")
    }
}
