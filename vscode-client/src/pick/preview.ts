/** Shows hits in the editor while a person chooses, and leads back to where they were. */
import * as vscode from "vscode";
import type { Hit } from "../protocol";
import { openHit, toRange } from "../view/places";

export class Preview implements vscode.Disposable {
  private readonly before = vscode.window.activeTextEditor;
  private readonly selection = this.before?.selection;
  private readonly visible = this.before?.visibleRanges[0];
  private readonly wasPreview =
    vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview ?? false;
  private readonly tabs = new Set(openUris());
  private readonly shown = new Set<string>();
  private latest = 0;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    isWholeLine: true,
  });

  /** Show a hit without taking the focus; a newer call wins over an older one. */
  async show(hit: Hit): Promise<void> {
    const turn = ++this.latest;
    this.shown.add(vscode.Uri.parse(hit.uri, true).toString());
    const editor = await openHit(hit, { preview: true, preserveFocus: true });
    if (editor && turn === this.latest) editor.setDecorations(this.mark, [toRange(hit.range)]);
  }

  /** Close what was only looked at, and show what was shown before, where it was. */
  async restore(): Promise<void> {
    this.latest++;
    if (this.shown.size === 0) return;
    await vscode.window.tabGroups.close(this.lookedAt(), true);
    if (!this.before) return;
    const { document, viewColumn } = this.before;
    const editor = await vscode.window.showTextDocument(document, {
      ...(viewColumn !== undefined && { viewColumn }),
      preview: this.wasPreview,
    });
    if (this.selection) editor.selection = this.selection;
    if (this.visible) editor.revealRange(this.visible, vscode.TextEditorRevealType.AtTop);
  }

  dispose(): void {
    this.latest++;
    this.mark.dispose();
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
