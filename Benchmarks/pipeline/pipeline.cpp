// What examples/pipeline does, by hand: RE2 and getline(3). For rows P1 of docs/performance.md.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <re2/re2.h>
#include <sys/types.h>

int main() {
    const RE2 request("^[^\"]*\"[^\"]*\" ([2-5])[0-9]{2} ([0-9]+|-)");
    int64_t classes[4] = {}, other = 0, bytes = 0;
    char *line = nullptr;
    size_t capacity = 0;
    for (ssize_t size; (size = getline(&line, &capacity, stdin)) >= 0;) {
        if (size > 0 && line[size - 1] == '\n')
            size--;
        re2::StringPiece first, sum;
        if (!RE2::PartialMatch(re2::StringPiece(line, static_cast<size_t>(size)), request, &first, &sum)) {
            other++;
            continue;
        }
        classes[first[0] - '2']++;
        if (sum[0] != '-')
            bytes += strtoll(sum.data(), nullptr, 10);
    }
    free(line);
    printf("2xx %" PRId64 ", 3xx %" PRId64 ", 4xx %" PRId64 ", 5xx %" PRId64 ", other %" PRId64 ", %" PRId64
           " bytes\n",
           classes[0], classes[1], classes[2], classes[3], other, bytes);
}
