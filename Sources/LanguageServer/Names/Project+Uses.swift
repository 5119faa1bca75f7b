import Expressions
import Manifest

extension Project {
    /// The names that are written at an offset of a file; nil between names.
    func use(at offset: Int, in file: ManifestText) -> NameUse? {
        if let mention = file.index.mention(at: offset), let use = use(ofKey: mention, in: file) {
            return use
        }
        guard let node = file.index.scalar(at: offset) else { return nil }
        return uses(inValue: node, of: file).first {
            $0.range.lowerBound <= offset && offset <= $0.range.upperBound
        }
    }

    /// All places in which names are written.
    func uses(in file: ManifestText) -> [NameUse] {
        file.index.mentions.compactMap { use(ofKey: $0, in: file) }
            + file.index.scalars.flatMap { uses(inValue: $0, of: file) }
    }

    /// The name that a key is; nil for a key of the table of keys, and for one without a declaration.
    func use(ofKey mention: ManifestIndex.Mention, in file: ManifestText) -> NameUse? {
        let node = file.index.nodes[mention.node]
        guard let place = node.place, !node.isElement else { return nil }
        let path = file.index.path(of: mention.node)
        if let (name, range) = delay(in: mention, at: place, path, in: file) { return NameUse([name], range) }
        return name(ofKey: node.key, at: place, path, in: file).map { NameUse([$0], mention.range) }
    }

    /// The case in the key `"after:CASE"` of a test's event.
    private func delay(
        in mention: ManifestIndex.Mention, at place: SchemaPlace, _ path: [String], in file: ManifestText
    ) -> (ManifestName, Range<Int>)? {
        let (prefix, written) = ("after:", file.index.text(mention.range))
        guard place.path == "tests.*.events.*.*", let loop = loop(of: path, in: file),
            let colon = written.firstRange(of: prefix), let key = path.last, key.hasPrefix(prefix)
        else { return nil }
        let start = mention.range.lowerBound + written[..<colon.upperBound].utf8.count
        let name = String(key.dropFirst(prefix.count))
        return (ManifestName(.stateCase, name, of: [loop]), start..<start + name.utf8.count)
    }

    /// The name that a key is; nil for a key of the table of keys, and for one without a declaration.
    ///
    /// - Parameter path: that of the key.
    func name(ofKey key: String, at place: SchemaPlace, _ path: [String], in file: ManifestText)
        -> ManifestName?
    {
        switch place.path {
        case "plugins.*": ManifestName(.plugin, key)
        case "types.*": ManifestName(.type, key)
        case "config.*": ManifestName(.constant, key)
        case "gears.*", "loops.*.receive.*": ManifestName(.gear, key)
        case "gears.*.messages.*": ManifestName(.message, key, of: [path[1]])
        case "gears.*.messages.*.*": ManifestName(.messageField, key, of: [path[1], path[3]])
        case "loops.*": ManifestName(.loop, key)
        case "loops.*.receive.*.*": ManifestName(.message, key, of: [path[3]])
        case "loops.*.let.*", "loops.*.on.*.let.*", "loops.*.on.*.cases.*.let.*", "loops.*.after.*.let.*":
            ManifestName(.value, key, of: path.dropLast(2))
        default: loop(of: path, in: file).flatMap { name(key, at: place.path, path, ofLoop: [$0], in: file) }
        }
    }

    /// The name that a key of a loop or a test is.
    private func name(
        _ key: String, at place: String, _ path: [String], ofLoop loop: [String], in file: ManifestText
    ) -> ManifestName? {
        switch place {
        case "loops.*.state.*", "loops.*.shared.*", "loops.*.states.*.*", "loops.*.on.*.set.*",
            "loops.*.on.*.cases.*.set.*", "loops.*.after.*.set.*", "loops.*.migrate.*":
            return ManifestName(.field, key, of: loop)
        case "tests.*.given.*", "tests.*.expect.*":
            return key == "case" ? nil : ManifestName(.field, key, of: loop)
        case "loops.*.states.*", "loops.*.in.*": return ManifestName(.stateCase, key, of: loop)
        // Below `in.CASE`, `after` is a fixed key.
        case "loops.*.after.*": return path.count == 4 ? ManifestName(.stateCase, key, of: loop) : nil
        case "loops.*.events.*", "tests.*.events.*.*":
            return key.hasPrefix("after:") ? nil : ManifestName(.event, key, of: loop)
        case "loops.*.on.*": return key == "*" ? nil : ManifestName(.event, key, of: loop)
        case "loops.*.events.*.*": return ManifestName(.eventField, key, of: loop + [path[3]])
        case "tests.*.events.*.*.*": return ManifestName(.eventField, key, of: loop + [path[path.count - 2]])
        case "loops.*.feedback.*", "tests.*.effects.*": return ManifestName(.feedback, key, of: loop)
        case "loops.*.feedback.*.send.*":
            let entry = path.dropLast()
            if let gear = file.string(at: entry + ["gear"]) {
                return file.string(at: entry + ["message"]).map {
                    ManifestName(.messageField, key, of: [gear, $0])
                }
            }
            guard let other = file.string(at: entry + ["loop"]) else { return nil }
            return file.string(at: entry + ["event"]).map { ManifestName(.eventField, key, of: [other, $0]) }
        case _ where Self.isEmission(place.dropLast(2)):
            return file.string(at: path.dropLast() + ["event"]).map {
                ManifestName(.eventField, key, of: loop + [$0])
            }
        default: return nil
        }
    }

