"""The page in a real browser, where one is found: from nothing to groups, by keys alone."""

import pytest

from .. import chromium
from .conftest import Served, clouds

PROGRAM = chromium.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs Chromium")

CODES = {"Enter": 13, " ": 32, "Backspace": 8, "ArrowLeft": 37, "ArrowRight": 39, "Escape": 27, "Tab": 9}
MARKUP = "<img src=x onerror=document.title='broken'><b>bold</b>"
LABELS = "Number(document.querySelector('.figures dd').textContent)"


class Person:
    """Somebody at the page who knows the truth."""

    def __init__(self, browser, served, truth):
        self.browser, self.served, self.truth = browser, served, truth

    def open(self, width=1280, *, dark=False):
        address = self.served.address if self.served.cookie is None else self.served.address.partition("?")[0]
        self.served.cookie = "in the browser"
        self.size = (width, dark)
        self.browser.open(address, width, dark=dark)
        self.browser.wait("document.getElementById('asked')")

    def press(self, key):
        self.browser.press(key, CODES.get(key, ord(key[0].upper())))

    def ask(self, expression):
        return self.browser.ask(expression)

    def row(self):
        return int(self.ask("document.getElementById('asked').textContent.split(' ')[1]")) - 1

    def name_class(self, name):
        self.press("n")
        self.browser.wait("document.getElementById('naming').open")
        self.browser.call("Input.insertText", text=name)
        self.press_enter()
        self.browser.wait("!document.getElementById('naming').open")

    def press_enter(self):
        """As a browser hears it in a form."""
        self.browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", text="\r", windowsVirtualKeyCode=13)
        self.browser.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", windowsVirtualKeyCode=13)

    def answer(self):
        """The row that is asked, by its key, or by a new class."""
        n, name = self.ask(LABELS), str(self.truth[self.row()])
        key = self.ask(
            "Array.from(document.querySelectorAll('.class')).find(one => one.querySelector('.name').textContent === "
            f"'{name}')?.querySelector('kbd').textContent ?? ''"
        )
        if key:
            self.press(key)
        else:
            self.name_class(name)
        self.browser.wait(f"{LABELS} === {n + 1}")

    def view(self, name):
        self.ask(f"document.getElementById('tab-{name}').click()")
        self.browser.wait(f"document.getElementById('tab-{name}').getAttribute('aria-selected') === 'true'")


@pytest.fixture(scope="module")
def person(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    frame, truth = clouds(60)
    path = folder / "clouds.csv"
    frame.assign(kind="", note=[f"{MARKUP} {k}" for k in range(60)]).to_csv(path, index=False)
    served = Served(path)
    with chromium.Chromium(PROGRAM, allowed=f"http://{served.host}/") as browser:
        someone = Person(browser, served, truth)
        someone.open()
        someone.classes_at_first = someone.ask("document.querySelectorAll('.class').length")
        for _ in range(10):
            someone.answer()
        yield someone
    someone.served.process.kill()
    someone.served.process.communicate()


@pytest.fixture(autouse=True)
def at_the_row(person):
    """Every test begins where rows are asked, on a page of usual size, with a model that knows all labels."""
    if person.size != (1280, False):
        person.open()
    person.view("ask")
    person.browser.wait("document.querySelector('.light.ready')")


def test_a_person_starts_from_nothing_and_labels_by_keys(person):
    assert person.classes_at_first == 0
    assert person.ask(LABELS) >= 10
    names = person.ask("Array.from(document.querySelectorAll('.class .name'), one => one.textContent).sort()")
    assert {"left", "right"} <= set(names)
    assert person.browser.complaints == []


def test_cells_are_text_never_markup(person):
    shown = person.ask("document.querySelector('#content .card').textContent")
    assert MARKUP in shown
    assert person.ask("document.querySelectorAll('#content img, #content b').length") == 0
    assert person.ask("document.title") == "clouds.csv · kind"


def test_backspace_takes_back_any_number_of_steps_and_asks_the_row_again(person):
    rows = []
    for _ in range(3):
        rows.append(person.row())
        person.answer()
    n = person.ask(LABELS)
    for row in reversed(rows):
        person.press("Backspace")
        n -= 1
        person.browser.wait(f"{LABELS} === {n}")
        assert person.row() == row
    for _ in range(3):
        person.answer()


def test_space_skips_and_reloading_changes_nothing(person):
    row = person.row()
    person.press(" ")
    person.browser.wait(f"document.getElementById('asked').textContent !== 'Row {row + 1}'")
    now, n = person.row(), person.ask(LABELS)
    person.open()
    assert (person.row(), person.ask(LABELS)) == (now, n)
    person.press("Backspace")
    person.browser.wait(f"document.getElementById('asked').textContent === 'Row {row + 1}'")


def test_enter_accepts_a_guess_but_never_on_a_row_that_measures_the_error(person):
    seen = set()
    for _ in range(12):
        drawn = person.ask("document.querySelector('.tag.drawn') !== null")
        guess = person.ask("document.querySelector('.guess .chip')?.textContent ?? null")
        assert not (drawn and guess)
        n, row = person.ask(LABELS), person.row()
        person.press("Enter")
        if guess is None:
            person.browser.wait("document.getElementById('notice').textContent.includes('choose a class')")
            assert (person.row(), person.ask(LABELS)) == (row, n)
            person.answer()
        else:
            person.browser.wait(f"{LABELS} === {n + 1}")
            assert guess in ("left", "right")
        seen.add(drawn)
        if len(seen) == 2:
            break
    assert seen == {False, True}


def test_a_group_is_accepted_by_one_key_and_taken_back_by_one(person):
    accepted = "Number(document.querySelectorAll('.figures dd')[1].textContent)"
    person.press("ArrowRight")
    person.browser.wait("document.getElementById('group')")
    n = int(person.ask("document.getElementById('group').textContent.split(' ')[0]"))
    assert person.ask("document.querySelectorAll('.brief').length") == min(n, 12)
    person.press("Enter")
    person.browser.wait(f"{accepted} === {n}")
    person.press("Backspace")
    person.browser.wait(f"{accepted} === 0")
    person.press("ArrowLeft")
    person.browser.wait("document.getElementById('asked')")


def test_rows_are_chosen_on_the_map_and_asked(person):
    person.view("map")
    person.browser.wait("performance.getEntriesByName('paint').length")
    box = person.ask(
        "(b => [b.left, b.top, b.width, b.height])(document.querySelector('.lasso').getBoundingClientRect())"
    )
    corners = [(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99), (0.01, 0.02)]
    for k, (x, y) in enumerate(corners):
        at = {"x": box[0] + x * box[2], "y": box[1] + y * box[3], "button": "left", "clickCount": 1}
        person.browser.call(
            "Input.dispatchMouseEvent", type="mousePressed" if k == 0 else "mouseMoved", buttons=1, **at
        )
    person.browser.call("Input.dispatchMouseEvent", type="mouseReleased", **at)
    person.browser.wait("document.getElementById('chosen').textContent !== 'No row is chosen.'", 20)
    assert person.ask("document.getElementById('chosen').textContent").startswith("60 rows chosen")
    inked = person.ask(
        "(c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " let n = 0; for (let k = 0; k < d.length; k += 4) n += d[k] !== d[0] || d[k + 1] !== d[1]; return n; })"
        "(document.querySelector('.points'))"
    )
    assert inked > 60
    person.press(" ")
    person.browser.wait("document.getElementById('chosen').textContent === 'No row is chosen.'")
    person.view("ask")


