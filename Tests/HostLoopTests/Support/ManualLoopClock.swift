@_exported import HostLoopTesting

typealias ManualLoopClock = ManualClock
