import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "pure", include: ["tests/pure/**/*.test.ts"] } },
      {
        test: {
          name: "workbench",
          include: ["tests/workbench/all.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          bail: 0,
        },
      },
    ],
  },
});
