/** One workbench for all that is tried in it; the order is that of a person's afternoon. */
import { afterAll, afterEach, beforeAll } from "vitest";
import { resolve } from "node:path";
import { person, workbench } from "./shared";
import { makeConversation, makeWorkspace } from "./workspace";
import "./search";
import "./related";
import "./conversations";
import "./results";
import "./symbols";
import "./index";
import "./setup";

beforeAll(async () => {
  makeWorkspace(workbench.folder);
  makeConversation(workbench.home, workbench.folder);
  await workbench.start(resolve(import.meta.dirname, "../../hunch.vsix"));
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await person.pictures(`failed: ${task.name}`);
});

afterAll(() => workbench.stop());
