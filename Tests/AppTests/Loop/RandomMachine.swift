import TestSupport

/// A random state machine, as a manifest and as plain rules that know nothing of records: what every event does to a
/// dictionary of fields.
struct RandomMachine {
    enum Value: Equatable {
        case int(Int)
        case text(String)

        var json: String {
            switch self {
            case .int(let number): "\(number)"
            case .text(let text): "\"\(text)\""
            }
        }
    }

    enum FieldType: CaseIterable { case int, small, text }

    struct Field {
        let name: String
        let type: FieldType
        let initial: Value
        let range: ClosedRange<Int>?
    }

    indirect enum Term {
        case value(Value)
        case eventNumber
        case eventText
        case caseName
        case sum(String, Int)
        case joined(String)
    }

    enum Condition {
        case isEven
        case isIn(Int)
        case isAbove(String, Int)
    }

    struct Entry {
        var from: [Int]?
        var to: Int?
        var condition: Condition?
        var set: [(name: String, term: Term)] = []
        var isIgnored = false
    }

    /// The state as the rules see it.
    struct State {
        var index: Int
        var values: [String: Value]
    }

    let shared: [Field]
    let cases: [[Field]]
    let events: [[Entry]]
    let general: [Entry]
    private(set) var state: State

    init(using generator: inout SeededGenerator) {
        func fields(_ names: [String]) -> [Field] {
            names.shuffled(using: &generator).prefix(Int.random(in: 0...names.count, using: &generator)).map {
                name in
                let type = FieldType.allCases.randomElement(using: &generator)!
                let initial = Int.random(in: 0...9, using: &generator)
                return Field(
                    name: name, type: type, initial: type == .text ? .text("t\(initial)") : .int(initial),
                    range: type != .text && Int.random(in: 0...3, using: &generator) == 0 ? -20...40 : nil)
            }
        }
        let shared = fields(["s", "t"])
        let cases = (0..<Int.random(in: 1...4, using: &generator)).map { _ in fields(["f", "g", "h"]) }
        (self.shared, self.cases) = (shared, cases)
        func entries() -> [Entry] {
            (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                Self.entry(shared, cases, using: &generator)
            }
        }
        events = [entries(), entries(), entries()]
        general = entries()
        let first = Int.random(in: cases.indices, using: &generator)
        state = State(
            index: first,
            values: Dictionary(
                (shared + cases[first]).map { ($0.name, $0.initial) }, uniquingKeysWith: { $1 }))
    }

    private static func entry(
        _ shared: [Field], _ cases: [[Field]], using generator: inout SeededGenerator
    ) -> Entry {
        var entry = Entry()
        if Bool.random(using: &generator) {
            let count = Int.random(in: 1...cases.count, using: &generator)
            entry.from = Array(cases.indices.shuffled(using: &generator).prefix(count))
        }
        // What all of the cases have, as expressions see types.
        let readable = shared + common(entry.from.map { $0.map { cases[$0] } } ?? [])
        let numbers = readable.filter { $0.type != .text }
        switch Int.random(in: 0...5, using: &generator) {
        case 0: entry.condition = .isEven
        case 1: entry.condition = .isIn(Int.random(in: cases.indices, using: &generator))
        case 2:
            if let field = numbers.randomElement(using: &generator) {
                entry.condition = .isAbove(field.name, 5)
            }
        default: break
        }
        if Int.random(in: 0...9, using: &generator) == 0 {
            entry.isIgnored = true
            return entry
        }
        if Bool.random(using: &generator) { entry.to = Int.random(in: cases.indices, using: &generator) }
        let writable = entry.to.map { shared + cases[$0] } ?? readable
        for field in writable where Bool.random(using: &generator) {
            var terms: [Term] = field.type == .text ? [.eventText, .caseName] : [.eventNumber]
            terms.append(
                .value(field.type == .text ? .text("c") : .int(Int.random(in: -9...9, using: &generator))))
            terms += readable.filter { ($0.type == .text) == (field.type == .text) }.map {
                field.type == .text
                    ? .joined($0.name) : .sum($0.name, Int.random(in: -5...5, using: &generator))
            }
            entry.set.append((field.name, terms.randomElement(using: &generator)!))
        }
        return entry
    }

    static func common(_ cases: [[Field]]) -> [Field] {
        guard let first = cases.first else { return [] }
        return first.filter { field in
            cases.allSatisfy {
                $0.contains { $0.name == field.name && ($0.type == .text) == (field.type == .text) }
            }
        }
    }

    /// What an event does: `event STATE`, `event -`, or `event !` when a value would lie outside of its range.
    mutating func send(_ event: Int, number: Int, text: String) -> String {
        for entry in events[event] + general {
            guard entry.from?.contains(state.index) ?? true, holds(entry.condition, number) else { continue }
            if entry.isIgnored { break }
            var next = state
            if let to = entry.to { next = entered(to) }
            for (name, term) in entry.set { next.values[name] = value(term, number, text) }
            let written = entry.to == nil ? Set(entry.set.map(\.name)) : nil
            for field in shared + cases[next.index] {
                guard let range = field.range, written?.contains(field.name) ?? true else { continue }
                guard case .int(let number)? = next.values[field.name], range.contains(number) else {
                    return "e\(event) !"
                }
            }
            state = next
            return "e\(event) \(json)"
        }
        return "e\(event) -"
    }

    private func holds(_ condition: Condition?, _ number: Int) -> Bool {
        switch condition {
        case nil: return true
        case .isEven: return number % 2 == 0
        case .isIn(let index): return state.index == index
        case .isAbove(let name, let least):
            guard case .int(let value)? = state.values[name] else { return false }
            return value > least
        }
    }

    private func entered(_ to: Int) -> State {
        var next = State(index: to, values: [:])
        for field in shared { next.values[field.name] = state.values[field.name] }
        for field in cases[to] {
            let same = cases[state.index].first { $0.name == field.name && $0.type == field.type }
            next.values[field.name] = same.flatMap { state.values[$0.name] } ?? field.initial
        }
        return next
    }

    private func value(_ term: Term, _ number: Int, _ text: String) -> Value {
        switch term {
        case .value(let value): return value
        case .eventNumber: return .int(number)
        case .eventText: return .text(text)
        case .caseName: return .text("c\(state.index)")
        case .sum(let name, let more):
            guard case .int(let value)? = state.values[name] else { return .int(0) }
            return .int(value + more)
        case .joined(let name):
            guard case .text(let value)? = state.values[name] else { return .text("") }
            return .text(value + text)
        }
    }

    private var json: String {
        let fields = (shared + cases[state.index]).map { "\"\($0.name)\":\(state.values[$0.name]!.json)" }
        return "{\((["\"case\":\"c\(state.index)\""] + fields).joined(separator: ","))}"
    }
}
