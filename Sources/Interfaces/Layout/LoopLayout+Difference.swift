import Records

extension LoopLayout {
    /// Compares this layout, which is the manifest's, with the layout that a plugin was compiled with.
    ///
    /// - Returns: the first difference in words, such as `` `levels_state.right`: expected `i64` at byte 8,
    ///   found `i32` at byte 4 ``; nil if the layouts are equal.
    public func firstDifference(in compiled: LoopLayout) -> String? {
        if let difference = Self.difference(state, compiled.state, in: stateName) { return difference }
        for (index, event) in events.enumerated() {
            guard index < compiled.events.count else {
                return "`\(payloadName(event))`: expected this event, found no event"
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
            return "`\(payloadName(compiled.events[events.count]))`: expected no event, found this one"
        }
        return nil
    }

    private static func difference(_ type: RecordType, _ other: RecordType, in name: String) -> String? {
        if let difference = differenceOfFields(type, other, in: name) { return difference }
        // The tags are equal, so the cases have the same names.
        for (stateCase, same) in zip(type.cases, other.cases) {
            let path = "\(name).\(stateCase.name)"
            if let difference = difference(stateCase.alone, same.alone, in: path) { return difference }
        }
        return nil
    }

    private static func differenceOfFields(
        _ type: RecordType, _ other: RecordType, in name: String
    ) -> String? {
        for (index, field) in type.fields.enumerated() {
            let subject = "`\(name).\(field.name)`: "
            guard let same = other.field(field.name) else {
                return subject + "expected \(words(field)), found no such field"
            }
            let found = other.fields[index]
            if found.name != field.name, type.field(found.name) == nil {
                return "`\(name).\(found.name)`: expected no such field, found \(words(found))"
            }
            if let difference = difference(field.type, same.type, in: "\(name).\(field.name)") {
                return difference
            }
            guard same.type == field.type, same.offset == field.offset else {
                return subject + "expected \(words(field)), found \(words(same))"
            }
        }
        guard other.fields.count > type.fields.count else { return nil }
        let found = other.fields[type.fields.count]
        return "`\(name).\(found.name)`: expected no such field, found \(words(found))"
    }

    /// The first difference inside two types of the same kind; nil for types without parts.
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
