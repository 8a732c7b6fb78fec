# SPDX-License-Identifier: Apache-2.0
"""The page of a certificate in a browser: no script error, nothing wider than the screen, light
and dark, with and without its script. Exit code 77: there is no Chromium here, nothing was run."""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

QUANTPROOF, BROKEN, WORK = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or \
    shutil.which("chromium-browser") or shutil.which("google-chrome")
if not CHROMIUM:
    print("NOT EXERCISED: no Chromium here (Debian package chromium)")
    sys.exit(77)
WORK.mkdir(parents=True, exist_ok=True)

# Appended to a copy of the page: what the browser made of it, as attributes of the root element.
PROBE = """<script>
const root = document.documentElement;
root.dataset.inner = innerWidth;
root.dataset.scroll = root.scrollWidth;
root.dataset.wide = [...document.body.querySelectorAll("*")].filter((e) =>
  e.getBoundingClientRect().right > innerWidth + 0.5 && getComputedStyle(e).position !== "absolute" &&
  !e.closest("thead")).map((e) => e.outerHTML.slice(0, 60)).join(" | ");
root.dataset.column = Math.min(...[...document.querySelectorAll("td")].filter((cell) =>
  cell.textContent.length > 60).map((cell) => cell.getBoundingClientRect().width));
root.dataset.page = getComputedStyle(document.body).backgroundColor;
const visible = () => [...document.querySelectorAll("#claims tbody tr")].filter(
  (row) => row.getBoundingClientRect().height > 0).length;
root.dataset.visible = visible();
const form = document.getElementById("filter");
form.elements.verdict.value = "fail";
form.dispatchEvent(new Event("input"));
root.dataset.failed = visible();
root.dataset.said = document.getElementById("shown").textContent;
form.elements.words.value = "no claim says this";
form.dispatchEvent(new Event("input"));
root.dataset.none = visible();
root.dataset.buttons = document.querySelectorAll(".command button").length;
</script>"""


# A browser window is at least 500 points wide, a frame in it can be a phone. What the frame became
# takes the place of this page.
PHONE = """<!doctype html><html><body style="margin:0">
<iframe style="width:390px;height:2400px;border:0" srcdoc="{}"></iframe>
<script>
onload = () => {{
  const inner = document.querySelector("iframe").contentDocument.documentElement;
  for (const name of inner.getAttributeNames()) {{
    document.documentElement.setAttribute(name, inner.getAttribute(name));
  }}
  document.body.innerHTML = inner.querySelector("body").innerHTML;
}};
</script></body></html>"""


def require(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def browse(page, width, dark, *action):
    """Standard output of the browser, and what the page wrote to its console."""
    with tempfile.TemporaryDirectory(prefix="quantproof_page_") as profile:
        done = subprocess.run(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--enable-logging=stderr", f"--user-data-dir={profile}",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}",
             f"--window-size={width},2400", *action, page.resolve().as_uri()],
            capture_output=True, text=True, timeout=120, check=False)
    require(done.returncode == 0, f"{CHROMIUM} ends with {done.returncode}: {done.stderr}")
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, console


def dataset(dom):
    root = re.search(r"<html([^>]*)>", dom)[1]
    return dict(re.findall(r'data-([a-z]+)="([^"]*)"', root))


certificate = WORK / "certificate.json"
page = WORK / "certificate.html"
subprocess.run([QUANTPROOF, "certify", "--target", f"lib:{BROKEN},preset=ggml,symbol=stale_62",
                "--seconds", "0", "--json", certificate, "--force"],
               stdout=subprocess.DEVNULL, check=False)
document = json.loads(certificate.read_text(encoding="utf-8"))
# All sections, and words that cannot be broken.
document["claims"][0]["detail"] = 300 * "f"
document["coverage"] = [{"format": "iq3_xxs", "codebook_rows": {"touched": 3, "of": 256}}]
document["encoders"] = [{"format": "iq3_xxs", "effort": "fast", "corpus": "some",
                         "sha256": 64 * "0"}]
document["measurements"] = [{"name": "decode iq3_xxs AVX2", "unit": "GB/s", "value": 9.5,
                             "peer": "reference", "peer_ratio": 40.0}]
certificate.write_text(json.dumps(document), encoding="utf-8")
subprocess.run([QUANTPROOF, "report", certificate, "--html", page, "--force"], check=True)
text = page.read_text(encoding="utf-8")
probed = WORK / "probed.html"
probed.write_text(text.replace("</body>", PROBE + "</body>"), encoding="utf-8")


def phone(inner):
    frame = inner.with_suffix(".phone.html")
    frame.write_text(PHONE.format(html.escape(inner.read_text(encoding="utf-8"))),
                     encoding="utf-8")
    return frame


claims = document["claims"]
failed = [claim for claim in claims if claim["verdict"] != "pass"]
colours = {}
for width, dark in ((1280, False), (390, False), (390, True)):
    shown = phone(probed) if width == 390 else probed
    dom, console = browse(shown, max(width, 500), dark, "--dump-dom")
    require(not console, f"{width}: the console says {console}")
    found = dataset(dom)
    require(found.get("ready") == "yes", f"{width}: the script did not reach its end")
    require(int(found["inner"]) == width, f"the window is {found['inner']} wide, not {width}")
    require(int(found["scroll"]) <= width and not found["wide"],
            f"{width}: {found['scroll']} wide: {found['wide']}")
    require(float(found["column"]) >= 240, f"{width}: words in a column of {found['column']}")
    require(int(found["visible"]) == len(claims), f"{width}: {found['visible']} rows")
    require(int(found["failed"]) == len(failed), f"{width}: the filter leaves {found['failed']}")
    require(found["said"] == f"{len(failed)} of {len(claims)} claims shown", found["said"])
    require(found["none"] == "0", f"{width}: a search for nothing finds {found['none']}")
    require(int(found["buttons"]) == len(failed), f"{width}: {found['buttons']} buttons")
    for claim in claims:
        require(f"<code>{claim['id']}</code>" in dom, f"{width}: {claim['id']} is missing")
    colours[dark] = found["page"]
require(colours[False] != colours[True], f"dark is as light: {colours}")

# The checks above see what they should: an error, and something too wide.
spoiled = WORK / "spoiled.html"
spoiled.write_text(probed.read_text(encoding="utf-8").replace(
    "<main>", "<main><script>nothing.there</script><div style='width:700px'>wide</div>"),
    encoding="utf-8")
dom, console = browse(phone(spoiled), 500, False, "--dump-dom")
require(console and "ReferenceError" in console[0], "a script error goes unseen")
require("width:700px" in dataset(dom)["wide"], "an element too wide goes unseen")

for width, dark in ((1280, False), (390, True)):
    picture = WORK / f"certificate-{width}.png"
    browse(page, width, dark, f"--screenshot={picture}")
    require(picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 20_000,
            f"{picture} is no picture")
print(f"page: {len(claims)} claims at 1280 and 390 points, light and dark; pictures in {WORK}")
