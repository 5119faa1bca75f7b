import Glibc
import Inspector

// A client that has gone must not end the program.
signal(SIGPIPE, SIG_IGN)
Program.run(Array(CommandLine.arguments.dropFirst()))
