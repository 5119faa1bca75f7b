public import Diagnostics
public import Expressions

/// What a feedback with `trigger = { each = … }` has its runs for.
public struct EachModel: Sendable {
    /// The list, stored as one of `FeedbackTrigger.Item.type`.
    public let items: Store
    /// The list's expression in its file.
    public let itemsSource: SourceText
    /// What tells the items of one state apart: an expression over `item`, of a scalar type.
    public let key: Expression
    /// The key's expression in its file.
    public let keySource: SourceText

    /// The items of a list, told apart by a key.
    public init(items: Store, itemsSource: SourceText, key: Expression, keySource: SourceText) {
        (self.items, self.itemsSource) = (items, itemsSource)
        (self.key, self.keySource) = (key, keySource)
    }
}
