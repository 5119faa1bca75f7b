/// Gathers the declarations in a closure into an array; `if`, `switch`, `for` and arrays may stand among them.
@resultBuilder
public enum ArrayBuilder<Element> {
    /// One declaration.
    public static func buildExpression(_ element: Element) -> [Element] { [element] }
    /// Several declarations at once.
    public static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    /// A closure's declarations, in order; none is fine.
    public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
    /// An `if` without `else`.
    public static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    /// The first branch of an `if` or `switch`.
    public static func buildEither(first part: [Element]) -> [Element] { part }
    /// Another branch of an `if` or `switch`.
    public static func buildEither(second part: [Element]) -> [Element] { part }
    /// A `for` loop.
    public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
    /// An `if #available`.
    public static func buildLimitedAvailability(_ part: [Element]) -> [Element] { part }
}

extension ArrayBuilder where Element == On {
    /// A delayed transition among those on events.
    public static func buildExpression(_ after: After) -> [On] { [after.on] }
}
