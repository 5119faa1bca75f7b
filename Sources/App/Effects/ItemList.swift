import Expressions
import Manifest
import Records

/// The list of `trigger = { each = … }`, and the requests of its items in the last state. Used on the loop's
/// executor only.
final class ItemList {
    private let element: ValueType
    private let itemType: RecordType
    /// The list as its only field.
    private var list: Record
    /// The requests of the last state.
    private(set) var last: [ItemRequest] = []

    init(_ item: FeedbackTrigger.Item) {
        element = item.type
        itemType = RecordType([("item", item.type)])
        list = Record(RecordType([("items", .list(item.type))]))
    }

    /// Continues another loop's list with its last requests, as `carried` makes them.
    func succeed(_ other: ItemList, _ variant: DeclaredVariant, _ carried: (RunRequest) -> RunRequest) {
        last = other.last.map {
            ItemRequest(key: $0.key, variant: variant, scope: $0.scope, request: carried($0.request))
        }
    }

    /// The requests of the items in the state that the frame means, which `scope` keeps for the runs.
    ///
    /// An item whose condition has no value has no run.
    /// - Parameter variant: nil in a case of the state without the feedback.
    func requests(
        _ variant: DeclaredVariant?, _ scope: RunScope, _ frame: ExpressionFrame, _ reporter: RunReporter
    ) throws(RunFault) -> [ItemRequest] {
        last = []
        guard let variant, let each = variant.model.each else { return [] }
        var requests: [ItemRequest] = []
        for item in try items(each, frame) {
            // Safe because the item lives as long as the loop's body.
            unsafe frame.bind(.item, to: item.unsafeBase)
            defer { withExtendedLifetime(item) {} }
            do throws(RunFault) {
                guard try variant.holds(frame) else { continue }
            } catch {
                reporter.faulted(error, in: scope.state)
                continue
            }
            var scope = scope
            scope.item = item
            requests.append(
                ItemRequest(
                    key: try ItemKey(each, frame), variant: variant, scope: scope,
                    request: variant.request(frame)))
        }
        last = requests
        return requests
    }

    /// The items of the list that the frame means, each a record with the item as its only field.
    private func items(_ model: EachModel, _ frame: ExpressionFrame) throws(RunFault) -> [Record] {
        do { unsafe try model.items.evaluate(frame.frame, into: list.unsafeMutableBase()) } catch {
            throw RunFault(error, in: model.itemsSource)
        }
        // Safe because a list is a pointer to its elements and their number, and each is a value of the type.
        let first = unsafe list.unsafeBase.load(as: UnsafeRawPointer.self)
        let count = unsafe list.unsafeBase.load(fromByteOffset: 8, as: Int.self)
        return (0..<count).map { index in
            var item = Record(itemType)
            unsafe ValueMemory.assign(
                item.unsafeMutableBase(), from: first + index * element.stride, as: element)
            return item
        }
    }
}

/// The request of one item of a state.
struct ItemRequest: Equatable, Sendable {
    let key: ItemKey
    let variant: DeclaredVariant
    let scope: RunScope
    let request: RunRequest

    static func == (left: ItemRequest, right: ItemRequest) -> Bool {
        left.key == right.key && left.request == right.request
    }
}

/// The value that tells an item from the other items of a state.
struct ItemKey: Hashable, Sendable, CustomStringConvertible {
    private let value: Value

    /// The key of the item that the frame means.
    init(_ model: EachModel, _ frame: ExpressionFrame) throws(RunFault) {
        do { value = try model.key.evaluate(frame.frame) } catch {
            throw RunFault(error, in: model.keySource)
        }
    }

    var description: String { value.json }
}
