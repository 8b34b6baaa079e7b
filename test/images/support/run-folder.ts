/**
 * vitest's global setup: one folder for the images of a run. Nothing is made in it until a test asks
 * for an image; after the last test it is removed, storage and all.
 */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the images of this run are built, for all test files. */
    imagesFolder: string;
  }
}

const folder = join(tmpdir(), `chancery-images-${process.pid}`);

export function setup(project: TestProject): void {
  project.provide('imagesFolder', folder);
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
