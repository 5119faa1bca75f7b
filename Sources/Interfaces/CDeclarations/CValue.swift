public import Records

/// A C type that the host lays out: a record of a loop or of the plugin, or a list or optional of
/// `spinhost/plugin.h`. C code that gets such a value only reads it.
public struct CValue: Hashable, Sendable {
    /// The name of the C type: `levels_state`, `spin_list_double`.
    public let name: String
    /// The type with the same layout.
    public let type: ValueType
    /// How many records and fields it is made of, those of its elements included.
    let parts: Int
    /// The depth of nested types, including this one.
    let depth: Int

    init(name: String, type: ValueType, parts: Int = 1, depth: Int = 1) {
        (self.name, self.type, self.parts, self.depth) = (name, type, parts, depth)
    }

    /// The C types that `spinhost/plugin.h` and `SPIN_RECORD` define for a type, by their names.
    ///
    /// - Parameter name: the type's name without `spin_`.
    static func listAndOptional(
        of type: ValueType, named name: String, parts: Int = 1, depth: Int = 1
    ) -> [String: CType] {
        let list = CValue(name: "spin_list_\(name)", type: .list(type), parts: parts, depth: depth + 1)
        let optional = CValue(
            name: "spin_optional_\(name)", type: .optional(type), parts: parts, depth: depth + 1)
        return [list.name: .value(list), optional.name: .value(optional)]
    }
}
