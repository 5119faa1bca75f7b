/// The feedbacks that the last step concerns, by their places in the spin, in ascending order.
///
/// The loop asks only these feedbacks after a step. Each of the others must answer for the new state as it answered
/// before. The reducer sets the places in each step that makes a new state. `Loop.perform` must not be used on a loop
/// with a selection.
// Safe because only the thread that drains the loop touches it, or the one executor of all loops that share it.
@usableFromInline
package final class FeedbackSelection: @unchecked Sendable {
    // Safe because one thread at a time uses it.
    @usableFromInline @safe @exclusivity(unchecked) package var feedbacks: [Int32] = []

    package init() {}
}
