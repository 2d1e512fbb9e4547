import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "pure", include: ["tests/pure/**/*.test.ts"] } },
      {
        test: {
          name: "workbench",
          include: ["tests/workbench/all.test.ts"],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 20_000, interval: 100 } },
        },
      },
    ],
  },
});