def test_two_names_that_look_alike_are_found_and_made_one(person):
    n = person.ask(LABELS)
    person.name_class("lefft")
    person.browser.wait(f"{LABELS} === {n + 1}")
    person.view("check")
    person.browser.wait("document.getElementById('finding')")
    assert person.ask("document.getElementById('finding').textContent") == "Is lefft the same as left?"
    person.press("Enter")
    person.browser.wait("!Array.from(document.querySelectorAll('tbody td'), one => one.textContent).includes('lefft')")


def test_the_keys_are_shown_and_everything_is_within_reach_of_tab(person):
    person.press("?")
    person.browser.wait("document.getElementById('keys').open")
    assert "take back" in person.ask("document.getElementById('keys').textContent")
    person.press("Escape")
    person.browser.wait("!document.getElementById('keys').open")
    person.ask("document.activeElement.blur()")
    reached = []
    for _ in range(25):
        person.press("Tab")
        reached.append(person.ask("document.activeElement.id || document.activeElement.className || 'body'"))
    assert {"tab-ask", "undo", "save", "help", "class-0", "class-1", "tool-skip", "tool-new"} <= set(reached)
    box = person.ask(
        "(b => [b.x + b.width / 2, b.y + b.height / 2])(document.getElementById('undo').getBoundingClientRect())"
    )
    for kind in ("mousePressed", "mouseReleased"):
        person.browser.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)
    person.browser.wait("document.activeElement.id === 'content'")
    named = "Array.from(document.querySelectorAll('button')).every(one => (one.ariaLabel ?? one.textContent).trim())"
    assert person.ask(named) is True
    assert person.ask("document.querySelectorAll('main, aside, header, [role=tablist], [aria-live]').length") >= 5


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [400, 1600])
def test_the_page_fits_the_screen_and_can_be_read(person, width, dark):
    person.open(width, dark=dark)
    assert person.ask("document.documentElement.scrollWidth") <= width
    contrast = person.ask(
        """(() => {
        const light = text => {
          const [r, g, b] = text.match(/[\\d.]+/g).map(Number)
            .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const ground = one => { for (; one; one = one.parentElement) {
          const color = getComputedStyle(one).backgroundColor;
          if (!color.endsWith(', 0)')) return color; } };
        return Math.min(...Array.from(document.querySelectorAll('p, dt, dd, th, td, h1, h2, h3, button, kbd, .tag'))
          .filter(one => one.offsetParent && one.textContent.trim() && !one.disabled && !one.closest('button:disabled'))
          .map(one => { const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((p, q) => q - p);
            return (a + 0.05) / (b + 0.05); })); })()"""
    )
    assert contrast >= 4.5


def test_nothing_was_complained_of_and_a_program_that_was_killed_is_reported_and_resumed(person):
    assert person.browser.complaints == []
    n = person.ask(LABELS)
    home = person.served.table
    person.served.process.kill()
    person.browser.wait("!document.getElementById('alone').hidden")
    assert "Nothing that was decided is lost" in person.ask("document.getElementById('alone').textContent")
    person.served.process.communicate()
    person.served = Served(home)
    person.browser.allowed = f"http://{person.served.host}/"
    person.open()
    assert person.ask(LABELS) == n
    person.browser.complaints.clear()
