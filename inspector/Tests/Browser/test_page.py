"""The page as a whole: keys, sizes, names, contrast, hostile texts, and hosts that end."""

import os
import signal
import unittest

from support import App, By, Keys, PageTest, browser, look

VIEWS = ["loops", "events", "graph", "timeline", "gears", "plugins", "time", "log", "send"]

# Each element that takes the focus, and is visible, in the order of the page.
FOCUSABLE = """
    return [...document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex="0"]')]
        .filter(element => !element.disabled && element.checkVisibility({ visibilityProperty: true })
            && element.getClientRects().length && !element.closest('row-list .row'))"""

# The texts whose contrast with what is behind them is below 4.5.
CONTRAST = """
    const parse = text => (text.match(/[\\d.]+/g) ?? []).map(Number)
    const light = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
    const mix = (top, below) => top.slice(0, 3).map((c, i) => c * (top[3] ?? 1) + below[i] * (1 - (top[3] ?? 1)))
    const behind = element => {
        const rect = element.closest('g')?.querySelector(':scope > rect')
        if (element instanceof SVGElement && rect) return parse(getComputedStyle(rect).fill)
        for (let at = element; at; at = at.parentElement) {
            const color = parse(getComputedStyle(at).backgroundColor)
            if (color.length === 3 || color[3] > 0) return color[3] < 1 ? mix(color, behind(at.parentElement)) : color
        }
        return [255, 255, 255]
    }
    const poor = []
    for (const element of document.querySelectorAll('body *')) {
        const has = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())
        if (!has || element.disabled || !element.checkVisibility({ visibilityProperty: true }) || element.closest('.skip,.says,noscript,option')) continue
        const style = getComputedStyle(element)
        let opacity = 1
        for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity)
        const back = behind(element)
        const front = mix([...parse(element instanceof SVGElement ? style.fill : style.color).slice(0, 3), opacity], back)
        const [a, b] = [light(front), light(back)].sort((x, y) => y - x)
        const ratio = (a + 0.05) / (b + 0.05)
        if (ratio < 4.5) poor.push(`${element.tagName} ${element.className.baseVal ?? element.className} "${element.textContent.trim().slice(0, 30)}": ${ratio.toFixed(2)}`)
    }
    return poor"""


