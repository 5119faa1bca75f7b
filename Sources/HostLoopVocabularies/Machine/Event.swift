/// One event of a machine whose events are types: what it carries are the stored properties of the type.
///
/// The type itself is the identity that transitions look at.
public protocol Event: Sendable {}
