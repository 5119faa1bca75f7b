/// The values of a feedback's `trigger` that are not a table.
enum TriggerWord: String, CaseIterable {
    /// The feedback runs when the values of its arguments change.
    case change
    /// The feedback runs on every new state.
    case state
}
