import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from 'chancery/low-level';
import { onTestFinished } from 'vitest';
import type { ProgramOptions } from '../../operator/process/program-options.ts';
import { type ProgramResult, runProgram } from '../../operator/process/run-program.ts';

/** What the scripts of these tests need to find `sleep` and `setsid`. */
export const PATH = '/usr/local/bin:/usr/bin:/bin';

/** A folder that goes with the test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'process-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A file that can be executed. */
export async function executable(
  path: string,
  text: string | Buffer,
  mode = 0o755,
): Promise<string> {
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

/** Runs a script of `sh`. */
export function runScript(
  script: string,
  options: Partial<ProgramOptions> = {},
): Promise<ProgramResult> {
  return runProgram({
    program: '/bin/sh',
    args: ['-c', script],
    env: { PATH },
    clock: systemClock,
    signal: new AbortController().signal,
    ...options,
  });
}

/** A variable for the environment of a run, by which a test finds its processes. */
export function marked(): { readonly env: Record<string, string>; alive(): Promise<number> } {
  const mark = randomUUID();
  return {
    env: { PATH, MARK: mark },
    async alive() {
      const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name));
      const texts = await Promise.all(
        pids.map((pid) => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')),
      );
      return texts.filter((text) => text.includes(`MARK=${mark}`)).length;
    },
  };
}
