/**
 * vitest's global setup: one folder for what is made once in a run, such as images and archives. Nothing is made in it
 * until a test asks; after the last test it is removed, storage and all.
 */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where images and archives of this run are made, for all test files. */
    runFolder: string;
  }
}

const folder = join(tmpdir(), `chancery-run-${process.pid}`);

export function setup(project: TestProject): void {
  project.provide('runFolder', folder);
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
