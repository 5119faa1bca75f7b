// The reference of row T1: a Swift program that loads Foundation and does nothing else.
import Foundation

exit(FileManager.default.currentDirectoryPath.isEmpty ? 1 : 0)
