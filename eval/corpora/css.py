"""How well the bundled grammar css fits style sheets that others wrote, and postcss what it generates.

    python3 css.py corpus WORK --inroad inroad       parse the style sheets of npm packages
    python3 css.py accepted WORK --inroad inroad     let postcss read generated ones; needs node and npm
"""

import argparse
import json
import pathlib
import re
import subprocess

import packages

POSTCSS = "postcss@8.4.38"

# Frameworks, icon sets, widgets, and collections of themes, from 2013 to 2024.
PACKAGES = """
npm:bootstrap@5.3.3 npm:bootstrap@4.6.2 npm:bootstrap@3.4.1 npm:normalize.css@8.0.1 npm:bulma@0.9.4 npm:animate.css@4.1.1
npm:foundation-sites@6.8.1 npm:font-awesome@4.7.0 npm:@fortawesome/fontawesome-free@6.5.1 npm:materialize-css@1.0.0
npm:semantic-ui-css@2.5.0 npm:tachyons@4.12.0 npm:purecss@3.0.0 npm:milligram@1.4.1 npm:spectre.css@0.5.9 npm:uikit@3.17.11
npm:skeleton-css@2.0.4 npm:highlight.js@11.9.0 npm:codemirror@5.65.16 npm:prismjs@1.29.0 npm:prism-themes@1.9.0
npm:bootswatch@5.3.2 npm:jquery-ui-dist@1.13.2 npm:swiper@11.0.5 npm:leaflet@1.9.4 npm:video.js@8.6.1 npm:select2@4.1.0-rc.0
npm:water.css@2.1.1 npm:@picocss/pico@1.5.11 npm:sanitize.css@13.0.0 npm:github-markdown-css@5.5.0 npm:reveal.js@4.6.1
npm:katex@0.16.9 npm:quill@1.3.7 npm:slick-carousel@1.8.1 npm:flatpickr@4.6.13 npm:hover.css@2.3.2 npm:flag-icon-css@4.1.7
npm:element-ui@2.15.14 npm:antd@4.24.15 npm:vuetify@2.7.1 npm:jquery-ui@1.13.2 npm:tinymce@6.8.2 npm:fullcalendar@3.10.5
npm:chosen-js@1.8.7 npm:magnific-popup@1.1.0 npm:dropzone@5.9.3 npm:ionicons@4.6.3 npm:primeicons@6.0.1 npm:tailwindcss@2.2.19
""".split()


def accepted(work, inroad):
    if not (work / "node_modules").exists():
        subprocess.run(["npm", "install", "--silent", "--prefix", str(work), POSTCSS], check=True)
    script = pathlib.Path(__file__).with_name("postcss.mjs").resolve()
    for kind, files in packages.generated(inroad, "css", work, 1000):
        names = "\n".join(str(f.resolve()) for f in files)
        lines = subprocess.run(["node", script], input=names, capture_output=True, text=True, cwd=work, check=True).stdout.splitlines()
        errors = [(re.sub(r"(Unknown word) .*", r"\1", e["reason"]), pathlib.Path(e["name"]).name) for e in map(json.loads, lines)]
        packages.report(f"{kind}, accepted", len(files), errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["corpus", "accepted"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--inroad", default="inroad")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.task == "corpus":
        packages.check(args.inroad, "css", packages.extract(PACKAGES, (".css",), args.folder, 60))
    else:
        accepted(args.folder, args.inroad)


if __name__ == "__main__":
    main()
