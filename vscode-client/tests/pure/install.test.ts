import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { onPath, run } from "../../src/install/programs";
import { pipFailure } from "../../src/install/sentences";
import { isAtLeast, versionIn } from "../../src/install/versions";

const root = mkdtempSync(join(tmpdir(), "hunch-programs-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

describe("versions", () => {
  test.each([
    ["hunch, version 0.1.0", "0.1.0"],
    ["3.12.4\n", "3.12.4"],
    ["no number", undefined],
  ])("%s → %s", (text, version) => {
    expect(versionIn(text)).toBe(version);
  });

  test.each([
    ["3.11", "3.11", true],
    ["3.9.18", "3.11", false],
    ["3.11.0", "3.11", true],
    ["0.10.0", "0.9.9", true],
    ["0.1", "0.1.1", false],
    ["4", "3.11", true],
  ])("%s is at least %s: %s", (version, other, is) => {
    expect(isAtLeast(version, other)).toBe(is);
  });
});

describe("what pip says", () => {
  test.each([
    ["ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407'))", "A proxy"],
    ["SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]", "a certificate"],
    ["NewConnectionError: Temporary failure in name resolution", "cannot be reached"],
    ["OSError: [Errno 28] No space left on device", "The disk is full"],
    ["ERROR: No matching distribution found for numpy>=2.1", "not all that Hunch needs"],
    [
      "WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: No matching distribution",
      "cannot be reached",
    ],
    ["something else", "the log says why"],
  ])("%s → … %s …", (output, words) => {
    expect(pipFailure(output)).toContain(words);
  });
});

describe("programs", () => {
  const program = (folder: string, name: string, mode = 0o755): string => {
    mkdirSync(join(root, folder), { recursive: true });
    const path = join(root, folder, name);
    writeFileSync(path, "#!/bin/sh\necho told; echo failed >&2; exit 3\n");
    chmodSync(path, mode);
    return path;
  };

  test("are found in PATH's order, only where they can be run, and never in relative folders", async () => {
    const [first, second] = [program("a", "hunch"), program("b", "hunch")];
    program("c", "hunch", 0o644);
    const path = ["relative", ".", join(root, "c"), join(root, "a"), join(root, "b")];
    expect(await onPath(["hunch"], path.join(delimiter))).toEqual([first, second]);
  });

  test("tell what they say line by line, and how they end", async () => {
    const lines: string[] = [];
    const path = program("d", "loud");
    const { code, output } = await run(path, [], { onLine: (line) => lines.push(line) });
    expect(code).toBe(3);
    expect(output).toContain("told");
    expect(lines.sort()).toEqual(["failed", "told"]);
  });

  test("that cannot be started end with -1", async () => {
    expect((await run(join(root, "none"), [])).code).toBe(-1);
  });

  test("end when they are told to", async () => {
    const stop = new AbortController();
    const running = run("sleep", ["60"], { signal: stop.signal });
    stop.abort();
    expect((await running).code).toBe(-1);
  });
});
