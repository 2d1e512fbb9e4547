/** The view that keeps results: grouped, open as long as the person likes, asked for again. */
import * as vscode from "vscode";
import type { Hit, SearchResult } from "../protocol";
import { group, type Grouping, type HitGroup } from "./groups";
import { bestLine, heading, iconName, place, reason } from "../view/describe";

/** How the results came about, so that they can be asked for again. */
export interface Asked {
  title: string;
  again(): Promise<SearchResult>;
}

type Node = HitGroup | Hit;

export class ResultsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly tree: vscode.TreeView<Node>;
  private hits: Hit[] = [];
  private asked: Asked | undefined;
  private grouping: Grouping = "file";

  constructor() {
    this.tree = vscode.window.createTreeView("hunch.results", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
  }

  /** Show a result and bring the view to the front. */
  async show(result: SearchResult, asked: Asked): Promise<void> {
    this.asked = asked;
    this.take(result);
    await vscode.commands.executeCommand("setContext", "hunch.hasResults", true);
    await vscode.commands.executeCommand("hunch.results.focus");
  }

  /** Ask the same again. */
  async refresh(): Promise<void> {
    const { asked } = this;
    if (!asked) return;
    await vscode.window.withProgress({ location: { viewId: "hunch.results" } }, async () => {
      this.take(await asked.again());
    });
  }

  async groupBy(grouping: Grouping): Promise<void> {
    this.grouping = grouping;
    await vscode.commands.executeCommand("setContext", "hunch.resultsGrouping", grouping);
    this.changed.fire(undefined);
  }

  async clear(): Promise<void> {
    this.hits = [];
    this.asked = undefined;
    this.tree.description = "";
    this.tree.message = "";
    await vscode.commands.executeCommand("setContext", "hunch.hasResults", false);
    this.changed.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) return group(this.hits, this.grouping);
    return "hits" in node ? node.hits : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return "hits" in node ? this.groupItem(node) : hitItem(node);
  }

  dispose(): void {
    this.tree.dispose();
    this.changed.dispose();
  }

  private take(result: SearchResult): void {
    this.hits = result.hits;
    this.tree.description = this.asked?.title ?? "";
    this.tree.message = result.hits.length === 0 ? "Nothing found." : "";
    this.changed.fire(undefined);
  }

  private groupItem(node: HitGroup): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Expanded);
    item.id = `${this.grouping}:${node.label}`;
    item.description = String(node.hits.length);
    const [first] = node.hits;
    if (this.grouping === "file" && first && first.kind !== "conversation") {
      item.resourceUri = vscode.Uri.parse(first.uri);
      item.iconPath = vscode.ThemeIcon.File;
    } else if (first) {
      item.iconPath = new vscode.ThemeIcon(iconName({ ...first, symbolKind: 0 }));
    }
    return item;
  }
}

function hitItem(hit: Hit): vscode.TreeItem {
  const item = new vscode.TreeItem(heading(hit), vscode.TreeItemCollapsibleState.None);
  item.description = `${hit.range.start.line + 1}  ${bestLine(hit)}`;
  item.iconPath = new vscode.ThemeIcon(iconName(hit));
  item.tooltip = `${place(hit)}\n${reason(hit)}`;
  item.accessibilityInformation = { label: `${heading(hit)}, ${place(hit)}, ${reason(hit)}` };
  item.contextValue = "hit";
  item.command = { command: "hunch.results.open", title: "Open", arguments: [hit] };
  return item;
}
