public import Diagnostics

/// The declarations in a C text: functions, structures, enumerations.
///
/// The parser reads functions, pointers to functions, `struct` and `enum` (named, nested, with arrays),
/// `typedef`, comments and the standard typedefs of `stddef.h`, `stdint.h`, `stdbool.h` and `sys/types.h`. It
/// refuses everything else with a reason and continues after the next `;`, so that one run finds all faults
/// (64 at most). A text has at most 1 MiB.
public struct CDeclarations: Sendable {
    /// The functions in declaration order; their names are unique.
    public let functions: [CFunction]
    /// The structures with known members, in declaration order.
    public let structures: [CStructure]
    /// The enumerations in declaration order.
    public let enumerations: [CEnumeration]
    /// The typedefs in declaration order, without repetitions of an earlier or standard typedef.
    public let typedefs: [CTypedef]
    /// All faults, in text order. Declarations without a fault are available nevertheless.
    public let faults: [TextFault]
    /// The names of functions whose declaration has a fault, or uses a type with one.
    public let refused: Set<String>

    private let indices: [String: Int]

    /// Parses a text. It never fails: `faults` has the errors.
    ///
    /// - Parameter endsImplicitly: whether the last `;` is optional, as on a command line.
    public init(parsing text: String, endsImplicitly: Bool = false) {
        var parser = CParser(text, endsImplicitly: endsImplicitly)
        parser.parse()
        (functions, structures) = (parser.functions, parser.structures)
        (enumerations, typedefs, faults) = (parser.enumerations, parser.declaredTypedefs, parser.faults)
        indices = Dictionary(uniqueKeysWithValues: functions.indices.map { (parser.functions[$0].name, $0) })
        refused = parser.refused.subtracting(indices.keys)
    }

    /// The function of that name; nil if its declaration is missing or has a fault.
    public func function(_ name: String) -> CFunction? { indices[name].map { functions[$0] } }

    /// The value of an enumeration's constant; nil if there is no such constant.
    public func constant(_ name: String) -> Int64? {
        for enumeration in enumerations {
            if let found = enumeration.constants.first(where: { $0.name == name }) { return found.value }
        }
        return nil
    }
}
