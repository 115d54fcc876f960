"""The look of the page: one style sheet for light and dark, for 400 pixels and for 1600."""

PALETTE = ("#3b7dd8", "#e07b29", "#2f9e62", "#d0486a", "#8b62c9", "#9a7b3f", "#d864a9", "#71808f", "#a3a51c", "#17a2b8")

STYLE = """
:root { color-scheme: light dark; --page: #f5f6f8; --ink: #1a1f25; --soft: #566270; --line: #dde1e6; --card: #ffffff;
  --bar: #2f6fcb; --faint: #c3cad3; --good: #1f7a46; --bad: #b3324b; --mark: #1a1f25; --code: #f3f5f7; }
@media (prefers-color-scheme: dark) { :root { --page: #0f1215; --ink: #e9ecef; --soft: #a4aeb9; --line: #2c333b;
  --card: #171b20; --bar: #6ea4ee; --faint: #4c5661; --good: #5dc98a; --bad: #f2849a; --mark: #ffffff;
  --code: #101418; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main, header { max-width: 1440px; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.6rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.12rem; line-height: 1.3; margin: 0 0 .5rem; }
p { margin: .3rem 0 .7rem; max-width: 76ch; } .soft { color: var(--soft); }
a { color: var(--bar); }
nav ul { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; list-style: none; padding: 0; margin: .7rem 0 1.1rem; }
nav a { text-decoration: none; font-size: .94rem; } nav a:hover { text-decoration: underline; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; padding-bottom: 2rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.1rem 1.25rem;
  min-width: 0; scroll-margin-top: .8rem; }
@media (min-width: 1080px) { main { grid-template-columns: repeat(12, minmax(0, 1fr)); }
  section { grid-column: span 12; } section.most { grid-column: span 7; }
  section.rest { grid-column: span 5; } }
.verdict { font-size: 1.12rem; line-height: 1.5; max-width: 90ch; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.2rem, 1fr)); gap: .7rem;
  margin: .4rem 0 1rem; padding: 0; }
.figures div { border-left: 3px solid var(--line); padding-left: .7rem; }
.figures dt { color: var(--soft); font-size: .9rem; }
.figures dd { margin: 0; font-size: 1.5rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); gap: 1rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 200px), 1fr)); gap: .8rem 1rem;
  margin-bottom: 1rem; } .panels svg { max-width: 20rem; }
figure { margin: 0; min-width: 0; } figcaption { color: var(--soft); font-size: .9rem; margin-top: .35rem; }
svg { width: 100%; height: auto; display: block; overflow: visible; }
svg text { fill: var(--soft); font-size: 11px; } .axis-title { font-style: italic; }
.pair svg { max-width: 38rem; } #map text { font-size: 9.5px; }
@media (max-width: 700px) { #confidence text, #fit .pair text, #map text { font-size: 12.5px; } }
.frame { fill: none; stroke: var(--line); } .axis { stroke: var(--line); } .bar { fill: var(--bar); }
.line { fill: none; stroke: var(--bar); stroke-width: 2; } .line.old { stroke: var(--faint); stroke-dasharray: 5 3; }
.under { fill: var(--bar); opacity: .13; } rect.under { opacity: .38; }
circle { transition: opacity .15s; } .given { stroke: var(--mark); stroke-width: 1.8; }
.scroll { overflow-x: auto; overscroll-behavior-x: contain; } .tall { max-height: 27rem; overflow-y: auto; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
@media (max-width: 700px) { .scroll table { min-width: calc(var(--columns) * 4.8rem); }
  #next table, #doubts table { width: max-content; } }
th, td { text-align: left; padding: .32rem .8rem .32rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: break-word; max-width: 26rem; }
th { font-weight: 600; color: var(--soft); font-size: .86rem; overflow-wrap: normal; vertical-align: bottom; }
.tall th { position: sticky; top: 0; background: var(--card); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; overflow-wrap: normal; }
th.n { white-space: normal; } tbody tr:last-child td { border-bottom: 0; }
td:last-child, th:last-child { padding-right: .2rem; }
td.n + td:not(.n), th.n + th:not(.n) { padding-left: .9rem; } .option { white-space: nowrap; }
.share { display: inline-block; height: .55rem; border-radius: 2px; background: var(--bar); vertical-align: middle; }
.track { display: inline-block; width: clamp(3.5rem, 12vw, 9rem); }
.wide .track { width: clamp(3rem, 22vw - 2.5rem, 22rem); }
.share.old { background: var(--faint); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .9rem; margin: .4rem 0 0;
  border: 1px solid var(--line); border-radius: 8px;
  background: var(--code); font: .86rem/1.5 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; }
fieldset { border: 0; padding: 0; margin: .8rem 0 0; display: flex; flex-wrap: wrap; gap: .25rem .35rem; }
legend { padding: 0; margin-bottom: .3rem; color: var(--soft); font-size: .9rem; }
fieldset label { display: inline-flex; align-items: center; gap: .4rem; padding: .16rem .6rem; border-radius: 999px;
  border: 1px solid var(--line); cursor: pointer; font-size: .92rem; max-width: 100%; overflow-wrap: anywhere; }
fieldset input { position: absolute; opacity: 0; width: 1px; height: 1px; }
fieldset label:has(:checked) { border-color: var(--bar); box-shadow: inset 0 0 0 1px var(--bar); }
fieldset label:has(:focus-visible), .scroll:focus-visible, pre:focus-visible, a:focus-visible {
  outline: 3px solid var(--bar); outline-offset: 2px; }
i.dot { display: inline-block; flex: none; width: .75rem; height: .75rem; border-radius: 50%; }
p .dot { margin: 0 .3rem 0 .6rem; }
.key { white-space: nowrap; }
.skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--card);
  padding: .5rem .8rem; z-index: 2; }
.note { border-left: 3px solid var(--faint); padding-left: .7rem; color: var(--soft); }
#map:has(#only-changed:checked) circle:not(.x):not(.given) { opacity: .05; }
@media print { body { background: none; } section { break-inside: avoid; } nav, fieldset { display: none; }
  .tall { max-height: none; } }
"""


def class_rules(n_classes: int) -> str:
    """Colors of the classes, and what fades when one of them is picked."""
    rules = []
    for k in range(n_classes):
        color = PALETTE[k % len(PALETTE)]
        rules.append(f".c{k} {{ fill: {color}; }} i.c{k} {{ background: {color}; }}")
        rules.append(f"#map:has(#pick-{k}:checked) circle:not(.c{k}) {{ opacity: .05; }}")
    return "\n".join(rules)
