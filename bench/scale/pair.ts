import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProfileName } from '../../test/support/load/profiles.ts';
import { built, chanceryEntry } from '../build.ts';
import { numberIn } from '../message.ts';
import { Speaker } from '../speaker.ts';

/** Longer than any answer takes on a machine that others use, too. */
const TIMEOUT_MS = 90_000;

/** The code that processes run: what was built, or, where nothing is measured, the sources. */
export interface Code {
  /** A file of the harness, such as `load-server`. */
  readonly file: (name: string) => string;
  /** The public entry of Chancery. */
  readonly entry: string;
}

/** What `npm run build` and `buildSubjects` have made. */
export function builtCode(): Code {
  return { file: (name) => built(`${name}.js`), entry: chanceryEntry() ?? '' };
}

/** What is under version control, for tests of what happens rather than of how fast. */
export function sourceCode(): Code {
  const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  return { file: (name) => path(`../${name}.ts`), entry: path('../../operator/index.ts') };
}

export interface PairOptions {
  readonly code: Code;
  readonly profile: ProfileName;
  readonly objects: number;
  /** Its file, without folder. */
  readonly subject: string;
  readonly mode?: string;
  /** More for the subject's command line. */
  readonly words?: readonly string[];
  /** Where the load server listens. Default: anywhere. */
  readonly port?: number;
  /** How long the load server takes for a page. Default 0. */
  readonly listMs?: number;
  readonly deadline: AbortSignal;
}

/** A load server and a subject, both started. */
export interface Pair {
  readonly server: Speaker;
  readonly child: Speaker;
}

/** Starts both in processes of their own, which are gone when `work` has ended. */
export async function withPair<R>(
  options: PairOptions,
  work: (pair: Pair) => Promise<R>,
): Promise<R> {
  const { code, profile, objects, subject, mode = 'envelope', words = [], deadline } = options;
  const { port = 0, listMs = 0 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'chancery-scale-'));
  const common = { command: process.execPath, timeoutMs: TIMEOUT_MS, deadline } as const;
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    CHANCERY_ENTRY: code.entry,
    NO_PROXY: '*',
  };
  const ends: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const serverWords = [profile, objects, 'whole', port, listMs].map(String);
    const server = new Speaker({
      ...common,
      words: [code.file('load-server'), ...serverWords],
      environment,
    });
    ends.unshift(() => server.end());
    const url = `http://127.0.0.1:${numberIn(await server.hear('listening'), 'port')}`;
    const childWords = [url, profile, mode, String(objects), ...words];
    const child = new Speaker({
      ...common,
      words: ['--expose-gc', code.file(`subjects/${subject}`), ...childWords],
      environment,
    });
    ends.unshift(() => child.end());
    return await work({ server, child });
  } finally {
    for (const end of ends) await end();
  }
}
