/// A result builder whose closures list elements. `if`, `switch`, `for` and arrays may stand among them.
public protocol ListBuilder {
    /// The type of the elements.
    associatedtype Element
}

extension ListBuilder {
    /// One element.
    @inlinable
    public static func buildExpression(_ element: Element) -> [Element] { [element] }
    /// Several elements at once.
    @inlinable
    public static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    /// An `if` without `else`.
    @inlinable
    public static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    /// The first branch of an `if` or `switch`.
    @inlinable
    public static func buildEither(first part: [Element]) -> [Element] { part }
    /// Another branch of an `if` or `switch`.
    @inlinable
    public static func buildEither(second part: [Element]) -> [Element] { part }
    /// A `for` loop.
    @inlinable
    public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
    /// An `if #available`.
    @inlinable
    public static func buildLimitedAvailability(_ part: [Element]) -> [Element] { part }
}

/// Gathers the elements that a closure lists into an array, in order; the list may be empty.
@resultBuilder
public enum ArrayBuilder<Element>: ListBuilder {
    /// The whole list.
    public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
}

extension ArrayBuilder where Element == On {
    /// A delayed transition among those on events.
    public static func buildExpression(_ after: After) -> [On] { [after.on] }
}