class Page(PageTest):
    write = True

    def views(self):
        """Opens each view with a row chosen, and yields its name."""
        self.fill()
        self.go("events")
        self.see("a long text", "row-list")
        self.one("row-list .row", "broke").click()
        self.see("State there", ".detail")
        for view in VIEWS:
            self.go(view)
            self.until(lambda: self.driver.execute_script("return document.querySelector('main').innerText.trim() !== ''"), view)
            yield view

    def test_no_view_scrolls_sideways_on_a_small_screen(self):
        for width in (360, 400, 800, 1400):
            look(self.driver, width, 740)
            for view in self.views():
                wide = self.driver.execute_script("return document.documentElement.scrollWidth")
                self.assertLessEqual(wide, width, f"{view} at {width} px")
            self.click("footer button", "Live")

    def test_texts_have_enough_contrast_in_both_schemes(self):
        for dark in (False, True):
            look(self.driver, 1400, 900, dark)
            background = self.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
            self.assertEqual(background, "rgb(21, 24, 27)" if dark else "rgb(247, 247, 245)")
            for view in self.views():
                self.assertEqual(self.driver.execute_script(CONTRAST), [], f"{view}, dark: {dark}")
            self.click("footer button", "Live")

    def test_each_control_has_a_name(self):
        def nameless():
            controls = self.driver.execute_script(FOCUSABLE)
            return [control.get_attribute("outerHTML")[:200] for control in controls if not control.accessible_name.strip()]

        for view in self.views():
            # Rows may be replaced while they are asked.
            self.until(lambda: nameless() == [], f"a name for each control of {view}")
        self.assertEqual(len(self.all("main")), 1)
        self.assertEqual(self.driver.execute_script("return document.documentElement.lang"), "en")

    def test_the_focus_goes_through_all_controls_in_order_and_is_visible(self):
        self.driver.execute_script("""
            window.visited = []
            document.addEventListener('focusin', ({ target }) => window.visited.push(target))""")
        for view in self.views():
            self.gone("asking", "main")
            self.driver.execute_script(f"""
                const [first] = (() => {{ {FOCUSABLE} }})()
                first.focus()
                window.visited = [first]
                window.invisible = []""")
            # A view may get controls meanwhile, so their number says nothing. After the last one comes the body.
            for _ in range(500):
                self.keys(Keys.TAB)
                if not self.driver.execute_script("""
                        const at = document.activeElement
                        if (at === document.body) return false
                        if (getComputedStyle(at).outlineStyle === 'none') window.invisible.push(at.outerHTML.slice(0, 200))
                        return true"""):
                    break
            invisible, missing, order = self.driver.execute_script(f"""
                const wanted = (() => {{ {FOCUSABLE} }})()
                const all = [...document.querySelectorAll('*')]
                const visited = window.visited.filter(element => element.isConnected)
                return [window.invisible, wanted.filter(element => !visited.includes(element)).map(element => element.outerHTML.slice(0, 200)),
                    visited.map(element => all.indexOf(element))]""")
            self.assertEqual(invisible, [], f"{view}: no visible focus")
            last = self.driver.execute_script("return window.visited.at(-1)?.outerHTML.slice(0, 200)")
            self.assertEqual(missing, [], f"{view}: not reached by Tab, which came to {last}")
            # A browser may also stop at what scrolls. All come in the order of the page.
            self.assertEqual(order, sorted(order), view)

    def test_all_can_be_done_by_keys(self):
        self.fill()
        self.keys("g", "e")
        self.see("EVENTS", "main")
        self.see("a long text", "row-list")
        self.keys("/")
        self.until(lambda: self.focus() == "Filter", "the focus in the filter")
        self.keys("event:broke", Keys.ENTER)
        self.gone("pushed", "row-list")
        self.keys(Keys.ESCAPE)
        self.see("pushed", "row-list")
        self.until(lambda: self.focus() == "Events", "the focus in the list")
        self.keys(Keys.ARROW_UP)
        self.see("❚❚ paused", "header")
        self.keys(Keys.HOME)
        self.see("#1", ".detail h2")
        self.keys(Keys.ARROW_RIGHT)
        self.gone("door #1", ".detail h2")
        self.keys(Keys.ARROW_LEFT)
        self.see("door #1", ".detail h2")
        self.keys(" ")
        self.see("● live", "header")
        self.keys("?")
        self.see("another row in a list", "dialog")
        self.keys(Keys.ESCAPE)
        self.until(lambda: not self.all("dialog"), "no dialog")
        for key, title in (("l", "LOOPS"), ("g", "GRAPH"), ("t", "TIMELINE"), ("m", "GEARS"), ("p", "PLUGINS"), ("d", "FORK"), ("o", "LOG"), ("s", "SEND")):
            self.keys("g", key)
            self.see(title, "main")
        self.keys("g", "g")
        self.driver.execute_script("document.querySelector('.node.feedback').focus()")
        self.keys(Keys.ENTER)
        self.see("feedback of door", ".detail")

    def test_the_focus_stays_at_the_link_of_a_view_and_the_view_stays_when_skipped_to(self):
        self.driver.execute_script("document.querySelector('nav a[href=\"#/events\"]').focus()")
        self.keys(Keys.ENTER)
        self.see("EVENTS", "main h2")
        self.assertEqual(self.focus(), "Events")
        self.assertEqual(self.one("nav a[aria-current]").text, "Events")
        self.driver.execute_script("document.querySelector('.skip').focus()")
        self.keys(Keys.ENTER)
        self.until(lambda: self.driver.execute_script("return document.activeElement.id") == "view", "the focus in the view")
        self.keys("g", "p")
        self.see("PLUGINS", "main h2")
        self.driver.back()
        self.driver.back()
        self.until(lambda: self.driver.execute_script("return location.hash") == "#/events", "the hash of before")
        self.see("EVENTS", "main h2")

    def test_texts_of_a_state_never_become_elements(self):
        hostile = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>\u202e{{nonce}}"
        self.app.send("wrote", text=hostile)
        self.app.send("pushed", by=hostile, times=1)
        for view in VIEWS:
            self.go(view)
            self.until(lambda: self.text("main").strip(), view)
            self.assertEqual(self.all("main img, main script"), [], view)
        self.go("events")
        self.one("row-list .row", "pushed").click()
        self.see("State there", ".detail")
        self.see("onerror", ".detail")
        self.assertEqual(self.all("main img, main script"), [])
        self.assertEqual(self.driver.title, "door · spinhost")

    def test_two_pages_show_the_same_app(self):
        other = browser()
        self.addCleanup(other.quit)
        other.get(self.app.url)
        self.go("events")
        self.app.send("pushed", by="Ada", times=3)
        self.see("pushed", "row-list")
        mine, self.driver = self.driver, other
        try:
            self.go("events")
            self.see("pushed", "row-list")
            self.assertEqual(self.console(), [])
        finally:
            self.driver = mine

    def test_a_host_that_ends_and_comes_back(self):
        self.go("events")
        self.app.send("pushed", by="Ada", times=3)
        self.see("rang", "row-list")
        self.app.end_host()
        self.see("No host", "#banner")
        self.see("✕ no host", "header")
        self.see("the host has gone", "row-list")
        self.see('by: "Ada"', "row-list")
        self.app.start()
        self.see("● live", "header")
        self.gone("No host", "#banner")
        self.app.send("pushed", by="Eve", times=77)
        self.see('by: "Eve"', "row-list")
        self.see('by: "Ada"', "row-list")
        self.one("row-list .row", 'pushed by: "Ada"').click()
        self.see("the app that made this row has ended", ".detail")
        self.one("row-list .row", 'pushed by: "Eve"').click()
        self.see("77", ".detail details .tree")
        self.go("loops")
        self.click("footer button", "Live")
        self.see('"Eve"', "article[aria-label='Loop door']")

    def test_an_inspector_that_ends_leaves_the_page_readable(self):
        self.go("events")
        self.app.send("pushed", by="Ada", times=3)
        self.see("rang", "row-list")
        self.app.inspector.end(signal.SIGKILL)
        self.see("The inspector does not answer", "#banner")
        self.see('by: "Ada"', "row-list")
        self.app.start_inspector("--port", self.app.url.split(":")[2].split("/")[0])
        self.see("The inspector has started again", "#banner")
        self.see('by: "Ada"', "row-list")
        self.one("row-list .row", "rang").click()
        self.see("bell run 1", ".detail .causes")
        self.driver.get_log("browser")
        self.open("events")
        self.app.send("pushed", by="Eve", times=3)
        self.see('by: "Eve"', "row-list")

    def test_a_wrong_token_asks_for_the_address(self):
        self.driver.get("about:blank")
        self.driver.get(self.app.url.split("#")[0] + "#t=" + "0" * 32)
        self.see("does not know this token", "main")
        self.see("✕ no token", "header")
        self.go("events")
        box = self.one("input[aria-label='Address with token']")
        box.send_keys(self.app.url, Keys.ENTER)
        self.see("● live", "header")
        self.assertNotIn("t=", self.driver.current_url)


