import HostLoop
import Testing

/// What the ready-made observer prints.
@Suite struct ChangePrinterTests {
    private struct Cart: Sendable {
        var items = 0
        var price = 0
    }

    private enum CartEvent: Sendable, Equatable {
        case add
        case keep
        case priced(Int)
        case remove
        case broken
    }

    @Test func eachEventIsPrintedWithWhatItChanges() {
        let printed = Box<[String]>([])
        let reducer = Reducer<Cart, CartEvent> { (cart: inout Cart, event: CartEvent) throws -> Bool in
            switch event {
            case .add: cart.items += 1
            case .keep: break
            case .priced(let price): cart.price = price
            case .remove: return false
            case .broken: throw Counting.Failure()
            }
            return true
        }
        let loop = Spin(
            initialState: Cart(), reducer: reducer,
            feedbacks: [
                .onChange("price", request: { $0.items == 0 ? nil : $0.items }, effect: { .priced($0 * 3) }),
                .onState("check", where: { $0.items == 1 }) { _ throws -> CartEvent? in
                    throw Counting.Failure()
                },
            ], executor: .caller
        ).start(observers: [ChangePrinter("cart") { text in printed.change { $0.append(text) } }])
        for event in [CartEvent.add, .remove, .broken, .keep] { loop.emit(event) }
        loop.stop()
        #expect(
            printed.value == [
                "cart begins with Cart(items: 0, price: 0)",
                "cart 1: .add\n  - items: 0\n  + items: 1",
                "cart: run 1 of `check` failed: Failure(text: \"no\")",
                "cart 2: .priced(3) from run 1 of `price`\n  - price: 0\n  + price: 3",
                "cart: run 2 of `check` failed: Failure(text: \"no\")",
                "cart: .remove is not handled",
                "cart: the reducer failed: Failure(text: \"no\")",
                "cart 3: .keep\n  nothing changed",
                "cart: run 3 of `check` failed: Failure(text: \"no\")",
                "cart has stopped: stopped",
            ])
    }
}
