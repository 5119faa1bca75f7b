import Expressions
import Manifest
import Records

/// Evaluates the list of `trigger = { each = … }`. Used on the loop's executor only.
final class ItemList {
    private let element: ValueType
    private let itemType: RecordType
    /// The list as its only field.
    private var list: Record

    init(_ item: FeedbackTrigger.Item) {
        element = item.type
        itemType = RecordType([("item", item.type)])
        list = Record(RecordType([("items", .list(item.type))]))
    }

    /// The items of the list that the frame means, each a record with the item as its only field.
    func items(_ model: EachModel, _ frame: ExpressionFrame) throws(RunFault) -> [Record] {
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
