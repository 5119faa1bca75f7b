/// A message of the compiler. It has one of these members.
struct Request: Decodable {
    struct Nothing: Decodable {}
    var getCapability: Nothing?
    var expandFreestandingMacro: Expansion?
    var expandAttachedMacro: Expansion?

    /// A use of a macro.
    struct Expansion: Decodable {
        struct Macro: Decodable { var typeName: String }
        struct Syntax: Decodable {
            struct Location: Decodable {
                var fileName: String
                var offset: Int
            }
            var source: String
            var location: Location?
        }
        var macro: Macro
        var macroRole: String
        /// `#plugin(…)`.
        var syntax: Syntax?
        /// `@Effect(…)`.
        var attributeSyntax: Syntax?
        /// The declaration after it.
        var declSyntax: Syntax?
        /// The types around it, from the inside.
        var lexicalContext: [Nothing]?
        /// The protocols that an extension must add.
        var conformanceListSyntax: Syntax?
    }

    var answer: Answer {
        if getCapability != nil { return Answer(getCapabilityResult: Answer.Capabilities()) }
        guard let expansion = expandFreestandingMacro ?? expandAttachedMacro else {
            return Answer(expandMacroResult: Answer.Result(expandedSource: "", diagnostics: []))
        }
        do throws(Fault) {
            let source = try Macro(expansion).source
            return Answer(expandMacroResult: Answer.Result(expandedSource: source, diagnostics: []))
        } catch {
            let place = (expansion.declSyntax ?? expansion.syntax)?.location
            // Each macro has several roles, and the fault is the same in all of them.
            let diagnostic = Answer.Diagnostic(
                message: error.message,
                position: Answer.Position(
                    fileName: place?.fileName ?? "", offset: (place?.offset ?? 0) + error.offset))
            return Answer(
                expandMacroResult: Answer.Result(
                    expandedSource: expansion.macroRole == "body" ? "{ fatalError() }" : "",
                    diagnostics: expansion.macroRole == "peer" || expansion.declSyntax == nil
                        ? [diagnostic] : [])
            )
        }
    }
}

/// What the compiler gets for a message. It has one of these members.
struct Answer: Encodable {
    var getCapabilityResult: Capabilities?
    var expandMacroResult: Result?

    struct Capabilities: Encodable {
        struct Capability: Encodable { var protocolVersion = 7 }
        var capability = Capability()
    }

    struct Result: Encodable {
        var expandedSource: String
        var diagnostics: [Diagnostic]
    }

    struct Position: Encodable {
        var fileName: String
        /// In bytes of UTF-8.
        var offset: Int
    }

    struct Diagnostic: Encodable {
        var message: String
        var severity = "error"
        var position: Position
        var highlights: [String] = []
        var notes: [String] = []
        var fixIts: [String] = []
    }
}

/// A use of a macro that has no meaning.
struct Fault: Error {
    let message: String
    /// From the start of the syntax, in bytes of UTF-8.
    var offset = 0

    init(_ message: String, at token: Token? = nil) {
        self.message = message
        offset = token?.offset ?? 0
    }
}
