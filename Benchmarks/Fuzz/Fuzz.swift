import Foundation
import FuzzTargets

/// Runs one target under libFuzzer, which has the `main` of this program. `SPIN_FUZZ_TARGET` names the
/// target. With `SPIN_FUZZ_SEEDS` the program writes the target's seeds into that folder, and ends.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["SPIN_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("there is no target `\(name)`, but \(FuzzTarget.allCases.map(\.rawValue))")
    }
    return target
}()

@c(LLVMFuzzerInitialize)
func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["SPIN_FUZZ_SEEDS"] else { return 0 }
    do { try target.prepare(in: folder) } catch { fatalError("no seeds in `\(folder)`: \(error)") }
    exit(0)
}

@c(LLVMFuzzerTestOneInput)
func take(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Safe because the driver lends the input for the call.
    unsafe target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
