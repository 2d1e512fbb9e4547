/** The one server of this window: started, asked, restarted. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { LanguageClient, State, type Middleware } from "vscode-languageclient/node";
import { DID_CHANGE_STATUS, PROTOCOL_VERSION, type IndexState, type Requests } from "../protocol";
import { NoServer, sentence } from "./failures";
import { serverSettings } from "./middleware";
import { clientOptions, executable, type ServerCommand } from "./options";
import { ownContent } from "./ownContent";

/** What the server is doing, for the status item. */
export type Health = "stopped" | "starting" | "running" | "missing";

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();
  private problem = new NoServer("The Hunch server has not been started.");
  private readonly healthChanged = new vscode.EventEmitter<Health>();
  private readonly indexChanged = new vscode.EventEmitter<IndexState>();

  /** Tells whether the server runs. */
  readonly onDidChangeHealth = this.healthChanged.event;
  private readonly becameReady = new vscode.EventEmitter<IndexState>();
  private state = "";

  /** Tells that everything is indexed, after it was not. */
  readonly onDidBecomeReady = this.becameReady.event;
  /** Tells what the server says of its index. */
  readonly onDidChangeIndex = this.indexChanged.event;

  /**
   * @param find names the program to start; throws `NoServer` when there is none
   * @param middleware what happens between VS Code and the server
   */
  constructor(
    private readonly find: () => Promise<ServerCommand>,
    private readonly middleware: Middleware,
    readonly log: vscode.LogOutputChannel,
  ) {}

  /** Why there is no server; undefined while there is one. */
  get failure(): NoServer | undefined {
    return this.client === undefined ? this.problem : undefined;
  }

  /** Start the server, or start it anew; restarts follow one another, never at once. */
  restart(): Promise<void> {
    this.turn = this.turn.then(async () => {
      await this.stopNow();
      await this.startNow();
    });
    return this.turn;
  }

  /** Stop the server after whatever start is under way. */
  stop(): Promise<void> {
    this.turn = this.turn.then(() => this.stopNow());
    return this.turn;
  }

  /**
   * Ask the server; waits for a start that is under way.
   *
   * @throws NoServer when none runs, and whatever the server answers as an error
   */
  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M][0],
    token?: vscode.CancellationToken,
  ): Promise<Requests[M][1]> {
    await this.turn;
    if (this.client === undefined) throw this.problem;
    // An absent token must not be passed: the client would send it as a second param.
    return token
      ? this.client.sendRequest(method, params, token)
      : this.client.sendRequest(method, params);
  }

  /** Tell the server that settings changed; it asks for them. */
  async settingsChanged(): Promise<void> {
    await this.turn;
    await this.client?.sendNotification("workspace/didChangeConfiguration", { settings: null });
  }

  dispose(): void {
    void this.stop();
    this.healthChanged.dispose();
    this.indexChanged.dispose();
    this.becameReady.dispose();
  }

  private async startNow(): Promise<void> {
    this.healthChanged.fire("starting");
    try {
      this.client = await this.connect(await this.find());
      this.healthChanged.fire("running");
    } catch (error) {
      this.problem = error instanceof NoServer ? error : new NoServer(sentence(error));
      this.log.error(sentence(error));
      this.healthChanged.fire("missing");
    }
  }

  private async connect(command: ServerCommand): Promise<LanguageClient> {
    this.log.info("Starting", command.command, "serve");
    const options = clientOptions(this.log, this.middleware, serverSettings());
    const client = new LanguageClient("hunch", "Hunch", executable(command, homedir()), options);
    client.registerFeature(ownContent);
    client.onNotification(DID_CHANGE_STATUS, (state: IndexState) => {
      this.indexChanged.fire(state);
      if (state.state === "ready" && this.state !== "ready") this.becameReady.fire(state);
      this.state = state.state;
    });
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped) this.healthChanged.fire("stopped");
      else if (newState === State.Running) this.healthChanged.fire("running");
    });
    await client.start();
    this.checkVersion(client);
    return client;
  }

  private checkVersion(client: LanguageClient): void {
    const announced = client.initializeResult?.capabilities.experimental as
      { hunch?: { version?: number } } | undefined;
    const version = announced?.hunch?.version;
    if (version === PROTOCOL_VERSION) return;
    void client.stop();
    throw new NoServer(
      `This server speaks version ${version ?? "unknown"} of Hunch's protocol, ` +
        `and this extension version ${PROTOCOL_VERSION}; update the older one.`,
    );
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.log.warn("The server did not stop as it should:", sentence(error));
    }
  }
}
