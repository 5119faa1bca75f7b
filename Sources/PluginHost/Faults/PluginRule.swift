/// A rule of `plugin.h` that a plugin can break, and that the host checks and answers.
enum PluginRule: String, CaseIterable {
    case emissionAfterEnd = "it emitted after the call was over: nobody sees that event"
    case secondEnd = "it ended a call twice, with `spin_finish` or `spin_fail`: the second one does nothing"
    case requestAfterEnd =
        "it asked for a timer or for `spin_on_cancel` after the call was over: it gets neither"
    case waitOnLoop =
        "it called `spin_emit_wait` on the executor of a loop, which alone could make room: use `spin_emit` there"
    case waitInTimer =
        "it called `spin_emit_wait` in the function of a timer, which must not block: use `spin_emit` there"
    case secondCancellation = "it called `spin_on_cancel` twice for one call: only the first function counts"
    case noFunction = "it gave a null pointer for a function that the host should call"
    case negativeTime = "it asked for a timer with a negative time"
    case badText = "it handed over a text that is not UTF-8, null, or too long: the text is not used"
}
