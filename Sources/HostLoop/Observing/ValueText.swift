/// The text of values for people: short, without module names, and the same in every process.
package struct ValueText {
    /// The objects that contain the current value. If one of them occurs again, there is a cycle.
    private var objects: Set<ObjectIdentifier> = []

    /// The text of a value.
    ///
    /// Literals appear as in source code. A type with its own description appears as that description. Other
    /// enums, structs and objects appear as their parts. Sets and dictionaries are sorted.
    package static func of(_ value: Any) -> String {
        var text = ValueText()
        return text.text(value)
    }

    /// The description that the value's type provides; nil for containers, which appear as their parts.
    static func ownDescription(_ value: Any, _ style: Mirror.DisplayStyle?) -> String? {
        switch style {
        case .collection, .dictionary, .set, .optional, .tuple: return nil
        default: break
        }
        switch value {
        case let string as any StringProtocol: return String(reflecting: String(string))
        case let character as Character: return String(reflecting: String(character))
        case let described as any CustomStringConvertible: return described.description
        case let described as any CustomDebugStringConvertible: return described.debugDescription
        default: return nil
        }
    }

    /// Compares two values with `<`, or by their texts if their type has no `<`.
    static func isOrdered(_ lhs: Any, _ rhs: Any) -> Bool {
        let types = (String(describing: type(of: lhs)), String(describing: type(of: rhs)))
        guard types.0 == types.1 else { return types.0 < types.1 }
        func isLess<Value: Comparable>(_ value: Value) -> Bool? { (rhs as? Value).map { value < $0 } }
        if let value = lhs as? any Comparable, let isLess = isLess(value) { return isLess }
        return of(lhs) < of(rhs)
    }

    private mutating func text(_ value: Any) -> String {
        if type(of: value) == AnyHashable.self, let value = value as? AnyHashable { return text(value.base) }
        let mirror = Mirror(reflecting: value)
        if let text = Self.ownDescription(value, mirror.displayStyle) { return text }
        let children = mirror.children.map(\.value)
        switch mirror.displayStyle {
        case .optional: return children.first.map { text($0) } ?? "nil"
        case .collection: return "[" + children.map { text($0) }.joined(separator: ", ") + "]"
        case .set:
            return "[" + children.sorted(by: Self.isOrdered).map { text($0) }.joined(separator: ", ") + "]"
        case .dictionary:
            let pairs = children.map { Mirror(reflecting: $0).children.map(\.value) }
                .sorted { Self.isOrdered($0[0], $1[0]) }
                .map { text($0[0]) + ": " + text($0[1]) }
            return pairs.isEmpty ? "[:]" : "[" + pairs.joined(separator: ", ") + "]"
        case .tuple: return parts(mirror)
        case .enum:
            guard let payload = mirror.children.first else { return ".\(value)" }
            let inner = Mirror(reflecting: payload.value)
            let isTuple = inner.displayStyle == .tuple
            return ".\(payload.label ?? "")" + (isTuple ? parts(inner) : "(\(text(payload.value)))")
        case .class:
            let object = ObjectIdentifier(value as AnyObject)
            guard objects.insert(object).inserted else { return "\(type(of: value))(…)" }
            defer { objects.remove(object) }
            return "\(type(of: value))" + parts(mirror)
        case .struct: return "\(type(of: value))" + parts(mirror)
        default: return String(describing: value)
        }
    }

    private mutating func parts(_ mirror: Mirror) -> String {
        let parts = mirror.allChildren.map { child in
            guard let label = child.label, !label.hasPrefix(".") else { return text(child.value) }
            return "\(label): " + text(child.value)
        }
        return "(" + parts.joined(separator: ", ") + ")"
    }
}

extension Mirror {
    /// All children, first those of superclasses.
    var allChildren: [Child] { (superclassMirror?.allChildren ?? []) + children }
}
