/** A project outside of this repository, and `chancery dev` in it. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import { BIN, type Child, start } from '../../cli/child.ts';
import { pathOf } from '../../tools/tools.ts';

/** Many programs start, on a machine that others use, too. */
export const PATIENT = { timeoutMs: 35_000 };

export class Project {
  readonly folder: string;

  constructor(files: Readonly<Record<string, string>>) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'chancery-dev-')));
    onTestFinished(() => rmSync(this.folder, { recursive: true }));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Saves into the file itself. */
  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  /** Saves as many editors do: another file takes the name. */
  replace(name: string, text: string): void {
    const draft = this.path(`${name}.draft`);
    writeFileSync(draft, text);
    renameSync(draft, this.path(name));
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  makeExecutable(name: string): void {
    chmodSync(this.path(name), 0o755);
  }

  /** TypeScript as `npm install` would bring it. */
  installTypeScript(): void {
    mkdirSync(this.path('node_modules'), { recursive: true });
    for (const name of ['typescript', '@typescript']) {
      symlinkSync(
        fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url)),
        this.path(`node_modules/${name}`),
      );
    }
  }
}

/** A `chancery dev` that runs. */
export class Dev {
  readonly child: Child;

  constructor(child: Child) {
    this.child = child;
  }

  get lines(): readonly string[] {
    return this.child.stderr.lines;
  }

  /** What it says itself, without the operator's log. */
  get said(): readonly string[] {
    return this.lines.filter((line) => line.startsWith('dev: ')).map((line) => line.slice(5));
  }

  /** Lines of the operator's log with this message. */
  logged(message: string): readonly Readonly<Record<string, unknown>>[] {
    return this.lines
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      .filter(({ msg }) => msg === message);
  }

  /** Resolves with the first line that has this text. */
  says(text: string, count: number = 1): Promise<string> {
    return eventually(() => {
      const found = this.lines.filter((line) => line.includes(text));
      return found.length >= count && (found[0] ?? text);
    }, PATIENT).catch((cause: unknown) => {
      throw new Error(`it did not say ${JSON.stringify(text)}:\n${this.lines.join('\n')}`, {
        cause,
      });
    });
  }

  /** Resolves when the operator has logged `reconciled` with this word. */
  async reconciles(word: string): Promise<void> {
    await eventually(() => this.logged('reconciled').some((line) => line.word === word), PATIENT);
  }

  /** The URL that it prints after this name. */
  async url(name: string): Promise<string> {
    const line = await this.says(`dev: ${name}`);
    return /http:\S+/.exec(line)?.[0] ?? '';
  }

  /** The URL that it printed last after this name. */
  lastUrl(name: string): string {
    const line = this.said.findLast((each) => each.startsWith(name)) ?? '';
    return /http:\S+/.exec(line)?.[0] ?? '';
  }

  /** The processes that it has started, and those that they have started. */
  descendants(): readonly number[] {
    const { pid } = this.child;
    const rows = parentsOfProcesses();
    const found = new Set([pid]);
    for (const before = { size: 0 }; before.size < found.size; ) {
      before.size = found.size;
      for (const [each = 0, parent = 0] of rows) if (found.has(parent)) found.add(each);
    }
    found.delete(pid);
    return [...found];
  }
}

/** The id and the id of the parent of every process. Linux has both in /proc, and `ps` may not be installed. */
function parentsOfProcesses(): readonly (readonly number[])[] {
  if (!existsSync('/proc/self/stat')) {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    return table
      .trim()
      .split('\n')
      .map((row) => row.trim().split(/\s+/).map(Number));
  }
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((pid) => {
      // `PID (NAME) STATE PPID …`, and the name may have brackets and spaces.
      const stat = readIfThere(`/proc/${pid}/stat`);
      const parent = /^.*\) \S+ ([0-9]+)/s.exec(stat)?.[1];
      return parent === undefined ? [] : [[Number(pid), Number(parent)]];
    });
}

/** Empty when the process has ended. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Resolves when none of these processes is there. */
export async function allGone(pids: readonly number[]): Promise<void> {
  await eventually(() => pids.every((pid) => !isThere(pid)), PATIENT);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * `chancery dev ARGS` in a project. The ambassador is that of the lane: the stand-in in `npm test`, a real
 * `kubectl proxy` in `npm run test:tools`.
 */
export function startDev(
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Dev {
  const isReal = process.env.CHANCERY_TEST_AMBASSADOR === 'kubectl';
  const KUBECTL = isReal ? pathOf('kubectl') : project.path('no-kubectl');
  const child = start(
    process.execPath,
    [BIN, 'dev', ...args],
    { CHANCERY_LOG_FORMAT: 'json', KUBECTL, ...env },
    project.folder,
  );
  return new Dev(child);
}

/** `chancery ARGS` in a project, with the project's file `kubectl` as kubectl. */
export function startChancery(
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Child {
  const KUBECTL = project.path('kubectl');
  return start(process.execPath, [BIN, ...args], { KUBECTL, ...env }, project.folder);
}

/** An operator that logs a word for each ConfigMap. */
export const OPERATOR = `
import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { word } from './word.ts';

export default controller({
  name: 'hello',
  for: source(configMaps),
  async reconcile(configMap, { key, log }) {
    if (key.endsWith('/sample')) log.info({ word }, 'reconciled');
  },
});
`;

export const word = (text: string): string => `export const word: string = '${text}';\n`;

export const SAMPLE = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: sample
  namespace: demo
`;

/** The files of a project that reconciles one ConfigMap of the namespace `demo`. */
export const HELLO = {
  'package.json': '{ "type": "module" }',
  'src/operator.ts': OPERATOR,
  'src/word.ts': word('one'),
  'samples/sample.yaml': SAMPLE,
};
