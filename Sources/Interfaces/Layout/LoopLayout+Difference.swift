import Records

extension LoopLayout {
    /// Compares what a plugin was compiled with to this layout, which the manifest has.
    ///
    /// - Returns: the first difference in words, such as
    ///   `` `levels_state.right`: expected `i64` at byte 8, found `i32` at byte 4 ``; nil when there is none.
    public func firstDifference(in compiled: LoopLayout) -> String? {
        if let difference = Self.difference(state, compiled.state, in: stateName) { return difference }
        for (index, event) in events.enumerated() {
            guard index < compiled.events.count else {
                return "`\(payloadName(event))`: expected this event, found none"
            }
            let other = compiled.events[index]
            guard other.name == event.name else {
                return "event \(index + 1) of `\(loop)`: expected `\(event.name)`, found `\(other.name)`"
            }
            if let difference = Self.difference(event.type, other.type, in: payloadName(event)) {
                return difference
            }
        }
        if compiled.events.count > events.count {
            return "`\(payloadName(compiled.events[events.count]))`: expected no such event, found one"
        }
        return nil
    }

    private static func difference(_ type: RecordType, _ other: RecordType, in name: String) -> String? {
        if let difference = differenceOfFields(type, other, in: name) { return difference }
        // The cases have the same names by now.
        for (stateCase, same) in zip(type.cases, other.cases) {
            let place = "\(name).\(stateCase.name)"
            if let difference = difference(stateCase.alone, same.alone, in: place) { return difference }
        }
        return nil
    }

    private static func differenceOfFields(
        _ type: RecordType, _ other: RecordType, in name: String
    ) -> String? {
        for (index, field) in type.fields.enumerated() {
            let place = "`\(name).\(field.name)`: "
            guard let same = other.field(field.name) else {
                return place + "expected \(words(field)), found no such field"
            }
            let found = other.fields[index]
            if found.name != field.name, type.field(found.name) == nil {
                return "`\(name).\(found.name)`: expected no such field, found \(words(found))"
            }
            if let difference = difference(field.type, same.type, in: "\(name).\(field.name)") {
                return difference
            }
            guard same.type == field.type, same.offset == field.offset else {
                return place + "expected \(words(field)), found \(words(same))"
            }
        }
        guard other.fields.count > type.fields.count else { return nil }
        let found = other.fields[type.fields.count]
        return "`\(name).\(found.name)`: expected no such field, found \(words(found))"
    }

    /// The difference of what two types of one kind contain, if they do contain something.
    private static func difference(_ type: ValueType, _ other: ValueType, in name: String) -> String? {
        switch (type, other) {
        case (.record(let type), .record(let other)): difference(type, other, in: name)
        case (.list(let type), .list(let other)): difference(type, other, in: "\(name)[]")
        case (.optional(let type), .optional(let other)): difference(type, other, in: name)
        default: nil
        }
    }

    private static func words(_ field: RecordType.Field) -> String {
        "`\(field.type.name)` at byte \(field.offset)"
    }
}
