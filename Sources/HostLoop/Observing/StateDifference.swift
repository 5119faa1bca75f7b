/// The parts in which two values differ: two lines for each part, with its path.
///
/// ```text
/// - level.left: 11
/// + level.left: 12
/// ```
///
/// `Mirror` provides the parts: fields of structs, tuples and objects, payloads of the same enum case,
/// elements of arrays, and values of dictionaries. Array elements before and after the changed range are
/// omitted. Equal values are omitted with all their parts; the comparison uses `==` if the type has it.
/// Values whose own descriptions differ appear as these, not as parts. The lines are the same in every
/// process, because sets and dictionaries are sorted.
public struct StateDifference: Sendable, Hashable, CustomStringConvertible {
    /// The lines, empty if no difference is found. A line that begins with `-` shows the first value, a line
    /// that begins with `+` the second.
    public private(set) var lines: [String] = []

    /// Compares two values, first and second.
    public init<Value>(_ first: Value, _ second: Value) {
        var objects: Set<[ObjectIdentifier]> = []
        compare(first, second, at: "", &objects)
    }

    private init() {}

    /// The lines, joined.
    public var description: String { lines.joined(separator: "\n") }

    private mutating func show(_ sign: String, _ path: String, _ text: String) {
        lines.append(path.isEmpty ? "\(sign) \(text)" : "\(sign) \(path): \(text)")
    }

    /// Shows both values as a whole, with a note if their texts are the same.
    private mutating func show(_ first: Any, _ second: Any, at path: String) {
        let texts = (ValueText.of(first), ValueText.of(second))
        let note = texts.0 == texts.1 ? " (not equal, and shown alike)" : ""
        show("-", path, texts.0 + note)
        show("+", path, texts.1 + note)
    }

    private mutating func compare(
        _ first: Any, _ second: Any, at path: String, _ objects: inout Set<[ObjectIdentifier]>
    ) {
        let isEqual = Self.isEqual(first, second)
        if isEqual == true { return }
        let mirrors = (Mirror(reflecting: first), Mirror(reflecting: second))
        guard type(of: first) == type(of: second), mirrors.0.displayStyle == mirrors.1.displayStyle else {
            return show(first, second, at: path)
        }
        let style = mirrors.0.displayStyle
        let own = (ValueText.ownDescription(first, style), ValueText.ownDescription(second, style))
        if own.0 != own.1 { return show(first, second, at: path) }
        let count = lines.count
        switch style {
        case .optional, .enum: compareCases(first, second, mirrors, at: path, &objects)
        case .collection:
            compareLists(mirrors.0.children.map(\.value), mirrors.1.children.map(\.value), at: path, &objects)
        case .set: compareSets(mirrors.0, mirrors.1, at: path)
        case .dictionary: compareDictionaries(mirrors.0, mirrors.1, at: path, &objects)
        case .struct, .tuple: compareParts(mirrors.0, mirrors.1, at: path, &objects)
        case .class:
            let pair = [ObjectIdentifier(first as AnyObject), ObjectIdentifier(second as AnyObject)]
            guard pair[0] != pair[1], objects.insert(pair).inserted else { break }
            compareParts(mirrors.0, mirrors.1, at: path, &objects)
        default:
            if isEqual == nil, ValueText.of(first) != ValueText.of(second) { show(first, second, at: path) }
        }
        if isEqual == false, lines.count == count { show(first, second, at: path) }
    }

    private mutating func compareCases(
        _ first: Any, _ second: Any, _ mirrors: (Mirror, Mirror), at path: String,
        _ objects: inout Set<[ObjectIdentifier]>
    ) {
        switch (mirrors.0.children.first, mirrors.1.children.first) {
        case (let one?, let other?) where one.label == other.label:
            guard mirrors.0.displayStyle == .enum, let label = one.label else {
                return compare(one.value, other.value, at: path, &objects)
            }
            compare(one.value, other.value, at: path.isEmpty ? label : "\(path).\(label)", &objects)
        case (nil, nil):
            if ValueText.of(first) != ValueText.of(second) { show(first, second, at: path) }
        default: show(first, second, at: path)
        }
    }

    private mutating func compareParts(
        _ first: Mirror, _ second: Mirror, at path: String, _ objects: inout Set<[ObjectIdentifier]>
    ) {
        for (index, (one, other)) in zip(first.allChildren, second.allChildren).enumerated() {
            // Tuple elements without labels have the names `.0`, `.1`.
            var label = one.label ?? "\(index)"
            if label.hasPrefix(".") { label.removeFirst() }
            compare(one.value, other.value, at: path.isEmpty ? label : "\(path).\(label)", &objects)
        }
    }

    private mutating func compareLists(
        _ first: [Any], _ second: [Any], at path: String, _ objects: inout Set<[ObjectIdentifier]>
    ) {
        var start = 0
        while start < min(first.count, second.count), Self.isSame(first[start], second[start]) { start += 1 }
        var (end, newEnd) = (first.count, second.count)
        while end > start, newEnd > start, Self.isSame(first[end - 1], second[newEnd - 1]) {
            end -= 1
            newEnd -= 1
        }
        for index in start..<max(end, newEnd) {
            let location = "\(path)[\(index)]"
            switch (index < end, index < newEnd) {
            case (true, true): compare(first[index], second[index], at: location, &objects)
            case (true, false): show("-", location, ValueText.of(first[index]))
            default: show("+", location, ValueText.of(second[index]))
            }
        }
    }

    private mutating func compareSets(_ first: Mirror, _ second: Mirror, at path: String) {
        let sets = [first, second].map { Set($0.children.compactMap { $0.value as? AnyHashable }) }
        for (sign, only) in [("-", sets[0].subtracting(sets[1])), ("+", sets[1].subtracting(sets[0]))] {
            for element in only.map(\.base).sorted(by: ValueText.isOrdered) {
                show(sign, path, "contains " + ValueText.of(element))
            }
        }
    }

    private mutating func compareDictionaries(
        _ first: Mirror, _ second: Mirror, at path: String, _ objects: inout Set<[ObjectIdentifier]>
    ) {
        let (old, new) = (Self.dictionary(first), Self.dictionary(second))
        let keys = Set(old.keys).union(new.keys)
        for key in keys.sorted(by: { ValueText.isOrdered($0.base, $1.base) }) {
            let location = "\(path)[\(ValueText.of(key.base))]"
            switch (old[key], new[key]) {
            case (let one?, let other?): compare(one, other, at: location, &objects)
            case (let one?, nil): show("-", location, ValueText.of(one))
            case (nil, let other): show("+", location, ValueText.of(other ?? "nil"))
            }
        }
    }

    private static func dictionary(_ mirror: Mirror) -> [AnyHashable: Any] {
        let pairs = mirror.children.compactMap { pair -> (AnyHashable, Any)? in
            let parts = Mirror(reflecting: pair.value).children.map(\.value)
            return (parts[0] as? AnyHashable).map { ($0, parts[1]) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Whether two values are equal by `==`; nil if the first has no `==`.
    private static func isEqual(_ first: Any, _ second: Any) -> Bool? {
        func isEqual<Value: Equatable>(_ value: Value) -> Bool { value == second as? Value }
        return (first as? any Equatable).map { isEqual($0) }
    }

    private static func isSame(_ first: Any, _ second: Any) -> Bool {
        if let isEqual = isEqual(first, second) { return isEqual }
        var difference = StateDifference()
        var objects: Set<[ObjectIdentifier]> = []
        difference.compare(first, second, at: "", &objects)
        return difference.lines.isEmpty
    }
}
