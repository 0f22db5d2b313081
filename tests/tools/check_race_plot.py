# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""The plot of bench_cpu_peers: check_race_plot.py JSON SVG. Well-formed, one dot a race, every number inside the frame."""

import json
import sys
import xml.etree.ElementTree as tree

SPACE = "{http://www.w3.org/2000/svg}"
races = json.load(open(sys.argv[1], encoding="utf-8"))["races"]
root = tree.parse(sys.argv[2]).getroot()
dots = list(root.iter(SPACE + "circle"))
assert root.tag == SPACE + "svg", root.tag
assert len(dots) == len(races) > 0, (len(dots), len(races))

pictures = {(race["operation"], race["opA"], race["order"]) for race in races}
assert sum(node.get("class") == "frame" for node in root.iter(SPACE + "rect")) == len(pictures)
widths = {(race["operation"], race["opA"], race["order"], race["n"], "kept" in race) for race in races}
lines = list(root.iter(SPACE + "polyline"))
# One-shot, plan, and where there is one the plan that keeps values.
assert len(lines) == sum(2 + width[-1] for width in widths), (len(lines), len(widths))

points = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in dots]
points += [tuple(map(float, point.split(","))) for line in lines for point in line.get("points").split()]
width, height = float(root.get("width")), float(root.get("height"))
assert all(0 < x < width and 0 < y < height for x, y in points)

# The first race's dot says how the fastest sparse routine of a library compares, or the textbook's loop where none runs.
first = races[0]
times = {name: peer["median_s"] for name, peer in first["peers"].items()}
libraries = [time for name, time in times.items() if name != "textbook" and not name.endswith("sgemm")]
ratio = (min(libraries) if libraries else times["textbook"]) / first["one_shot"]["median_s"]
title = dots[0].find(SPACE + "title").text
said = float(title.rsplit(": ", 1)[1].split(";")[0])
assert abs(said - ratio) < 0.01 * ratio + 0.01, (title, ratio)
print(len(races), "dots in", len(pictures), "pictures")
