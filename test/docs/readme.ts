import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const README = 'README.md';
export const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  bin: Record<string, string>;
};

/** The indented and fenced code of a section, by its heading. */
export function codeOf(heading: string, file: string = README): string {
  const indented = sectionOf(heading, file)
    .replaceAll(/^```.*?^```/gms, '')
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.slice(4));
  return [...fencedIn(heading, file), indented.join('\n')].join('\n');
}

function sectionOf(heading: string, file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  const section = text.split(/^## /m).find((each) => each.startsWith(heading));
  if (section === undefined) throw new Error(`${file} has no section ${heading}`);
  return section;
}

/** The fenced code of a section, block by block. */
export function fencedIn(heading: string, file: string = README): string[] {
  return [...sectionOf(heading, file).matchAll(/^```\w*\n(.*?)^```/gms)].map(
    ([, code]) => code ?? '',
  );
}

/** A folder in which `chancery` is a command, as after an installation. */
export function folderWithChancery(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, packageJson.bin.chancery ?? ''), join(folder, 'chancery'));
  return folder;
}

export interface Running {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly child: ChildProcess;
}

/** A command line under `sh`, in a process group of its own so that its end ends all of it. */
export function shell(script: string, env: Record<string, string | undefined> = {}): Running {
  const child = spawn('sh', ['-c', script], {
    cwd: root,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => stdout.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const gone = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  });
  return { stdout, stderr, child };
}

/** PATH with `folder` first, and the Node that runs the tests before any other. */
export const pathWith = (folder: string): string =>
  [folder, dirname(process.execPath), process.env.PATH].join(':');