class Journal(PageTest):
    """An app with a journal: all of the past can be reached, also that of an earlier process."""

    def setUp(self):
        path = f"/tmp/inspector-journal-{os.getpid()}-{id(self)}"
        self.arguments = ("--journal", path)
        self.addCleanup(lambda: [os.remove(path + end) for end in ("", "-wal", "-shm", "-lock") if os.path.exists(path + end)])
        super().setUp()

    def test_steps_of_an_earlier_process_are_there(self):
        self.app.send("pushed", by="Ada", times=3)
        self.see("journal @", "header")
        self.go("events")
        self.see('by: "Ada"', "row-list")
        self.app.end_host()
        self.see("No host", "#banner")
        self.app.start()
        self.see("● live", "header")
        self.app.send("pushed", by="Eve", times=5)
        self.see('by: "Eve"', "row-list")
        self.one("row-list .row", 'pushed by: "Ada"').click()
        self.see("State there", ".detail")
        self.see("times", ".detail details .tree")
        self.assertEqual(self.text("row-list").count('pushed by: "Ada"'), 1)
        self.open("events")
        self.see('by: "Ada"', "row-list")

    def test_a_filter_holds_for_what_is_loaded_when_the_host_is_there_again(self):
        self.go("events")
        self.app.send("pushed", by="Ada", times=77)
        self.see('by: "Ada"', "row-list")
        self.one("input[aria-label=Filter]").send_keys("payload.times > 2", Keys.ENTER)
        self.gone("came", "row-list")
        # The page connects only after these events, so that they are of the past.
        self.app.inspector.child.send_signal(signal.SIGSTOP)
        self.app.end_host()
        self.app.start()
        self.app.send("pushed", by="Bob", times=1)
        self.app.send("pushed", by="Eve", times=78)
        self.app.inspector.child.send_signal(signal.SIGCONT)
        self.see('pushed by: "Eve"', "row-list")
        self.assertIn('pushed by: "Ada"', self.text("row-list"))
        self.assertNotIn('pushed by: "Bob"', self.text("row-list"))


if __name__ == "__main__":
    unittest.main()
