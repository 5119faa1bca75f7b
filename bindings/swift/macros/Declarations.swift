/// A function that a macro is attached to.
struct Function {
    struct Parameter {
        /// `_` or the label that a call writes.
        let label: String
        let name: String
        let type: Token
        let typeText: String

        /// The name in C, without the backticks of a keyword.
        var plainName: String { name.filter { $0 != "`" } }
    }

    let doc: String
    /// `public`, `private` and the like.
    let modifiers: [String]
    let name: Token
    var parameters: [Parameter] = []
    var isAsync = false
    var throwsErrors = false
    /// Nil for no result.
    var result: String?
    let end: Token

    init(_ source: String) throws(Fault) {
        var tokens = Tokens(source)
        modifiers = tokens.modifiers()
        doc = tokens.doc(from: 0)
        guard tokens.skip("func") else { throw Fault("it is for a function") }
        name = try tokens.take("a name")
        guard tokens.token?.text == "(" else {
            throw Fault("a function of a plugin is not generic", at: name)
        }
        _ = tokens.skip("(")
        while !tokens.skip(")") {
            let label = try tokens.take("a parameter")
            let second = tokens.token?.text == ":" ? label : try tokens.take("a name")
            try tokens.expect(":")
            let type = tokens.take(until: [",", "=", ")"])
            guard let first = type.first else { throw Fault("a type is expected", at: second) }
            if tokens.skip("=") { _ = tokens.take(until: [",", ")"]) }
            _ = tokens.skip(",")
            parameters.append(
                Parameter(label: label.text, name: second.text, type: first, typeText: type.text))
        }
        isAsync = tokens.skip("async")
        throwsErrors = tokens.skip("throws")
        if tokens.skip("(") {
            _ = tokens.take(until: [")"])
            _ = tokens.skip(")")
        }
        if tokens.skip("-") {
            try tokens.expect(">")
            let type = tokens.take(until: ["{", "where"]).text
            result = type == "Void" || type == "()" ? nil : type
        }
        end = tokens.token ?? name
    }

    /// A call with these arguments.
    func call(_ arguments: [String]) -> String {
        let list = zip(parameters, arguments).map { $0.label == "_" ? $1 : "\($0.label): \($1)" }
        return "\(name.text)(\(list.joined(separator: ", ")))"
    }
}

/// A struct or class that a macro is attached to.
struct Structure {
    struct Field {
        let doc: String
        let name: Token
        let type: Token
        let typeText: String
        /// The tokens of the default; empty without one.
        let value: [Token]
        /// The tokens of `@Limits(LEAST...GREATEST)`; empty without it.
        let limits: [Token]
    }

    let kind: String
    let modifiers: [String]
    let name: Token
    var fields: [Field] = []

    init(_ source: String) throws(Fault) {
        var tokens = Tokens(source)
        modifiers = tokens.modifiers()
        kind = try tokens.take("a struct or a class").text
        name = try tokens.take("a name")
        guard tokens.token?.text != "<" else { throw Fault("it cannot be generic", at: name) }
        guard kind == "struct" else { return }
        _ = tokens.take(until: ["{"])
        try tokens.expect("{")
        while let token = tokens.token, token.text != "}" {
            let start = tokens.next
            var limits: [Token] = []
            while tokens.skip("@") {
                let attribute = try tokens.take("an attribute").text
                guard tokens.skip("(") else { continue }
                let arguments = tokens.take(until: [")"])
                _ = tokens.skip(")")
                if attribute == "Limits" { limits = arguments }
            }
            let modifiers = tokens.modifiers()
            let doc = tokens.doc(from: start)
            guard tokens.skip("var"), !modifiers.contains("static") else {
                throw Fault("the settings are variables with a type: `var rate: Int32 = 9600`", at: token)
            }
            let name = try tokens.take("a name")
            try tokens.expect(":")
            let line = tokens.next
            let type = tokens.take(until: ["=", ";", "}", "var", "let", "@", "{", "public", "private"])
            guard let first = type.first, line < tokens.next else {
                throw Fault("a type is expected", at: name)
            }
            var value: [Token] = []
            if tokens.skip("=") {
                value = tokens.take(until: [";", "}", "var", "let", "@", "public", "private"])
            }
            _ = tokens.skip(";")
            fields.append(
                Field(doc: doc, name: name, type: first, typeText: type.text, value: value, limits: limits))
        }
    }
}
