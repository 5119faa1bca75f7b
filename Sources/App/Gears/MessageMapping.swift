import HostLoop
import Manifest
import Records

/// A message that a feedback sends, prepared. Used from any thread.
// Safe because it never changes, and all reads go through the given frame.
final class MessageMapping: @unchecked Sendable {
    private let model: MessageModel
    private let type: RecordType
    private let writer: RecordWriter

    init(_ model: MessageModel, of gears: [GearModel]) {
        (self.model, type) = (model, gears[model.gear].messages[model.message].type)
        writer = RecordWriter(model.assignments)
    }

    /// The message, or nil when its condition does not hold.
    func message(_ frame: ExpressionFrame) throws(RunFault) -> AppMessage? {
        if let condition = model.condition, !(try condition.holds(frame)) { return nil }
        var payload = Record(type)
        // Safe because the payload was made here, with every field initialised.
        unsafe try writer.write(frame, into: payload.unsafeMutableBase())
        return AppMessage(gear: model.gear, message: model.message, payload: payload)
    }
}
