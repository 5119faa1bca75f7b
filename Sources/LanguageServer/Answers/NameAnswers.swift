import Diagnostics
import Interfaces
import Manifest
import Records

/// The places of the declarations of a name, and of the C function of an effect.
struct DefinitionAnswer {
    struct Place {
        let file: ManifestText
        let range: Range<Int>
    }

    let places: [Place]

    init(_ asked: AskedPlace) {
        let (project, file) = (asked.project, asked.file)
        if let place = Self.functionPlace(asked) {
            places = [place]
            return
        }
        let names = project.use(at: asked.offset, in: file)?.names ?? []
        places = names.flatMap { project.declarations(of: $0) }.map { Place(file: $0.file, range: $0.range) }
    }

    /// The declaration in `declares` of the effect at a place, unless the place is in the name of the plugin.
    private static func functionPlace(_ asked: AskedPlace) -> Place? {
        guard let node = asked.file.index.scalar(at: asked.offset),
            asked.file.index.nodes[node].place?.path == "loops.*.feedback.*.effect",
            let literal = asked.file.index.string(of: node),
            case let parts = literal.text.split(separator: ":", maxSplits: 1).map(String.init),
            parts.count == 2,
            literal.contentOffset(of: asked.offset) > parts[0].utf8.count
        else { return nil }
        let path = ["plugins", parts[0], "declares"]
        for file in asked.project.files {
            guard let node = file.index.node(at: path), let declares = file.index.string(of: node),
                let function = asked.project.model?.plugins[parts[0]]?.declarations?.function(parts[1]),
                function.range.upperBound <= declares.text.utf8.count
            else { continue }
            return Place(file: file, range: declares.range(function.range))
        }
        return nil
    }
}

/// The places where a name is written, in all files of a manifest.
struct ReferenceAnswer {
    typealias Place = DefinitionAnswer.Place

    let places: [Place]

    /// - Parameter hasDeclarations: whether the places of its declarations are among them.
    init(_ asked: AskedPlace, hasDeclarations: Bool) {
        let project = asked.project
        let names = Set(project.use(at: asked.offset, in: asked.file)?.names ?? [])
        let declared = names.flatMap { project.declarations(of: $0) }
        places = project.files.flatMap { file in
            project.uses(in: file).filter { use in
                guard use.names.contains(where: names.contains) else { return false }
                return hasDeclarations || !declared.contains { $0.file === file && $0.range == use.range }
            }.map { Place(file: file, range: $0.range) }
        }
    }
}

/// The change of a name in all files of a manifest.
struct RenameAnswer {
    typealias Place = DefinitionAnswer.Place

    /// The name that changes.
    let name: ManifestName
    /// Where it is written at the place.
    let range: Range<Int>
    private let asked: AskedPlace

    init(_ asked: AskedPlace) throws(ResponseFault) {
        self.asked = asked
        guard let use = asked.project.use(at: asked.offset, in: asked.file), !use.names.isEmpty else {
            throw ResponseFault(.requestFailed, "this is not a name that the manifest declares")
        }
        guard use.names.count == 1 else {
            let owners = use.names.map { "`\($0.owner.last ?? "")`" }.joined(separator: ", ")
            throw ResponseFault(
                .requestFailed, "`\(use.names[0].name)` stands for fields of several events here: \(owners)")
        }
        (name, range) = (use.names[0], use.range)
        guard !asked.project.declarations(of: name).isEmpty else {
            throw ResponseFault(.requestFailed, "the manifest does not declare `\(name.name)`")
        }
    }

    /// The places that get the new name.
    func places(for new: String) throws(ResponseFault) -> [Place] {
        try check(new)
        guard new != name.name else { return [] }
        guard !asked.project.names(beside: name).contains(new) else {
            throw ResponseFault(.requestFailed, "there is a \(name.kind.rawValue) `\(new)` already")
        }
        var places: [Place] = []
        for file in asked.project.files {
            for use in asked.project.uses(in: file) where use.names.contains(name) {
                guard use.names.count == 1 else {
                    let line = file.lines.line(of: use.range.lowerBound) + 1
                    throw ResponseFault(
                        .requestFailed,
                        "`\(name.name)` also stands for a field of another event in \(file.path), line \(line)"
                    )
                }
                places.append(Place(file: file, range: use.range))
            }
        }
        return places
    }

    /// Refuses a name that the host would refuse, or that would mean something else.
    private func check(_ new: String) throws(ResponseFault) {
        guard NameRule.isName(new) else {
            throw ResponseFault(.invalidParameters, "`\(new)` is not a name: \(NameRule.help)")
        }
        let isTaken =
            switch name.kind {
            case .plugin: new == Manifest.standardPluginName
            case .type: Manifest.typeNames.contains(new)
            case .value:
                Manifest.reservedNames.contains(new) || outerValues.contains(new)
                    || asked.project.fields(of: name.owner[1]).contains(new) || !NameRule.isFieldName(new)
            case .field: values(of: name.owner[0]).contains(new) || !NameRule.isFieldName(new)
            case .eventField, .messageField, .constant: !NameRule.isFieldName(new)
            case .loop, .event, .feedback, .gear, .message, .stateCase: false
            }
        guard !isTaken else {
            throw ResponseFault(.invalidParameters, "`\(new)` has a meaning already")
        }
    }

    /// The names for values of a loop and of its transitions.
    private func values(of loop: String) -> [String] {
        let on = asked.project.keys(at: ["loops", loop, "on"]).map { ["on", $0] }
        return ([[]] + on).flatMap { asked.project.keys(at: ["loops", loop] + $0 + ["let"]) }
    }

    /// The names for values of the tables around the one that declares the name.
    private var outerValues: [String] {
        (2..<max(name.owner.count, 2)).flatMap { asked.project.keys(at: name.owner.prefix($0) + ["let"]) }
    }
}
