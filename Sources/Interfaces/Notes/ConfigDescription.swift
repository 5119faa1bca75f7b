import Diagnostics
public import Records

/// The description of a plugin's settings in its notes (`SPIN_CONFIG`).
public struct ConfigDescription: Hashable, Sendable {
    /// The settings in the order of the struct's members; at least one.
    public let settings: [SettingDescription]
    /// The record type with the layout of the plugin's `spin_config`.
    public let type: RecordType

    /// The setting of that name; nil if there is none.
    public func setting(_ name: String) -> SettingDescription? { settings.first { $0.name == name } }

    /// Reads the note: a prototype whose parameters are the members, then four texts for each member.
    ///
    /// - Throws: `InterfaceError` for a member with an unsupported type, and for an invalid default or range.
    init(_ note: PluginNote, of id: String) throws(InterfaceError) {
        func refused(_ reason: String, _ help: String) -> InterfaceError {
            InterfaceError(.pluginDeclaration, "plugin `\(id)`, settings: \(reason)", help: [help])
        }
        let prototype: CFunction
        do throws(TextFault) {
            prototype = try CFunction(parsing: note[0], types: ["spin_secret": Self.secret])
        } catch {
            throw refused("\(error.message) in `\(note[0])`", Self.typesHelp)
        }
        guard !prototype.parameters.isEmpty else {
            throw refused("`SPIN_CONFIG` declares none", "declare a setting, or remove `SPIN_CONFIG`")
        }
        var settings: [SettingDescription] = []
        for (index, parameter) in prototype.parameters.enumerated() {
            guard let type = Self.type(of: parameter.type) else {
                throw refused(
                    "`\(parameter.name)` is `\(parameter.text)`, a type that a setting cannot have",
                    Self.typesHelp)
            }
            do throws(SettingDescription.Fault) {
                settings.append(
                    try SettingDescription(
                        parameter.name, type, isSecret: parameter.type == Self.secret,
                        rule: note.fields.dropFirst(1 + 4 * index).prefix(4)))
            } catch {
                throw refused(
                    "`\(parameter.name)`: \(error.reason)",
                    "write (type, name, default, doc), or (type, name, default, least, greatest, doc)")
            }
        }
        self.settings = settings
        type = RecordType(settings.map { ($0.name, $0.type) })
    }

    private static let typesHelp =
        "settings are numbers, `bool`, `spin_string`, `spin_secret`, `spin_bytes`, `spin_list_string`, `spin_duration` and `spin_timestamp`"

    /// `spin_secret`, which has the layout of a text. Only settings have this type, so it is no standard type.
    private static let secret = CType.structure(
        CStructure(name: "spin_secret", members: [("text", .string)]))

    /// The value type with the same layout; nil for a type that a setting cannot have.
    private static func type(of type: CType) -> ValueType? {
        switch type {
        case .bool, .integer, .float, .double, .duration, .timestamp, .string, .bytes: type.valueType
        case .value(let value) where value.type == .list(.string): value.type
        case secret: .string
        default: nil
        }
    }
}
