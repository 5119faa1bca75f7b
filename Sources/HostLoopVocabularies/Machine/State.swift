/// One state of a machine whose states are types: what it carries are the stored properties of the type.
///
/// The type itself is the identity that transitions and feedbacks look at; the original's `id` and
/// `instanceId` are not needed.
public protocol State: Sendable {}
