import Diagnostics
import Records

/// Reads the structs that a plugin declares. They may refer to each other, and a file has them in any order.
struct RecordReader {
    /// The parts of a record, those of records within it included. A check of a type visits each of them.
    private static let mostParts = 4096

    private let plugin: String
    /// The structs by name that nothing has read yet.
    private var declarations: [String: String]
    /// The records that are being read, outermost first.
    private var open: [String] = []
    /// The records, in the order in which they were read.
    private(set) var records: [RecordDescription] = []
    /// The C types by name, for prototypes.
    private(set) var types: [String: CType]

    /// Reads all records of a plugin's notes.
    ///
    /// - Parameter types: the C types of the loops' records, by name.
    /// - Throws: `InterfaceError` for a struct that does not parse, has another name, or contains itself. Also for
    ///   two structs of one name, a name that another type has, and a field that the host cannot copy.
    init(_ notes: [PluginNote], of plugin: String, types: [String: CType]) throws(InterfaceError) {
        (self.plugin, self.types) = (plugin, types)
        var declarations: [String: String] = [:]
        var names: [String] = []
        for note in notes where note.kind == .record {
            // If several files include the same header, each of them repeats the header's records.
            guard let other = declarations.updateValue(note[1], forKey: note[0]) else {
                names.append(note[0])
                continue
            }
            guard other == note[1] else {
                throw InterfaceError(
                    .pluginDeclaresTwice,
                    "plugin `\(plugin)` declares record `\(note[0])` twice: `\(other)` and `\(note[1])`",
                    help: ["write `SPIN_RECORD` once, in a header that the plugin's files include"])
            }
        }
        self.declarations = declarations
        for name in names { try read(name) }
    }

    /// Reads a record after those that it refers to.
    private mutating func read(_ name: String) throws(InterfaceError) {
        guard let text = declarations.removeValue(forKey: name) else {
            guard !open.contains(name) else { throw refused(name, "it contains itself") }
            return
        }
        // Deeper types do not parse.
        guard open.count <= CParser.Limit.nesting else {
            throw refused(name, "the types are nested more than \(CParser.Limit.nesting) deep")
        }
        open.append(name)
        for word in Self.types(in: text) { try read(word) }
        open.removeLast()
        let structure = try structure(name, text)
        var parts = 1
        for member in structure.members { parts += try self.parts(of: member, name) }
        guard parts <= Self.mostParts else {
            throw refused(
                name,
                "it has \(parts) fields with those of its structs, but at most \(Self.mostParts) are supported"
            )
        }
        let type = structure.recordType
        var defined = CValue.listAndOptional(
            of: .record(type), named: name, parts: parts, depth: structure.depth)
        defined[name] = .value(
            CValue(name: name, type: .record(type), parts: parts, depth: structure.depth))
        for other in defined.keys.sorted() where types[other] != nil || CStandardTypes.typedefs[other] != nil
        {
            throw refused(
                name, "`\(other)` is the name of another type", help: ["give the record another name"])
        }
        types.merge(defined) { known, _ in known }
        records.append(RecordDescription(name: name, text: text, type: type))
    }

    /// The names of the records that a struct may refer to: in `point`, `spin_list_point` or
    /// `spin_optional_point`, at the start of a member.
    private static func types(in text: String) -> [String] {
        let tokens = CLexer(text).tokens.filter { CParser.Qualifier($0.text) == nil }
        return zip(tokens, tokens.dropFirst()).compactMap { before, token in
            guard token.kind == .word, !CParser.keywords.contains(token.text),
                ["{", ";"].contains(before.text)
            else { return nil }
            for prefix in ["spin_list_", "spin_optional_"] where token.text.hasPrefix(prefix) {
                return String(token.text.dropFirst(prefix.count))
            }
            return token.text
        }
    }

    private func structure(_ name: String, _ text: String) throws(InterfaceError) -> CStructure {
        var parser = CParser(text, endsImplicitly: true)
        parser.typedefs.merge(types) { known, _ in known }
        parser.parse()
        if let fault = parser.faults.first {
            throw refused(name, "\(fault.message) in `\(text)`", help: fault.helpInPlugin)
        }
        guard let structure = parser.structures.first, parser.structures.count == 1, structure.name == name,
            parser.functions.isEmpty, parser.enumerations.isEmpty
        else {
            throw refused(
                name, "its declaration is not one struct of that name",
                help: ["rebuild it with `spinhost/plugin.h`"])
        }
        return structure
    }

    /// The parts of a member, which all its values are made of.
    private func parts(of member: CStructure.Member, _ name: String) throws(InterfaceError) -> Int {
        var element = member.type
        while case .array(let inner, _) = element { element = inner }
        switch element {
        case .bool, .character, .integer, .float, .double, .duration, .timestamp, .string, .bytes: return 1
        case .value(let value) where !element.hasCases: return value.parts
        case .pointer(let pointer) where pointer.isOpaque && !element.isCall && !element.isInstance: return 1
        default: break
        }
        throw refused(
            name, "`\(member.name)` is `\(member.type)`, a type that the host cannot copy",
            help: ["use `spin_string` for text, `spin_bytes` for memory, `spin_list_…` for lists"])
    }

    private func refused(_ name: String, _ reason: String, help: [String] = []) -> InterfaceError {
        InterfaceError(
            .pluginDeclaration, "plugin `\(plugin)`, record `\(name)`: \(reason)", help: help)
    }
}

extension TextFault {
    /// What to do about the fault in a plugin's source.
    var helpInPlugin: [String] {
        help
            + (code == .unknownType || code == .incompleteType ? ["declare a struct with `SPIN_RECORD`"] : [])
    }
}
