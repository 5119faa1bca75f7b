"""An app with some ten thousand steps a second: the page answers, and counts each step that it does not show."""

import tempfile
import unittest

from support import HERE, Keys, PageTest


class Fast(PageTest):
    manifest = HERE / "fast.toml"

    def steps(self):
        """The number of steps by the host's counters."""
        return self.driver.execute_script(
            "return Number((/([\\d,]+) steps?\\b(?!\\/)/.exec(document.getElementById('facts').innerText)?.[1] ?? '0').replaceAll(',', ''))")

    def rows(self, kind):
        """The number of rows of a kind in the list."""
        return self.driver.execute_script(
            "return document.querySelector('main row-list').rows.filter(row => row.kind === arguments[0]).length", kind)

    def test_each_step_is_shown_or_counted_and_the_page_answers(self):
        self.driver.execute_script("""
            window.frames_ = []
            let last = performance.now()
            const frame = now => { window.frames_.push(now - last); last = now; requestAnimationFrame(frame) }
            requestAnimationFrame(frame)""")
        self.go("events")
        self.see("left out", "header")
        begin = self.steps()
        self.until(lambda: self.steps() > begin + 40_000, "40,000 further steps")
        for view in ("graph", "timeline", "loops", "events"):
            self.go(view)
            seen = self.steps()
            self.until(lambda: self.steps() > seen, f"further steps in {view}")
        self.keys(" ")
        self.see("❚❚ paused", "header")
        # The rows between two steps that are shown are as many as the gap says: step numbers prove that nothing is missing.
        lost = self.driver.execute_script("""
            const rows = document.querySelector('main row-list').rows
            let [last, gap, wrong] = [null, 0, []]
            for (const { kind, data } of rows) {
                if (kind === 'skipped') gap += data.count
                if (kind !== 'step') continue
                if (last !== null && data.step - last - 1 > gap) wrong.push(`${last} to ${data.step}, ${gap} left out`)
                ;[last, gap] = [data.step, 0]
            }
            return [rows.length, wrong]""")
        self.assertGreater(lost[0], 100)
        self.assertLessEqual(lost[0], 5500)
        self.assertEqual(lost[1], [])
        self.keys(Keys.ARROW_LEFT)
        self.see("State there", ".detail")
        self.see("fast", ".detail details")
        frames = sorted(self.driver.execute_script("return window.frames_"))
        print(f"frames {len(frames)}, median {frames[len(frames) // 2]:.1f} ms, 99 % {frames[int(len(frames) * 0.99)]:.1f} ms, "
              f"longest {frames[-1]:.1f} ms, {self.steps():,} steps")

    def test_a_rare_event_is_found_between_fast_ones(self):
        self.go("events")
        self.see("ticked", "row-list")
        self.one("input[aria-label=Filter]").send_keys("event:rare kind:step", Keys.ENTER)
        self.gone("ticked", "row-list")
        self.see("rare", "row-list")
        self.until(lambda: self.rows("step") >= 5, "five rare events")
        self.assertIn("● live", self.text("header"))


class Burst(PageTest):
    manifest = HERE / "burst.toml"

    def rows(self, kind):
        return self.driver.execute_script(
            "return document.querySelector('main row-list').rows.filter(row => row.kind === arguments[0]).map(row => row.data.step ?? row.data.count)", kind)

    def gap(self, last):
        """The last row that counts what was left out, and stands where steps are missing up to `last`."""
        return self.driver.execute_script("""
            const { rows } = document.querySelector('main row-list')
            const isStep = row => row.kind === 'step'
            return rows.findLast((row, index) => row.kind === 'skipped'
                && (rows.slice(index).find(isStep)?.data.step ?? arguments[0] + 1) - (rows.slice(0, index).findLast(isStep)?.data.step ?? 0) > 1)?.id""", last)

    def test_what_was_left_out_is_loaded(self):
        self.go("events")
        self.app.send("go", steps=3000)
        self.see("3,001 steps", "header")
        self.see("left out", "header")
        self.click("footer button", "Pause")
        # Between some steps only other lines were left out, such as those of runs.
        while (gap := self.gap(3001)) is not None:
            before = len(self.rows("step"))
            self.driver.execute_script("""
                document.querySelector('main row-list').reveal(arguments[0])
                document.querySelector(`#row-${arguments[0]} button`).click()""", gap)
            self.until(lambda: len(self.rows("step")) > before, "further steps")
        self.assertEqual(self.rows("step"), list(range(1, 3002)))


class BurstWithJournal(Burst):
    """With a journal, the lines that the host pushes have no positions."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.arguments = ("--journal", f"{folder.name}/burst.journal")
        super().setUp()


if __name__ == "__main__":
    unittest.main()
