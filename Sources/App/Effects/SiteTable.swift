import Manifest
import Records

/// The variants of a feedback in one running loop, found by the event and the state that they are for.
struct SiteTable<Site: AnyObject> {
    /// The one site for every state and event.
    let only: Site?
    private let events: [Int]
    /// How many cases the state has; 1 when it has none.
    private let width: Int
    private let hasCases: Bool
    /// For each event, or once without, the site for each case.
    private let sites: [Site?]

    init(_ model: FeedbackModel, of loop: LoopModel, _ site: (FeedbackVariant) -> Site) {
        let events = model.trigger.events
        let width = max(1, loop.stateType.cases.count)
        var sites = [Site?](repeating: nil, count: max(1, events.count) * width)
        var only: Site?
        for variant in model.variants {
            let row = variant.event.flatMap(events.firstIndex) ?? 0
            let made = site(variant)
            let columns = variant.case.map { $0..<$0 + 1 } ?? 0..<width
            for column in columns { sites[row * width + column] = made }
            if events.isEmpty, variant.case == nil { only = made }
        }
        (self.only, self.events, self.width, self.sites) = (only, events, width, sites)
        hasCases = !loop.stateType.cases.isEmpty
    }

    /// Each site once.
    func forEach(_ body: (Site) -> Void) {
        var seen: Set<ObjectIdentifier> = []
        for site in sites { if let site, seen.insert(ObjectIdentifier(site)).inserted { body(site) } }
    }

    /// The variant for a state, and for the event that made it; nil when the feedback does not run for these.
    @inline(__always)
    func site(_ state: Record, _ event: AppEvent? = nil) -> Site? {
        if let only { return only }
        var row = 0
        if !events.isEmpty {
            guard let event, let found = events.firstIndex(of: event.index) else { return nil }
            row = found
        }
        guard hasCases else { return sites[row] }
        return state.caseIndex.flatMap { sites[row * width + $0] }
    }
}

extension SiteTable: Sendable where Site: Sendable {}
