/// What `trigger` of a feedback may be when it is no table.
enum TriggerWord: String, CaseIterable {
    /// When the values of the arguments change.
    case change
    /// On every new state.
    case state
}
