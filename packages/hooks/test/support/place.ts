/**
 * Hooks in their Pod: a folder of executables, behind the ambassador of the lane with the filter that is generated
 * for them, as a ServiceAccount with the roles that are generated for them, and no more.
 */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Setup, startExample } from '../../../../examples/testing/place.ts';
import type { Place } from '../../../../examples/testing/started-place.ts';
import type { AccessDeclaration } from '../../../../operator/controller/access-declaration.ts';
import { systemClock } from '../../../../operator/core/clock.ts';
import { createYamlReader } from '../../../../operator/core/yaml-thread/yaml-reader.ts';
import { declaringRunnables } from '../../../../operator/manager/runnable.ts';
import {
  HOOKS_DEFAULTS,
  type HooksProgram,
  type HooksProgramOptions,
  loadHooksProgram,
} from '../../src/hooks-program.ts';
import { createJq } from '../../src/jq/create-jq.ts';
import { type Language, Recorder } from './recorder.ts';

export { type Context, inShort, LANGUAGES, type Language, type Recorder } from './recorder.ts';

export interface HooksSetup
  extends Partial<Omit<Setup, 'controllers' | 'runnables' | 'restarted'>> {
  /** Recorders by their name below the folder, and what they answer to `--config`. */
  readonly recorders?: Readonly<Record<string, string>>;
  /** Of the recorders. Default Node. */
  readonly language?: Language;
  /** Other files by their path below the folder. All are executable but `.yaml`, `.json` and `.md`. */
  readonly files?: Readonly<Record<string, string>>;
  /** See `chancery hooks --help`. */
  readonly options?: Partial<HooksProgramOptions>;
}

export interface HooksPlace extends Place {
  /** The folder. */
  readonly dir: string;
  /** What was read of the folder. */
  readonly program: HooksProgram;
  /** What it declares that it does at the API server. */
  readonly declarations: readonly AccessDeclaration[];
  /** @throws Error when there is none. */
  hook(name: string): Recorder;
}

/** A folder with these hooks. It is removed after the test. */
export async function hooksFolder({
  recorders = {},
  files = {},
  language = 'node',
}: Pick<HooksSetup, 'recorders' | 'files' | 'language'>): Promise<{
  readonly dir: string;
  readonly hook: (name: string) => Recorder;
}> {
  const home = await mkdtemp(join(tmpdir(), 'chancery-hooks-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const dir = join(home, 'hooks');
  await mkdir(dir);
  const known = new Map<string, Recorder>();
  for (const [name, config] of Object.entries(recorders)) {
    const recorder = new Recorder(join(home, 'records', name), language);
    await recorder.prepare(config);
    await writeHook(join(dir, name), recorder.script);
    known.set(name, recorder);
  }
  for (const [path, text] of Object.entries(files)) await writeHook(join(dir, path), text);
  const hook = (name: string): Recorder => {
    const found = known.get(name);
    if (found === undefined) throw new Error(`no recorder ${name}`);
    return found;
  };
  return { dir, hook };
}

const DATA = /\.(ya?ml|json|md|txt)$/;

/** Writes a file of a hooks folder, executable unless it is data. */
export async function writeHook(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  if (!DATA.test(path)) await chmod(path, 0o755);
}

/** Hooks in a place of the test's own. All in it ends with the test, which fails if anything was refused. */
export async function startHooks(setup: HooksSetup): Promise<HooksPlace> {
  const { recorders, files, language, options, ...others } = setup;
  const folder = await hooksFolder({
    ...(recorders && { recorders }),
    ...(files && { files }),
    ...(language && { language }),
  });
  const load = () => loadFolder(folder.dir, setup);
  const program = await load();
  const later = await load();
  const place = await startExample({
    name: 'hooks',
    manifests: [],
    ...others,
    controllers: [],
    runnables: [program.runnable],
    restarted: () => ({ controllers: [], runnables: [later.runnable] }),
  });
  const declarations = declaringRunnables([program.runnable]);
  return Object.assign(place, { ...folder, program, declarations });
}

/** Reads a folder as `chancery hooks` does. What it opened is closed after the test. */
export async function loadFolder(
  dir: string,
  { clock = systemClock, options }: Pick<HooksSetup, 'clock' | 'options'> = {},
): Promise<HooksProgram> {
  const jq = createJq({ clock: systemClock });
  const yaml = createYamlReader({ clock: systemClock });
  onTestFinished(async () => {
    await Promise.all([jq.close(), yaml.close()]);
  });
  return loadHooksProgram(dir, {
    ...HOOKS_DEFAULTS,
    environment: process.env,
    apiUrl: 'http://127.0.0.1:8001',
    definitions: [],
    ownMetric: () => undefined,
    tmpDir: join(dirname(dir), 'tmp'),
    ...{ jq, yaml, clock, signal: new AbortController().signal },
    ...options,
  });
}
