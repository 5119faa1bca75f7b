public import Diagnostics

/// What a text in C declares: functions, structures, enumerations.
///
/// Read are functions, `struct` and `enum` (named, nested, with arrays), `typedef`, comments and the standard typedefs
/// of `stddef.h`, `stdint.h`, `stdbool.h` and `sys/types.h`. Everything else is refused with its reason; parsing goes on
/// after the next `;`, so that one run finds all faults (64 at most). A text is at most 1 MiB.
public struct CDeclarations: Sendable {
    /// The functions in declaration order; their names are all different.
    public let functions: [CFunction]
    /// The structures with known members, in declaration order.
    public let structures: [CStructure]
    /// The enumerations in declaration order.
    public let enumerations: [CEnumeration]
    /// The typedefs in declaration order; those that repeat an earlier or standard one are left out.
    public let typedefs: [CTypedef]
    /// Everything that is wrong with the text, in its order. What is declared without a fault is there nevertheless.
    public let faults: [TextFault]
    /// The names of functions that the text declares with a fault, their own or of a type they use.
    public let refused: Set<String>

    private let indices: [String: Int]

    /// Reads a text. Never fails: what is wrong is in `faults`.
    ///
    /// - Parameter endsImplicitly: whether the last `;` may be left out, as on a command line.
    public init(parsing text: String, endsImplicitly: Bool = false) {
        var parser = CParser(text, endsImplicitly: endsImplicitly)
        parser.parse()
        (functions, structures) = (parser.functions, parser.structures)
        (enumerations, typedefs, faults) = (parser.enumerations, parser.declaredTypedefs, parser.faults)
        indices = Dictionary(uniqueKeysWithValues: functions.indices.map { (parser.functions[$0].name, $0) })
        refused = parser.refused.subtracting(indices.keys)
    }

    /// The function of that name, if it is declared without a fault.
    public func function(_ name: String) -> CFunction? { indices[name].map { functions[$0] } }

    /// The value of an enumeration's constant.
    public func constant(_ name: String) -> Int64? {
        for enumeration in enumerations {
            if let found = enumeration.constants.first(where: { $0.name == name }) { return found.value }
        }
        return nil
    }
}
