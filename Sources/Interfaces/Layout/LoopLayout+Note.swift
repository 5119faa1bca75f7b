public import Records

// The text of a layout in a plugin's note: see `SPIN_KIND_LOOP` in `spinhost/plugin.h`.
extension LoopLayout {
    /// The texts of the note after the loop's name: the fields of the state, then the name and the fields of
    /// each event.
    public var noteTexts: [String] {
        [Self.text(of: state)] + events.flatMap { [$0.name, Self.text(of: $0.type)] }
    }

    private static func text(of type: RecordType) -> String {
        let cases = type.cases.map { stateCase in
            line("@" + stateCase.name, .record(stateCase.alone), offset: type.union.lowerBound, depth: 0)
        }
        return type.fields.map { line($0, depth: 0) }.joined() + cases.joined()
    }

    private static func line(_ field: RecordType.Field, depth: Int) -> String {
        line(field.name, field.type, offset: field.offset, depth: depth)
    }

    private static func line(_ name: String, _ type: ValueType, offset: Int, depth: Int) -> String {
        let dots = String(repeating: ".", count: depth)
        let parts = parts(of: type).map { line($0, depth: depth + 1) }.joined()
        return "\(dots)\(name) \(word(for: type)) \(offset) \(type.size)\n" + parts
    }

    private static func word(for type: ValueType) -> String {
        switch type {
        case .enumeration(let type):
            type.members.count == 1 ? type.members[0] + "|" : type.members.joined(separator: "|")
        case .record: "{}"
        case .list: "[]"
        case .optional: "?"
        default: type.name
        }
    }

    private static func parts(of type: ValueType) -> [RecordType.Field] {
        switch type {
        case .record(let type): type.fields
        case .list(let element): RecordType([("*", element)]).fields
        // `struct { bool has; T value; }`
        case .optional(let wrapped): Array(RecordType([("has", .bool), ("*", wrapped)]).fields.dropFirst())
        default: []
        }
    }

    /// Reads a note; nil if its texts are not a valid layout for this platform.
    init?(_ note: PluginNote) {
        guard !note[0].isEmpty, let state = LayoutText.record(note[1]) else { return nil }
        var events: [Event] = []
        var names: Set<String> = []
        var position = 2
        while !note[position].isEmpty {
            guard names.insert(note[position]).inserted, let type = LayoutText.record(note[position + 1])
            else {
                return nil
            }
            events.append(Event(name: note[position], type: type))
            position += 2
        }
        self.init(loop: note[0], state: state, events: events)
    }
}

extension RecordType.Case {
    /// The fields of the case as a separate record, which in C is the member of the union.
    public var alone: RecordType { RecordType(fields.map { ($0.name, $0.type) }) }
}
