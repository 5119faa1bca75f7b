public import Diagnostics
public import Expressions

/// The list of a feedback with `trigger = { each = … }`, which has one run for each item.
public struct EachModel: Sendable {
    /// Computes the list and stores it as a list of `FeedbackTrigger.Item.type`.
    public let items: Store
    /// The list's expression in its file.
    public let itemsSource: SourceText
    /// The key of an item, which is unique among the items of one state: an expression over `item`, of a
    /// scalar type.
    public let key: Expression
    /// The key's expression in its file.
    public let keySource: SourceText

    /// The items of a list, identified by a key.
    public init(items: Store, itemsSource: SourceText, key: Expression, keySource: SourceText) {
        (self.items, self.itemsSource) = (items, itemsSource)
        (self.key, self.keySource) = (key, keySource)
    }
}
