# What examples/pipeline does, in one loop over the standard input. For row P2 of docs/performance.md.
import re
import sys

request = re.compile(r'^[^"]*"[^"]*" ([2-5])[0-9]{2} ([0-9]+|-)')
classes = {"2": 0, "3": 0, "4": 0, "5": 0}
other = size = 0
for line in sys.stdin:
    match = request.match(line)
    if match is None:
        other += 1
        continue
    first, sent = match.groups()
    classes[first] += 1
    if sent != "-":
        size += int(sent)
print("2xx %d, 3xx %d, 4xx %d, 5xx %d, other %d, %d bytes" % (*classes.values(), other, size))
