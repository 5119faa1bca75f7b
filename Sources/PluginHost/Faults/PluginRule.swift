/// A rule of `plugin.h` that a plugin can break, and that the host checks and answers.
enum PluginRule: String, CaseIterable, Error {
    case emissionAfterEnd = "it emitted after the call was over: nobody sees that event"
    case secondEnd = "it ended a call twice, with `spin_finish` or `spin_fail`: the second one does nothing"
    case requestAfterEnd =
        "it asked for a timer, a poll, `spin_on_cancel` or `spin_on_room` after the call was over: it gets none"
    case waitOnLoop =
        "it called `spin_emit_wait` on the executor of a loop, which alone could make room: use `spin_emit` there"
    case waitInTimer =
        "it called `spin_emit_wait` in the function of a timer, which must not block: use `spin_emit` there"
    case secondCancellation = "it called `spin_on_cancel` twice for one call: only the first function counts"
    case secondRoom =
        "it called `spin_on_room` again before the function of its last call was called: only that one counts"
    case badPoll =
        "it asked for a poll with unknown events, or of a descriptor that is closed, a file, or polled already"
    case badBuffer = "it named bytes that are neither from `spin_buffer_alloc` nor an argument of the call"
    case noFunction = "it gave a null pointer for a function that the host should call"
    case badPlace = "it gave a place for an answer that it cannot write to itself: it gets no answer"
    case negativeTime = "it asked for a timer with a negative time"
    case keyAfterEnd = "it asked for the key of a call after the call was over: it gets none"
    case noRoomForKey = "it gave too little room for a key, or a null pointer: it gets none"
    case callbackAfterEnd =
        "it called a callback after the call that it was for had ended: nobody answers it"
    case noTable = "it published a table that is null, without size, or not in its memory"
    case nameTaken =
        "it published a name that is published already: each name has one publisher, and one table"
    case badName = "it named a table with a text that is not UTF-8, null, empty, or longer than 128 bytes"
    case noPlaceForTable = "it acquired a table without a place to store it, or its use"
    case ownTable = "it acquired its own table: a use by the publisher itself would hold up its swaps"
    case strangeUse = "it released a use of a table twice, or one that is not its own"
    case useLeft = "it was swapped while it used the table of another plugin: the host has ended the use"
    case badText = "it handed over a text that is not UTF-8, null, or too long: the text is not used"
    case badField =
        "it gave a log line a field without a valid name or value: the line is written without the field"
    case repeatedField = "it gave a log line two fields of one name: the line is written with the first one"
    case tooManyFields = "it gave a log line more than 32 fields: the line is written with the first 32"
    case badMetricName = "it registered a metric with a name or help that is not valid: it gets none"
    case badLabel = "it registered a metric with labels that are not valid: it gets none"
    case badBounds = "it registered a histogram with bounds that are not valid: it gets none"
    case otherMetric =
        "it registered a metric of another kind, or with other bounds, than that name has: it gets none"
    case tooManyMetrics = "it registered more metrics than the host has room for: it gets none"
    case unknownMetric = "it changed a metric that it has not registered"
    case wrongMetric = "it changed a metric in a way that its kind does not have: the metric keeps its value"
    case badAmount =
        "it added a value that is not finite to a metric, or a negative one to a counter: the metric keeps its value"
}
