"""The page in a real browser, where one is found: no complaint, nothing cut off, every part there and within reach."""

import pytest

from semisvm.cli.demo import write_digits
from semisvm.cli.label import cross_validation
from semisvm.cli.labeling import label_table
from semisvm.cli.sampling import Request

from . import chromium

PROGRAM = chromium.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs Chromium")

SECTIONS = ["help", "next", "map", "balance", "confidence", "fit", "python", "read"]
TAB, RIGHT, SPACE = 9, 39, 32


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Of a named method with folds, and of the default."""
    folder = tmp_path_factory.mktemp("page")
    write_digits(folder / "digits.csv", folder / "truth.csv", 150)
    for method, folds in (("gradient", 2), ("auto", 0)):
        request = Request(folder / "digits.csv", "digit", method)
        label_table(request, folder / "o.csv", folder / f"{method}.html", folds=cross_validation(method, folds))
    return folder


@pytest.fixture
def page(pages):
    return pages / "gradient.html"


@pytest.fixture(scope="module")
def browser():
    with chromium.Chromium(PROGRAM) as one:
        yield one


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("method", ["gradient", "auto"])
def test_the_page_fits_the_screen_and_the_console_is_empty(browser, pages, method, width, dark):
    browser.open(pages / f"{method}.html", width, dark=dark)
    assert browser.complaints == []
    assert browser.ask("document.documentElement.scrollWidth") == width
    assert browser.ask("Array.from(document.querySelectorAll('main section'), one => one.id)") == SECTIONS
    # no part sticks out to the right, but what scrolls by itself
    assert browser.ask(
        "Array.from(document.querySelectorAll('section, h1, h2, p, svg, fieldset, nav'))"
        f".filter(one => one.getBoundingClientRect().right > {width} + 0.5).length"
    ) == 0  # fmt: skip
    # code wraps; tables of many columns scroll by themselves on a narrow screen; charts say what their axes mean
    assert browser.ask("Array.from(document.querySelectorAll('pre')).every(one => one.scrollWidth <= one.clientWidth)")
    scrolls = browser.ask(
        "Array.from(document.querySelectorAll('#next .scroll')).some(one => one.scrollWidth > one.clientWidth)"
    )
    assert scrolls == (width == 400)
    charts = "document.querySelectorAll('#map svg, #confidence svg, #fit svg')"
    assert browser.ask(f"Array.from({charts}).every(one => one.querySelectorAll('.axis-title').length === 2)")
    # letters of charts are drawn at nine pixels or more
    letters = f"Array.from({charts}).flatMap(one => Array.from(one.querySelectorAll('text'), text =>"
    sizes = (
        "parseFloat(getComputedStyle(text).fontSize) * one.getBoundingClientRect().width / one.viewBox.baseVal.width))"
    )
    assert browser.ask(f"Math.min(...{letters} {sizes})") >= 9
    # narrow: one below the other; wide: side by side
    tops = browser.ask(
        "['balance', 'confidence'].map(id => Math.round(document.getElementById(id).getBoundingClientRect().top))"
    )
    assert (tops[0] == tops[1]) == (width == 1600)


@pytest.mark.parametrize("width", [400, 1600])
def test_the_stages_of_every_kernel_can_be_read(browser, pages, width):
    browser.open(pages / "auto.html", width)
    curves = "document.querySelectorAll('#fit svg')"
    assert browser.ask(f"{curves}.length") >= 2
    assert browser.ask(f"Array.from({curves}).every(one => one.querySelectorAll('circle').length === 4)") is True
    # letters are drawn at nine pixels or more, and no two of a drawing lie on each other
    smallest = f"Math.min(...Array.from({curves}, one => 11 * one.getBoundingClientRect().width / 230))"
    assert browser.ask(smallest) >= 9
    overlaps = """Array.from(document.querySelectorAll('#fit svg')).filter(one => {
        const boxes = Array.from(one.querySelectorAll('text'), text => text.getBoundingClientRect());
        return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right
            && a.top + 2 < b.bottom && b.top + 2 < a.bottom)); }).length"""
    assert browser.ask(overlaps) == 0


def test_dots_of_many_classes_show_in_a_line_of_text(browser, page):
    """Beyond 24 classes their names stand in a paragraph."""
    browser.open(page, 1600)
    dot = "<i class=dot id=one></i>"
    browser.ask(f"document.querySelector('#map p').insertAdjacentHTML('beforeend', '{dot}')")
    assert browser.ask("document.getElementById('one').getBoundingClientRect().width") == 12


def test_light_and_dark_differ_and_can_be_read(browser, page):
    def contrast():
        """(L1 + 0.05) / (L2 + 0.05) of the text on its card, as accessibility guidelines have it."""
        return browser.ask(
            """(() => {
            const light = text => {
              const [r, g, b] = text.match(/[\\d.]+/g).map(Number)
                .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
              return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const card = getComputedStyle(document.querySelector('section')).backgroundColor;
            const inks = ['.verdict', '.soft', 'th', 'figcaption']
                .map(name => getComputedStyle(document.querySelector(name)).color);
            return [card, Math.min(...inks.map(ink => {
              const [a, b] = [light(ink), light(card)].sort((p, q) => q - p);
              return (a + 0.05) / (b + 0.05); }))]; })()"""
        )

    browser.open(page, 1600, dark=False)
    light_card, light_contrast = contrast()
    browser.open(page, 1600, dark=True)
    dark_card, dark_contrast = contrast()
    assert light_card != dark_card
    assert min(light_contrast, dark_contrast) >= 4.5


def test_everything_is_within_reach_of_the_keyboard(browser, page):
    browser.open(page, 1600)
    reached = []
    for _ in range(40):
        browser.press("Tab", TAB)
        reached.append(
            browser.ask("(e => e.id || e.getAttribute('href') || e.tagName.toLowerCase())(document.activeElement)")
        )
        if reached[-1] == "body":
            break
    assert reached[0] == "#main"
    assert [one for one in reached if one in {f"#{key}" for key in SECTIONS}] == [f"#{key}" for key in SECTIONS]
    assert {"pick-all", "only-changed", "pre"} <= set(reached)
    assert reached.count("div") == browser.ask("document.querySelectorAll('.scroll').length")


def test_a_class_is_picked_by_arrow_keys_and_changes_by_the_space_bar(browser, page):
    browser.open(page, 1600)
    faded = (
        "Array.from(document.querySelectorAll('#map circle')).filter(o => getComputedStyle(o).opacity < 0.06).length"
    )
    browser.ask(
        "document.head.insertAdjacentHTML('beforeend', '<style>circle { transition: none !important; }</style>')"
    )
    n_rows = browser.ask("document.querySelectorAll('#map circle').length")
    n_zeros = browser.ask("document.querySelectorAll('#map circle.c0').length")
    assert browser.ask(faded) == 0
    browser.ask("document.getElementById('pick-all').focus()")
    browser.press("ArrowRight", RIGHT)
    assert browser.ask("document.getElementById('pick-0').checked") is True
    assert browser.ask(faded) == n_rows - n_zeros
    browser.ask("document.getElementById('pick-all').click()")
    browser.ask("document.getElementById('only-changed').focus()")
    browser.press(" ", SPACE)
    assert browser.ask("document.getElementById('only-changed').checked") is True
    assert browser.ask(faded) == browser.ask("document.querySelectorAll('#map circle:not(.x):not(.given)').length")