    /// Whether a place has an event with its fields.
    static func isEmission(_ place: Substring) -> Bool {
        let feedback = "loops.*.feedback.*."
        if place == "loops.*.receive.*.*" { return true }
        guard place.hasPrefix(feedback) else { return false }
        return ["emit", "on-error", "recover", "emits.*", "args.*.callback.emit"].contains(
            String(place.dropFirst(feedback.utf8.count)))
    }

    /// The names in a string.
    func uses(inValue node: Int, of file: ManifestText) -> [NameUse] {
        guard let literal = file.index.string(of: node), !literal.text.isEmpty else { return [] }
        let path = file.index.path(of: node)
        guard let place = file.index.nodes[node].place else { return typeUses(node, literal, in: file) }
        if let name = name(ofValue: literal.text, at: place, path, in: file) {
            return [NameUse([name], literal.range(0..<literal.text.utf8.count))]
        }
        if place.isFunction {
            guard let colon = literal.text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return [] }
            let name = String(literal.text[..<colon])
            return [NameUse([ManifestName(.plugin, name)], literal.range(0..<name.utf8.count))]
        }
        return place.isExpression
            ? expressionUses(literal, at: path, in: file) : typeUses(node, literal, in: file)
    }

    /// The name that a string is as a whole; nil for one that is not a name.
    func name(ofValue text: String, at place: SchemaPlace, _ path: [String], in file: ManifestText)
        -> ManifestName?
    {
        func one(_ kind: ManifestName.Kind, of owner: [String]) -> ManifestName {
            ManifestName(kind, text, of: owner)
        }
        switch (place.path, loop(of: path, in: file).map { [$0] }) {
        case ("loops.*.initial", let loop?), ("loops.*.on.*.from", let loop?), ("loops.*.on.*.to", let loop?),
            ("loops.*.on.*.cases.*.from", let loop?), ("loops.*.on.*.cases.*.to", let loop?),
            ("loops.*.after.*.to", let loop?), ("loops.*.feedback.*.in", let loop?),
            ("tests.*.given.*", let loop?) where path.last == "case",
            ("tests.*.expect.*", let loop?) where path.last == "case":
            return one(.stateCase, of: loop)
        case ("loops.*.creates", let loop?), ("loops.*.feedback.*.on", let loop?):
            return one(.event, of: loop)
        case ("loops.*.feedback.*.send.gear", _): return one(.gear, of: [])
        case ("loops.*.feedback.*.send.loop", _), ("tests.*.loop", _): return one(.loop, of: [])
        case ("loops.*.feedback.*.send.message", _):
            return file.string(at: path.dropLast() + ["gear"]).map { one(.message, of: [$0]) }
        case ("loops.*.feedback.*.send.event", _):
            return file.string(at: path.dropLast() + ["loop"]).map { one(.event, of: [$0]) }
        case (let place, let loop?) where place.hasSuffix(".event") && Self.isEmission(place.dropLast(6)):
            return one(.event, of: loop)
        default: return nil
        }
    }

    /// The names of types in a string that is a type, or a part of one. The words of an enumeration are its members.
    private func typeUses(_ node: Int, _ literal: StringLiteral, in file: ManifestText) -> [NameUse] {
        let bytes = Array(literal.text.utf8)
        guard file.index.isType(node), !bytes.contains(UInt8(ascii: "|")) else { return [] }
        return bytes.indices.split { !bytes[$0].isOfName }.map { part in
            let range = part.startIndex..<part.endIndex
            let name = String(decoding: bytes[range], as: UTF8.self)
            return NameUse([ManifestName(.type, name)], literal.range(range))
        }
    }
}

extension UInt8 {
    /// Whether it is a byte of a name that a manifest declares.
    var isOfName: Bool { (97...122).contains(self) || (48...57).contains(self) || self == UInt8(ascii: "_") }
}
