import Diagnostics
import Records

/// The types of `[types]`. They may use each other in any order, but a type cannot contain itself.
final class NamedTypes {
    /// What a name stands for.
    enum Meaning {
        case type(ValueType)
        case unknown
        /// The type has a fault, which is reported.
        case faulty
        /// A text about a use that is not possible.
        case refused(String)
    }

    private enum State {
        case unread(TOMLEntry)
        case reading
        case known(ValueType, Extent)
        case faulty
    }

    /// How large a type is.
    private struct Extent {
        var depth = 0
        var fields = 0
        /// How many names stand between this one and the last that it uses.
        var names = 0
    }

    /// At most so many fields come into the manifest by names, because a few types can multiply them without end.
    static let fieldLimit = 100_000
    /// At most so many names stand between a name and the last one that it uses. It bounds the recursion over names.
    static let nameLimit = 100

    // It keeps this object.
    private unowned let decoder: ManifestDecoder
    private(set) var names: [String] = []
    private var states: [String: State] = [:]
    // The names that are being read, each for the one before it.
    private var reading = 0
    // `Extent.names` of what the name that is being read has used so far.
    private var usedNames = 0
    private var fields = 0

    init(_ decoder: ManifestDecoder) { self.decoder = decoder }

    /// Notes the types of a table, and reads them: each reads those that it uses first.
    func decode(_ entries: [TOMLEntry]) {
        for entry in entries {
            names.append(entry.key)
            states[entry.key] = .unread(entry)
        }
        for name in names { read(name) }
    }

    /// The meaning of a name that is used `depth` levels inside another type.
    func meaning(of name: String, depth: Int) -> Meaning {
        guard reading < Self.nameLimit else { return .refused(Self.tooFar) }
        read(name)
        switch states[name] {
        case nil, .unread: return .unknown
        case .faulty: return .faulty
        case .reading: return .refused("type `\(name)` contains itself")
        case .known(let type, let extent):
            guard extent.names < Self.nameLimit else { return .refused(Self.tooFar) }
            usedNames = max(usedNames, extent.names + 1)
            guard depth + extent.depth < TypeSyntax.maximumDepth else { return .refused(TypeSyntax.tooDeep) }
            fields += extent.fields
            guard fields <= Self.fieldLimit else {
                return .refused("the types of the manifest have more than \(Self.fieldLimit) fields in all")
            }
            return .type(type)
        }
    }

    /// Reads the type of this name unless it has been read.
    private func read(_ name: String) {
        guard case .unread(let entry) = states[name] else { return }
        states[name] = .reading
        reading += 1
        let outer = usedNames
        usedNames = 0
        if let type = decoder.type(entry.value) {
            var extent = Self.extent(of: type)
            extent.names = usedNames
            states[name] = .known(type, extent)
        } else {
            states[name] = .faulty
        }
        usedNames = outer
        reading -= 1
    }

    /// Whether a type has this name.
    func has(_ name: String) -> Bool { states[name] != nil }

    private static let tooFar = "more than \(nameLimit) names stand between this type and those that it uses"

    private static func extent(of type: ValueType) -> Extent {
        switch type {
        case .list(let element), .optional(let element):
            var extent = extent(of: element)
            extent.depth += 1
            return extent
        case .record(let record):
            var all = Extent(depth: 0, fields: record.fields.count)
            for field in record.fields {
                let extent = extent(of: field.type)
                all.depth = max(all.depth, extent.depth)
                all.fields += extent.fields
            }
            all.depth += 1
            return all
        default: return Extent()
        }
    }
}

extension ManifestDecoder {
    /// Reads `[types]`, and reports the faults of all of them, used or not.
    func decodeTypes(_ table: TableReader) {
        namedTypes.decode(
            table.named.filter { entry in
                guard NameRule.check(entry, "a type", collector) else { return false }
                guard TypeSyntax.simpleNames.contains(entry.key) else { return true }
                collector.error(
                    .invalidName, "`\(entry.key)` is the name of another type", at: entry.keySpan,
                    help: ["choose another name: spinhost has a type that is called so"])
                return false
            })
    }
}
