"""Hooks of MkDocs: pages that lie outside docs/, links to source files, and a Git host's names of headings."""

import logging
import os
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pymdownx.slugs import slugify

ROOT = Path(__file__).resolve().parents[1]
LOG = logging.getLogger("mkdocs.hooks.docs_site")
# The site's name of each page that lies in the root of the repository.
PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
LINK = re.compile(r"(?P<image>!?)\[(?P<label>[^\]]*)\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name headings as Git hosts do, so that one anchor works in both places."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = slugify(case="lower")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the repository's root."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point each relative link at a page of the site, or at DOCS_SOURCE_URL for other files."""
    sources = {name: source for source, name in PAGES.items()}
    here = sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def rewritten(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), link["target"]))
        if not (ROOT / path).exists():
            LOG.warning("%s: the link to %s leads nowhere", here, link["target"])
            return link[0]
        if path == "docs":
            path = "README.md"
        if path in PAGES or path.startswith("docs/"):
            name = PAGES.get(path, path.removeprefix("docs/"))
            target = posixpath.relpath(name, posixpath.dirname(page.file.src_uri) or ".")
            return f"{link['image']}[{link['label']}]({target}{link['anchor'] or ''})"
        # A closed network may have no Git host: without DOCS_SOURCE_URL the label stands alone.
        base = os.environ.get("DOCS_SOURCE_URL")
        return f"[{link['label']}]({base.rstrip('/')}/{path})" if base else link["label"]

    return LINK.sub(rewritten, markdown)
