/** Which settings go to the server, and what is sent of them. */

/** The server's settings by their name below `hunch.`; all others are the editor's alone. */
export const SERVER_SETTINGS = [
  "embedder",
  "ollama.url",
  "ollama.model",
  "ollama.batchSize",
  "ollama.concurrency",
  "index.maxFileBytes",
  "conversations.off",
  "conversations.folders",
  "conversations.exports",
  "conversations.exclude",
  "conversations.redact",
  "conversations.forgetDeleted",
  "conversations.halfLifeDays",
  "database",
] as const;

/** What somebody set, by layer; the shape that VS Code's `inspect` returns. */
export interface Layers {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/**
 * Collect what the person set and leave the defaults out, so that they do not hide what stands in
 * the user's own `config.toml`, which the server reads first.
 *
 * @param inspect what is set under a name, layer by layer
 * @param get the value that VS Code makes of the layers (a restricted folder's does not count)
 */
export function explicitSettings(
  inspect: (name: string) => Layers | undefined,
  get: (name: string) => unknown,
): Record<string, unknown> {
  const chosen = SERVER_SETTINGS.filter((name) => isSet(inspect(name)));
  return Object.fromEntries(chosen.map((name) => [name, get(name)]));
}

function isSet(layers: Layers | undefined): boolean {
  return (
    layers !== undefined &&
    [layers.globalValue, layers.workspaceValue, layers.workspaceFolderValue].some(
      (value) => value !== undefined,
    )
  );
}
