import App
import Control
import Manifest
import Records

/// The past of an app without a journal: the steps that the host keeps while a client watches.
struct MemoryPast: RunPast {
    let manifest: Manifest
    let port: AppPort

    /// A state of a loop that is kept: after a step, or after a gap.
    private struct Known {
        let position: UInt64, step: UInt64
        let state: Record
        /// The state before the step; nil after a gap.
        let before: Record?

        init?(_ activity: AppActivity) {
            position = activity.position
            switch activity.content {
            case .step(let made, _): (step, state, before) = (made.index, made.after, made.before)
            case .gap(_, let until, let present?): (step, state, before) = (until, present, nil)
            default: return nil
            }
        }
    }

    private func kept(_ loop: Int) -> [PastStep] {
        port.keptSteps(ofLoop: loop).compactMap { PastStep($0, hasPosition: true) }
    }

    func steps(_ query: ControlQuery.Steps, _ filter: StepFilter?) throws -> [PastStep] {
        let loops = manifest.loops.indices.filter {
            query.loop == nil || manifest.loops[$0].name == query.loop
        }
        let found = loops.flatMap(kept).filter { step in
            let position = step.position ?? 0
            return position >= query.from ?? 0 && position <= query.to ?? .max
                && filter?.holds(step) ?? true
        }.sorted { $0.position ?? 0 < $1.position ?? 0 }
        return Array(query.from == nil ? found.suffix(query.limit) : found.prefix(query.limit))
    }

    func steps(_ numbers: ClosedRange<UInt64>, of loop: String) throws -> [PastStep] {
        guard let index = manifest.loops.firstIndex(where: { $0.name == loop }) else { return [] }
        guard manifest.loops[index].key == nil else { throw ControlFault(noPastOf: loop) }
        return kept(index).filter { numbers.contains($0.number) }
    }

    func states(at place: ControlQuery.Place) throws -> (position: UInt64, states: [State]) {
        // In this order: a loop without kept steps has made none since its state was read.
        let present = try manifest.loops.indices.map { try port.state(ofLoop: $0) }
        let last = port.lastPosition
        // Of a loop with a key, no state of an instance at a place is known.
        let loops = manifest.loops.indices.map { index in
            manifest.loops[index].key == nil
                ? port.keptSteps(ofLoop: index).compactMap(Known.init) : []
        }
        let position: UInt64
        switch place {
        case .position(let wanted): position = wanted
        case .step(let step, let loop):
            guard let index = manifest.loops.firstIndex(where: { $0.name == loop }) else {
                throw unknown(place)
            }
            guard manifest.loops[index].key == nil else { throw ControlFault(noPastOf: loop) }
            if let made = loops[index].first(where: { $0.step == step }) {
                position = made.position
            } else if let first = loops[index].first, first.before != nil, first.step == step + 1 {
                position = first.position - 1
            } else if loops[index].isEmpty, present[index].step == step {
                position = last
            } else {
                throw unknown(place)
            }
        }
        guard position <= last else { throw unknown(place) }
        var states: [State] = []
        for (index, kept) in loops.enumerated() where manifest.loops[index].key == nil {
            let name = manifest.loops[index].name
            let next = kept.firstIndex { $0.position > position } ?? kept.endIndex
            if next > 0 {
                // In a gap, the loop's state is not known.
                if next < kept.endIndex, kept[next].before == nil { continue }
                states.append((name, kept[next - 1].step, kept[next - 1].state))
            } else if let first = kept.first {
                // Older steps may have been forgotten, which could have been after the place.
                guard !port.hasForgotten(ofLoop: index), let before = first.before else {
                    throw unknown(place)
                }
                states.append((name, first.step - 1, before))
            } else {
                states.append((name, present[index].step, present[index].state))
            }
        }
        return (position, states)
    }

    private func unknown(_ place: ControlQuery.Place) -> ControlFault {
        ControlFault(
            .unknownPlace, "the host does not know \(place.text) any more",
            help: ["it keeps the last steps while a client watches; `--journal FILE` keeps all"])
    }
}

extension ControlFault {
    /// A loop has a key: each of its instances numbers its own steps, and the host keeps no state of them before the present
    /// one.
    init(noPastOf loop: String) {
        self.init(
            .unknownPlace, "loop `\(loop)` has a key: the host knows no past states of its instances",
            help: ["`spinhost state --key` shows the present state of an instance"])
    }
}
