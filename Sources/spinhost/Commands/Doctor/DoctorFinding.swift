import Records

/// What `spinhost doctor` has found out about one thing that spinhost uses.
struct DoctorFinding: Equatable {
    /// Whether the thing can be used.
    enum Status: String {
        case ok
        case missing
        /// It is there, and a part of it is missing that a newer version has.
        case old
    }

    /// What mends it.
    enum Remedy: Equatable {
        /// A line to type.
        case command(String)
        /// A sentence that says what to do.
        case advice(String)
    }

    /// The thing, for people: `C compiler`.
    let name: String
    let status: Status
    /// What was found, such as a version, or what is missing and why that matters.
    let text: String
    /// Nil if it is in order.
    var remedy: Remedy?
    /// Whether no app runs without it.
    var isRequired = false

    /// Whether no app runs because of it.
    var isFatal: Bool { isRequired && status != .ok }

    /// `missing  Ninja: CMake builds plugins with it; type: apt install ninja-build`
    var line: String {
        let word = isFatal ? "FAIL" : status.rawValue
        let end =
            switch remedy {
            case nil: ""
            case .command(let command): "; type: \(command)"
            case .advice(let advice): "; \(advice)"
            }
        return word + String(repeating: " ", count: 9 - word.count) + "\(name): \(text)\(end)"
    }

    /// The same for programs, without empty keys.
    var json: Value {
        var fields: [(String, Value)] = [
            ("name", .string(name)), ("status", .string(status.rawValue)), ("required", .bool(isRequired)),
            ("text", .string(text)),
        ]
        switch remedy {
        case nil: break
        case .command(let command): fields.append(("command", .string(command)))
        case .advice(let advice): fields.append(("advice", .string(advice)))
        }
        return .record(fields)
    }
}
