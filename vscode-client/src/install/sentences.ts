/** What kept the server from being installed, in sentences that say what to do. */
import { OLDEST_PYTHON } from "./versions";

export const NO_PYTHON =
  `Hunch needs Python ${OLDEST_PYTHON} or newer, and none was found. ` +
  "Install one, or name it in the setting hunch.server.python.";

export function tooOld(version: string): string {
  return (
    `Python ${version} is too old for Hunch, which needs ${OLDEST_PYTHON} or newer. ` +
    "Install a newer one, or name it in the setting hunch.server.python."
  );
}

export const NO_VENV =
  "This Python cannot make environments (its venv module is missing). " +
  "On Debian and Ubuntu install the package python3-venv; else choose another Python.";

const PIP_FAILURES: [RegExp, string][] = [
  [
    /ProxyError|Tunnel connection failed|407 Proxy/i,
    "A proxy refused to let pip through. Name it with its user in VS Code's setting http.proxy, or in the environment variable HTTPS_PROXY.",
  ],
  [
    /CERTIFICATE_VERIFY_FAILED|SSLError|self.signed certificate/i,
    "The package index has a certificate that Python does not trust, as behind the proxy of a company. Name the company's certificate in the environment variable PIP_CERT.",
  ],
  [
    /NewConnectionError|NameResolutionError|Temporary failure in name resolution|getaddrinfo failed|Network is unreachable|Connection refused|ConnectTimeout|ConnectionError|Read timed out/i,
    "The package index cannot be reached. Connect to the network and try again, or install hunch-ls where it can be had and name the program in the setting hunch.server.path.",
  ],
  [/No space left on device|ENOSPC|disk full/i, "The disk is full."],
  [/Permission denied|EACCES|EPERM/i, "The folder of this extension may not be written."],
  [
    /No matching distribution|Could not find a version/i,
    "The package index has not all that Hunch needs for this Python. Choose another Python, or install hunch-ls by hand and name the program in the setting hunch.server.path.",
  ],
];

/** What pip's output means; the log has all of it. */
export function pipFailure(output: string): string {
  const known = PIP_FAILURES.find(([pattern]) => pattern.test(output));
  return known?.[1] ?? "pip could not install the server; the log says why.";
}
