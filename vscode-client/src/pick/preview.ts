/** Shows hits in the editor while a person chooses, and leads back to where they were. */
import * as vscode from "vscode";
import type { Hit } from "../protocol";
import { CELL_SCHEME, showAt, toRange } from "../view/places";

export class Preview implements vscode.Disposable {
  private readonly before = vscode.window.activeTextEditor;
  private readonly selection = this.before?.selection;
  private readonly visible = this.before?.visibleRanges[0];
  private readonly wasPreview =
    vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview ?? false;
  private readonly tabs = new Set(openUris());
  private readonly shown = new Set<string>();
  private latest = 0;
  private showing: Promise<void> = Promise.resolve();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    isWholeLine: true,
  });

  /** Show a hit without taking the focus; a newer call wins over an older one. */
  async show(hit: Hit): Promise<void> {
    const turn = ++this.latest;
    const uri = vscode.Uri.parse(hit.uri, true);
    if (uri.scheme === CELL_SCHEME) return;
    const document = await vscode.workspace.openTextDocument(uri);
    if (turn !== this.latest) return;
    this.shown.add(uri.toString());
    this.showing = this.display(document, hit);
    await this.showing;
  }

  /** Show what was shown before, where it was, and close what was only looked at. */
  async restore(): Promise<void> {
    this.latest++;
    if (this.shown.size === 0) return;
    await this.showing.catch(() => undefined);
    if (this.before) await this.showAgain(this.before);
    await vscode.window.tabGroups.close(this.lookedAt(), true);
  }

  dispose(): void {
    this.latest++;
    this.mark.dispose();
  }

  private async showAgain({ document, viewColumn }: vscode.TextEditor): Promise<void> {
    const editor = await vscode.window.showTextDocument(document, {
      ...(viewColumn !== undefined && { viewColumn }),
      preview: this.wasPreview,
    });
    if (this.selection) editor.selection = this.selection;
    if (this.visible) editor.revealRange(this.visible, vscode.TextEditorRevealType.AtTop);
  }

  private async display(document: vscode.TextDocument, hit: Hit): Promise<void> {
    const options = { preview: true, preserveFocus: true };
    const editor = await showAt(document, toRange(hit.range), options);
    editor.setDecorations(this.mark, [toRange(hit.range)]);
    // The list covers the upper half of the editor.
    const start = new vscode.Range(editor.selection.start, editor.selection.start);
    editor.revealRange(start, vscode.TextEditorRevealType.InCenter);
  }

  private lookedAt(): vscode.Tab[] {
    return allTabs().filter((tab) => {
      const uri = uriOf(tab);
      return uri !== undefined && this.shown.has(uri) && !this.tabs.has(uri) && !tab.isDirty;
    });
  }
}

function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

function uriOf(tab: vscode.Tab): string | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri.toString() : undefined;
}

function openUris(): string[] {
  return allTabs().flatMap((tab) => uriOf(tab) ?? []);
}
