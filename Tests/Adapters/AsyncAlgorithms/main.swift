import AsyncAlgorithms
import HostLoop
import HostLoopFlow

let commands = AsyncChannel<Int>()
let sum = Spin<Int, Int>(
    initialState: 0, reducer: Reducer { $0 + $1 },
    feedbacks: [.always("commands", source: { .from(merge(commands, [1, 2].async)) })],
    until: { $0 >= 103 })

async let states = Array(sum.states)
await commands.send(100)
print(await states.count, "states, and then", await states.last ?? 0)

let counter = Spin<Int, Int>(
    initialState: 1, reducer: Reducer { $0 * $1 }, feedbacks: [.onState(flow: { _ in .just(2) })],
    until: { $0 >= 16 })
for await (before, after) in counter.states.adjacentPairs() { print(before, "→", after) }
