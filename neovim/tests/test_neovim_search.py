"""The pickers that follow typing, as a person sees and uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import ANSWER, QUESTION

if TYPE_CHECKING:
    from pathlib import Path

    from editor import Editor

WORDLESS = "customer proves who they are"
"""A question that shares no word with what answers it."""


def highlighted(editor: Editor) -> list[int]:
    """Return the lines, from 1, that the preview marks."""
    return editor.lua("""
      local preview = require('telescope.actions.state')
        .get_current_picker(vim.api.nvim_get_current_buf()).previewer.state.bufnr
      local marks = vim.api.nvim_buf_get_extmarks(
        preview, vim.api.nvim_get_namespaces()['hunch.preview'], 0, -1, { details = true })
      local lines = {}
      for _, mark in ipairs(marks) do
        if mark[4].line_hl_group then lines[#lines + 1] = mark[2] + 1 end
      end
      return lines
    """)


def search(editor: Editor, query: str, picker: str = "search") -> list[dict]:
    """Open a picker, type, and return the hits."""
    editor.picker(picker)
    editor.keys(query)
    return editor.found(query, "workspace/symbol" if picker == "symbols" else "hunch/search")


def test_a_query_on_the_start_screen_shows_a_frame_of_columns(editor: Editor) -> None:
    """With no file open, typing shows icon, title, place and reasons, and the code beside them."""
    search(editor, "retry a request after failure")
    [row, *_] = editor.sees("src/net/retry.py:")
    for column in ("{}", "Client", "words"):
        assert column in row
    assert "0." not in row.partition("││")[0]
    editor.sees("Hunch search", "import time", "Results")


def test_the_order_is_the_servers_though_no_word_matches(editor: Editor) -> None:
    """Rows stand as the server ranked them, and none is dropped for having none of the words."""
    rows = search(editor, WORDLESS)
    [*_, asked] = [m for m in editor.requests("hunch/search") if m["params"]["query"] == WORDLESS]
    assert rows == editor.answer(asked["id"])["result"]["hits"]
    shown = " ".join(rows[0][key].lower() for key in ("title", "detail", "snippet"))
    assert not any(f" {word} " in shown for word in WORDLESS.split())


def test_the_preview_marks_the_chunk(editor: Editor, project: Path) -> None:
    """The preview shows the file with the lines of the hit marked."""
    [hit, *_] = search(editor, "verify password of a user")
    assert hit["detail"] == "web/login.ts"
    editor.sees("const digest")
    first, last = hit["range"]["start"]["line"] + 1, hit["range"]["end"]["line"] + 1
    lines = (project / "web/login.ts").read_text().splitlines()
    editor.wait(lambda: highlighted(editor), "the preview marks lines")
    assert highlighted(editor) == list(range(first, min(last, len(lines)) + 1))


@pytest.mark.parametrize(
    ("key", "windows", "tabs"),
    [("<CR>", 1, 1), ("<C-x>", 2, 1), ("<C-v>", 2, 1), ("<C-t>", 1, 2)],
)
def test_keys_open_the_hit_at_its_range(editor: Editor, key: str, windows: int, tabs: int) -> None:
    """A hit opens in this window, in a split either way, or in a tab, at its first line."""
    hits = search(editor, "send a request once transport")
    editor.keys(key)
    editor.until("vim.bo.buftype == '' and vim.api.nvim_buf_get_name(0) ~= ''")
    name, line = editor.place()
    assert (name.endswith(hits[0]["detail"]), line) == (True, hits[0]["range"]["start"]["line"] + 1)
    assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == windows
    assert editor.lua("return #vim.api.nvim_list_tabpages()") == tabs


def test_chosen_rows_go_to_the_quickfix_list(editor: Editor) -> None:
    """Two rows that are marked are listed, best first, with their lines."""
    hits = search(editor, "try again after failure")[:2]
    editor.keys("<Tab><Tab><M-q>")
    editor.until("vim.bo.buftype == 'quickfix'")
    listed = editor.lua("""
      local places = {}
      for _, entry in ipairs(vim.fn.getqflist()) do
        places[#places + 1] = { vim.fn.bufname(entry.bufnr), entry.lnum }
      end
      return places
    """)
    assert [[place[0].split("/")[-1], place[1]] for place in listed] == [
        [hit["detail"].split("/")[-1], hit["range"]["start"]["line"] + 1] for hit in hits
    ]


def test_an_empty_prompt_shows_nothing_and_asks_nothing(editor: Editor) -> None:
    """What was typed and taken back leaves an empty list."""
    search(editor, "retry")
    editor.keys("<BS>" * 5)
    editor.wait(lambda: not editor.rows(), "the list is empty")
    assert all(m["params"]["query"].strip() for m in editor.requests("hunch/search"))


def test_refining_filters_what_was_found(editor: Editor) -> None:
    """Control and space keep the hits and let words filter them."""
    before = search(editor, "try again after failure")
    asked = len(editor.requests("hunch/search"))
    editor.keys("<C-Space>")
    editor.sees("Fuzzy over")
    editor.keys("resend")
    editor.wait(lambda: 0 < len(editor.rows()) < len(before), "fewer rows are left")
    assert editor.rows()[0]["detail"] == "src/mail/resend.py"
    assert len(editor.requests("hunch/search")) == asked
    # A filter goes back to the question that was asked before.
    editor.keys("<C-e>")
    editor.sees("Hunch search · code", "> try again")
    editor.wait(
        lambda: editor.requests("hunch/search")[-1]["params"].get("filter") == {"kinds": ["code"]},
        "the filter is asked for",
    )


def test_keys_filter_by_kind_and_scope(editor: Editor) -> None:
    """Keys go through the kinds and widen the scope, and the title says which holds."""
    search(editor, "cold storage copy")
    editor.keys("<C-e><C-e>")
    editor.sees("Hunch search · docs")
    editor.wait(lambda: {hit["kind"] for hit in editor.rows()} == {"docs"}, "only documents")
    editor.keys("<C-s>")
    editor.sees("Hunch search · docs · everywhere")
    editor.wait(
        lambda: (
            editor.requests("hunch/search")[-1]["params"].get("filter")
            == {"kinds": ["docs"], "scope": "everywhere"}
        ),
        "both filters are asked for",
    )


def test_a_conversation_is_found_previewed_and_opened(editor: Editor) -> None:
    """A turn is shown as Markdown at its place, and opens as a buffer that cannot be changed."""
    search(editor, "pomegranate retries jitter", "conversations")
    editor.sees("claude-code", QUESTION[:20], "### Claude Code")
    editor.keys("<CR>")
    editor.until("vim.bo.filetype == 'markdown'")
    name, line = editor.place()
    assert "hunch-session:/claude-code/" in name
    text = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    assert QUESTION in text[line - 1 : line + 5]
    assert ANSWER in text
    assert editor.lua("return { vim.bo.modifiable, vim.bo.modified, vim.bo.buftype }") == [
        False,
        False,
        "nofile",
    ]


def test_symbols_come_by_name(editor: Editor) -> None:
    """The name of a definition leads to it."""
    hits = search(editor, "totalPrice", "symbols")
    assert (hits[0]["title"], hits[0]["detail"]) == ("totalPrice", "web/cart.ts")
    editor.sees("function")
    editor.keys("<CR>")
    editor.until("vim.fn.expand('%:t') == 'cart.ts'")
    assert "totalPrice" in editor.nvim.current.line


def test_a_file_open_and_changed_is_shown_as_on_the_screen(editor: Editor, project: Path) -> None:
    """Unsaved text is found, and the preview shows it."""
    editor.nvim.command(f"edit {project / 'src/cache.py'}")
    editor.until("#vim.lsp.get_clients({ bufnr = 0 }) > 0")
    editor.nvim.current.buffer.append(
        ["", "def brew_espresso(beans):", '    """Grind the beans."""', "    return grind(beans)"]
    )
    # The server knows the words at once, and the meaning a moment later.
    editor.until("""vim.tbl_get(
      vim.lsp.get_clients({ bufnr = 0 })[1]:request_sync('hunch/search', { query = 'brew' }, 5000) or {},
      'result', 'hits', 1, 'signals', 'semantic')""")
    [hit, *_] = search(editor, "brew espresso grind beans")
    assert hit["detail"] == "src/cache.py"
    editor.sees("return grind(beans)")
