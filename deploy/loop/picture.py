"""Draws the time of each collective before and after, as text and as an SVG picture."""

import xml.sax.saxutils

import report

KINDS = ("default", "tuned")
COLOURS = ("#8a8f98", "#1f77b4")
BAR_CHARACTERS = 40
# Of the picture, in pixels.
WIDTH, LABEL, BAR, GAP, HEAD, ROOM = 640, 90, 18, 14, 44, 80


def bars(totals):
    """Two lines for each collective."""
    longest = max(max(times) for times in totals.values())
    lines = []
    for collective, times in totals.items():
        for kind, time_s in zip(KINDS, times):
            label = collective if kind == KINDS[0] else ""
            bar = "█" * max(1, round(BAR_CHARACTERS * time_s / longest))
            lines.append(f"{label:10} {kind:8} {bar} {report.time_text(time_s)}")
    return "\n".join(lines)


def svg(totals, title):
    """A picture of the same bars: no scripts, no fonts of its own."""
    longest = max(max(times) for times in totals.values())
    height = HEAD + len(totals) * (2 * BAR + GAP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
             f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
             f'<title>{xml.sax.saxutils.escape(title)}</title>',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
             f'<text x="8" y="20" font-weight="bold">{xml.sax.saxutils.escape(title)}</text>']
    for i, (kind, colour) in enumerate(zip(KINDS, COLOURS)):
        x = LABEL + 90 * i
        parts.append(f'<rect x="{x}" y="27" width="10" height="10" fill="{colour}"/>'
                     f'<text x="{x + 15}" y="36">{kind}</text>')
    y = HEAD
    for collective, times in totals.items():
        parts.append(f'<text x="{LABEL - 8}" y="{y + BAR + 4}" text-anchor="end">'
                     f'{xml.sax.saxutils.escape(collective)}</text>')
        for colour, time_s in zip(COLOURS, times):
            width = max(1, round((WIDTH - LABEL - ROOM) * time_s / longest))
            parts.append(f'<rect x="{LABEL}" y="{y}" width="{width}" height="{BAR - 2}" fill="{colour}"/>'
                         f'<text x="{LABEL + width + 6}" y="{y + BAR - 5}">{report.time_text(time_s)}</text>')
            y += BAR
        y += GAP
    return "\n".join([*parts, "</svg>", ""])
