import Manifest
import Records

/// What the feedbacks of one running loop share.
struct LoopContext {
    let model: LoopModel
    let config: Record
    /// The types of the messages.
    let gears: [GearModel]
    /// The gears of the running app.
    let runningGears: AppGears
    /// The addresses that expressions read from on the loop's executor.
    let frame: ExpressionFrame
    /// Memory for events that are emitted there.
    let pool: EventPool
    /// Emissions that nothing receives.
    let drops: DropCount
}
