/// What a view model holds and its views show: a value, compared to see whether there is anything to render.
///
/// The original library gives every state an `==` that is always false, so that its views are rendered for
/// equal states too unless the program writes its own. Here `==` is the state's, synthesised or written.
public protocol ViewState: Equatable, Sendable {}
