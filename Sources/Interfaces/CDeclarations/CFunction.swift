public import Diagnostics

/// The declaration of a library's function.
public struct CFunction: Hashable, Sendable {
    /// The symbol's name.
    public let name: String
    /// The type of its result.
    public let result: CType
    /// The parameters in order; their names are unique.
    public let parameters: [CParameter]
    /// The declaration's range in the parsed text, in UTF-8 offsets.
    public let range: Range<Int>
    /// The declaration as written, without comments and with single spaces: `int statvfs(const char *path,
    /// …)`.
    public let text: String

    init(name: String, result: CType, parameters: [CParameter], range: Range<Int>, text: String) {
        (self.name, self.result, self.parameters) = (name, result, parameters)
        (self.range, self.text) = (range, text)
    }

    /// Parses one prototype, such as `double hypot(double x, double y)`; the `;` at the end is optional.
    ///
    /// It may use the standard typedefs and those of `spinhost/plugin.h`, but no structures.
    ///
    /// - Parameter types: more types by their names.
    /// - Throws: the first fault of the text. A text that does not declare exactly one function has a fault.
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

    /// A function that a call and an instance are passed to.
    static let listening = {
        guard let function = try? CFunction(parsing: "void listen(spin_call *call, spin_self *self)") else {
            preconditionFailure("the declaration is right")
        }
        return function
    }()

    /// True if the first parameter is `spin_call *`. Such a function may emit, and may end its call after it
    /// has returned.
    public var isEmitting: Bool { parameters.first?.type.isCall ?? false }

    /// True if it takes `spin_self *`, first or after `spin_call *`: the plugin's instance, which the host
    /// passes.
    public var takesInstance: Bool {
        parameters.dropFirst(isEmitting ? 1 : 0).first?.type.isInstance ?? false
    }

    /// The number of parameters that the host fills itself: `spin_call *` and `spin_self *`.
    public var hostParameters: Int { (isEmitting ? 1 : 0) + (takesInstance ? 1 : 0) }

    /// The other parameters, which the caller gives arguments for.
    public var ownParameters: [CParameter] { Array(parameters.dropFirst(hostParameters)) }
}
