/// The meaning of each macro.
struct Macro {
    private let name: String
    private let role: String
    private let arguments: Tokens
    private let declaration: String
    private let addsConformance: Bool

    init(_ expansion: Request.Expansion) throws(Fault) {
        name = expansion.macro.typeName
        role = expansion.macroRole
        arguments = Tokens((expansion.syntax ?? expansion.attributeSyntax)?.source ?? "")
        declaration = expansion.declSyntax?.source ?? ""
        addsConformance = expansion.conformanceListSyntax != nil
        guard expansion.lexicalContext?.isEmpty ?? true || name == "Limits" else {
            throw Fault("`@\(name)` is for declarations outside of types and functions")
        }
    }

    /// What takes the place of the use of the macro in its role.
    var source: String {
        get throws(Fault) {
            switch (name, role) {
            case ("Plugin", _): try plugin
            case ("Effect", _):
                try EffectMacro(declaration, name: literal(nil), failsIf: literal("failsIf")).source
            case ("Emitter", "body"): try EmitterMacro(declaration, name: literal(nil)).body
            case ("Emitter", _): try EmitterMacro(declaration, name: literal(nil)).source
            case ("Settings", "peer"): try SettingsMacro(declaration).source
            case ("Settings", "member"): try SettingsMacro(declaration).initializer
            case ("Instance", "peer"): try instance
            case ("Life", "peer"): try life
            case ("Swap", "peer"): try swap
            case (_, "extension") where addsConformance:
                "extension \(try Structure(declaration).name.text): SpinPlugin.\(name) {}"
            default: ""
            }
        }
    }

    /// The string literals among the arguments, with their labels.
    private var literals: [(label: String?, text: String)] {
        arguments.all.indices.filter { arguments.all[$0].text.hasPrefix("\"") }.map { index in
            var text = ""
            var isEscaped = false
            for character in arguments.all[index].text.dropFirst().dropLast() {
                isEscaped = character == "\\" && !isEscaped
                if !isEscaped { text.append(character) }
            }
            let isLabelled = index > 1 && arguments.all[index - 1].text == ":"
            return (isLabelled ? arguments.all[index - 2].text : nil, text)
        }
    }

    private func literal(_ label: String?) -> String? { literals.first { $0.label == label }?.text }

    private var plugin: String {
        get throws(Fault) {
            let texts = literals.map(\.text)
            guard texts.count == 2 else {
                throw Fault("write `#plugin(\"id\", \"version\")` with two literals")
            }
            return Record(name: "spin_plugin", kind: 1, members: [], texts: ["2.0"] + texts, size: 8).source
        }
    }

    /// The class that the macro is attached to.
    private var object: String {
        get throws(Fault) {
            let declared = try Structure(declaration)
            guard declared.kind == "class" else { throw Fault("`@\(name)` is for a class") }
            return declared.name.text
        }
    }

    private var instance: String {
        get throws(Fault) {
            let object = try object
            return Record(
                name: "spin_instance_\(object)", kind: 6,
                members: [
                    (
                        "@convention(c) (OpaquePointer?, UnsafeRawPointer?) -> OpaquePointer?",
                        "{ SpinPlugin.Bridge.create(\(object).self, $0, $1) }"
                    ),
                    (
                        "@convention(c) (OpaquePointer?) -> Void",
                        "{ SpinPlugin.Bridge.destroy(\(object).self, $0) }"
                    ),
                ], texts: ["create", "destroy"], size: 24
            ).source
        }
    }

    private var life: String {
        get throws(Fault) {
            let object = try object
            return Record(
                name: "spin_life_\(object)", kind: 8,
                members: [
                    (
                        "@convention(c) (OpaquePointer?, OpaquePointer?) -> Int32",
                        "{ SpinPlugin.Bridge.start(\(object).self, $0, $1) }"
                    ),
                    (
                        "@convention(c) (OpaquePointer?) -> Void",
                        "{ SpinPlugin.Bridge.stop(\(object).self, $0) }"
                    ),
                ], texts: ["start", "stop"], size: 24
            ).source
        }
    }

    private var swap: String {
        get throws(Fault) {
            let object = try object
            guard let schema = arguments.all.last(where: { $0.text.first?.isNumber == true })?.text else {
                throw Fault("write `@Swap(schema: 1)` with a number")
            }
            return Record(
                name: "spin_swap_\(object)", kind: 9,
                members: [
                    ("UInt32", schema), ("UInt32", "0"),
                    (
                        "@convention(c) (OpaquePointer?, OpaquePointer?, SpinPlugin.Bridge.Saving?) -> Int32",
                        "{ SpinPlugin.Bridge.save(\(object).self, $0, $1, $2) }"
                    ),
                    (
                        "@convention(c) (OpaquePointer?, OpaquePointer?, SpinPlugin.Bridge.SavedPointer?) -> Int32",
                        "{ SpinPlugin.Bridge.restore(\(object).self, $0, $1, $2) }"
                    ),
                ], texts: ["save", "restore", schema], size: 32
            ).source
        }
    }
}
