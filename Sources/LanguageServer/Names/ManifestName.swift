/// A name that a manifest declares, and that other places of it use.
struct ManifestName: Hashable, Sendable {
    enum Kind: String, Sendable {
        case loop, event, feedback, plugin, type, constant, gear, message
        case stateCase = "case"
        /// A field of a state, in all of its cases.
        case field
        case eventField = "field of an event"
        case messageField = "field of a message"
        /// A name for a value, in `let`.
        case value
    }

    let kind: Kind
    /// What has the name: the loop; the loop and the event; the gear; the gear and the message; the path of the table
    /// with `let`.
    let owner: [String]
    let name: String

    init(_ kind: Kind, _ name: String, of owner: [String] = []) {
        (self.kind, self.name, self.owner) = (kind, name, owner)
    }

    /// The paths where it may be declared. A `*` stands for any key.
    var places: [[String]] {
        switch kind {
        case .loop: [["loops", name]]
        case .plugin: [["plugins", name]]
        case .type: [["types", name]]
        case .constant: [["config", name]]
        case .gear: [["gears", name]]
        case .message: [["gears", owner[0], "messages", name]]
        case .messageField: [["gears", owner[0], "messages", owner[1], name]]
        case .event: [["loops", owner[0], "events", name]]
        case .eventField: [["loops", owner[0], "events", owner[1], name]]
        case .feedback:
            [["loops", owner[0], "feedback", name], ["loops", owner[0], "in", "*", "feedback", name]]
        case .stateCase: [["loops", owner[0], "states", name]]
        case .field:
            ["state", "shared"].map { ["loops", owner[0], $0, name] } + [
                ["loops", owner[0], "states", "*", name]
            ]
        case .value: [owner + ["let", name]]
        }
    }
}

/// A place where names of the manifest are written.
struct NameUse: Sendable {
    /// One name, or those of several events or cases that the place stands for.
    let names: [ManifestName]
    /// Its range in the file, in UTF-8 offsets.
    let range: Range<Int>

    init(_ names: [ManifestName], _ range: Range<Int>) { (self.names, self.range) = (names, range) }
}
