/** What can go wrong between this client and the server, in sentences for a person. */

/** There is no server to ask; `message` says why and what to do. */
export class NoServer extends Error {
  override name = "NoServer";

  /** @param canInstall whether installing one would help */
  constructor(
    message: string,
    readonly canInstall = false,
  ) {
    super(message);
  }
}

/** Codes of answers that only say that nobody waits for them any more. */
const CANCELLED = new Set([-32800, -32801, -32802]);

/** Whether an error says no more than that the request was given up. */
export function isCancellation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "Canceled" || CANCELLED.has((error as { code?: number }).code ?? 0);
}

/** The sentence to show for whatever was thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
