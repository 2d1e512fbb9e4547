"""Related code, from the cursor, a selection, lines, and text that has no file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from editor import Editor

UNSAVED = [
    "def fetch_later(url):",
    "    pause = 1.0",
    "    while True:",
    "        try:",
    "            return transport.post(url)",
    "        except ConnectionError:",
    "            time.sleep(pause)",
    "            pause *= 2",
    "",
]


def edit(editor: Editor, path: Path) -> None:
    """Open a file that the server sees."""
    editor.nvim.command(f"edit {path}")
    editor.until("#vim.lsp.get_clients({ bufnr = 0 }) > 0")


def asked(editor: Editor) -> dict[str, Any]:
    """Wait for a request for related code and return its params."""
    editor.wait(lambda: editor.requests("hunch/related"), "related code is asked for")
    return editor.requests("hunch/related")[-1]["params"]


def test_the_code_at_the_cursor_leads_to_what_is_like_it(editor: Editor, project: Path) -> None:
    """The list holds the other retry loop first, and never the piece itself."""
    edit(editor, project / "src/net/retry.py")
    editor.nvim.command("call cursor(15, 9)")
    editor.picker("related")
    editor.sees("Hunch related", "src/mail/resend.py")
    details = [hit["detail"] for hit in editor.rows()]
    assert details[0] == "src/mail/resend.py"
    assert "src/net/retry.py" not in details
    assert asked(editor)["position"] == {"line": 14, "character": 8}
    # Typing filters the list and asks nobody.
    editor.keys("login")
    editor.wait(lambda: [hit["detail"] for hit in editor.rows()] == ["web/login.ts"], "one is left")
    assert len(editor.requests("hunch/related")) == 1


def test_a_selection_of_unsaved_text_is_what_is_on_the_screen(
    editor: Editor, project: Path
) -> None:
    """In visual mode the selection counts, with the text that was never saved."""
    edit(editor, project / "docs/guide.md")
    editor.nvim.current.buffer[0:0] = UNSAVED
    editor.lua(
        "vim.keymap.set('x', 'R', '<Cmd>Telescope hunch related<CR>')"
        "vim.api.nvim_win_set_cursor(0, { 2, 4 })"
    )
    editor.keys("v6j$hR")
    editor.until("vim.bo.filetype == 'TelescopePrompt'")
    editor.sees("Hunch related", "src/net/retry.py")
    assert asked(editor)["range"] == {
        "start": {"line": 1, "character": 4},
        "end": {"line": 7, "character": 22},
    }
    best = {hit["detail"] for hit in editor.rows()[:2]}
    assert best == {"src/net/retry.py", "src/mail/resend.py"}


def test_a_selection_counts_in_utf16(editor: Editor, project: Path) -> None:
    """Characters outside the basic plane count as two, and the last one is taken whole."""
    edit(editor, project / "src/cache.py")
    editor.nvim.current.buffer[0:0] = ["x = '🍎é' # keep"]
    editor.lua("vim.api.nvim_win_set_cursor(0, { 1, 0 })")
    editor.keys("févb<Plug>(hunch-related)")
    params = asked(editor)
    # From the quote or the apple, by what Neovim takes for a word, up to and with the é.
    assert params["range"]["end"] == {"line": 0, "character": 8}
    editor.until("vim.bo.filetype == 'TelescopePrompt' and vim.fn.mode() == 'i'")


def test_a_text_without_a_file_is_sent(editor: Editor) -> None:
    """In a buffer that has no name, the text around the cursor is what is asked about."""
    editor.nvim.current.buffer[:] = UNSAVED
    editor.picker("related")
    editor.sees("src/mail/resend.py")
    assert asked(editor)["text"].startswith("def fetch_later(url):")


def test_lines_of_a_command(editor: Editor, project: Path) -> None:
    """`:Hunch! related` with a range lists what is like these lines."""
    edit(editor, project / "src/net/retry.py")
    editor.run("10,19Hunch! related")
    editor.until("vim.bo.buftype == 'quickfix'")
    assert asked(editor)["range"] == {
        "start": {"line": 9, "character": 0},
        "end": {"line": 18, "character": 35},
    }
    [first, *_] = editor.lua("return vim.fn.getqflist()")
    assert editor.lua("return vim.fn.bufname(...)", first["bufnr"]).endswith("resend.py")


def test_the_code_action_opens_the_plugins_own_list(editor: Editor, project: Path) -> None:
    """What any client offers as "Show related code" leads to `vim.ui.select` here."""
    edit(editor, project / "src/net/retry.py")
    editor.nvim.command("call cursor(15, 9)")
    editor.lua("""
      vim.ui.select = function(hits, options, choose)
        vim.g.offered = { options.prompt, options.format_item(hits[1]) }
        choose(hits[1])
      end
      vim.schedule(function() vim.lsp.buf.code_action({
        apply = true, filter = function(action) return action.title == "Show related code" end }) end)
    """)
    editor.until("vim.fn.expand('%:t') == 'resend.py'")
    prompt, line = editor.nvim.vars["offered"]
    assert prompt == "Hunch: related"
    assert "src/mail/resend.py:6" in line or "src/mail/resend.py:1" in line
