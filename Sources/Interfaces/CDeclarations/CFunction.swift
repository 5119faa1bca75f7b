public import Diagnostics

/// A function that a library offers, as its declaration says.
public struct CFunction: Hashable, Sendable {
    /// The symbol's name.
    public let name: String
    /// What it returns.
    public let result: CType
    /// The parameters in order; their names are all different.
    public let parameters: [CParameter]
    /// Where the declaration stands in the parsed text, as UTF-8 offsets.
    public let range: Range<Int>
    /// The declaration as it was written, without comments, white space collapsed: `int statvfs(const char *path, …)`.
    public let text: String

    init(name: String, result: CType, parameters: [CParameter], range: Range<Int>, text: String) {
        (self.name, self.result, self.parameters) = (name, result, parameters)
        (self.range, self.text) = (range, text)
    }

    /// Parses one prototype, such as `double hypot(double x, double y)`; a `;` at the end may be left out.
    ///
    /// The standard typedefs and those of `spinhost/plugin.h` are known, no structures.
    ///
    /// - Parameter types: further types by their names.
    /// - Throws: the first fault of the text, also when it declares something else or more than one function.
    public init(parsing text: String, types: [String: CType] = [:]) throws(TextFault) {
        var parser = CParser(text, endsImplicitly: true)
        parser.typedefs.merge(types) { known, _ in known }
        parser.parse()
        if let fault = parser.faults.first { throw fault }
        guard let function = parser.functions.first, parser.functions.count == 1, parser.structures.isEmpty,
            parser.enumerations.isEmpty
        else {
            throw TextFault(
                .declarationSyntax, "expected one function", at: 0..<text.utf8.count,
                help: ["write its declaration, for example `double hypot(double x, double y)`"])
        }
        self = function
    }

    /// True when the first parameter is `spin_call *`: the function may emit, and be done later than it returns.
    public var isEmitting: Bool { parameters.first?.type.isCall ?? false }

    /// True when it takes `spin_self *`, first or after `spin_call *`: the plugin's instance, which the host passes.
    public var takesInstance: Bool {
        parameters.dropFirst(isEmitting ? 1 : 0).first?.type.isInstance ?? false
    }

    /// How many parameters the host gives a value of its own: `spin_call *` and `spin_self *`.
    public var hostParameters: Int { (isEmitting ? 1 : 0) + (takesInstance ? 1 : 0) }
}
