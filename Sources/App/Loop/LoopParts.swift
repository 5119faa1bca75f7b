import Manifest
import Records

/// What the feedbacks of one running loop share.
struct LoopParts {
    let model: LoopModel
    let config: Record
    /// The messages' types are there.
    let gears: [GearModel]
    /// The gears as they run.
    let runningGears: AppGears
    /// The addresses that expressions read from on the loop's executor.
    let frame: ExpressionFrame
    /// Memory for events that are emitted there.
    let pool: EventPool
    /// Emissions that nobody wants.
    let drops: DropCount
}
