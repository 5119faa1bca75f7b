import Records

/// The variable of a macro. It holds one element after the other.
struct Local: Sendable {
    /// The content that its slot of the frame points to.
    enum Content: Sendable {
        /// An element in memory.
        case stored(ValueType)
        /// A `Value` of Swift.
        case boxed(ExpressionType)
    }

    let name: String
    let slot: Int
    let content: Content

    /// The type of the element.
    var type: ExpressionType {
        switch content {
        case .stored(let type): ExpressionType(type)
        case .boxed(let type): type
        }
    }

    /// Compiles a use of the variable.
    func term(_ syntax: Syntax) -> Term {
        let address = FieldAddress(slot: slot, offset: 0)
        switch content {
        case .stored(let type): return Term(.fixed(address), type, syntax)
        case .boxed(let type):
            return Term(
                type: type, code: Code(unboxing: .field(address), as: type, at: syntax.range), syntax: syntax)
        }
    }
}
