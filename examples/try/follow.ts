import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually, findKubectl } from '@chancery/testing';
import { DEFAULT_PORT } from './arguments.ts';
import { folderOf } from './examples.ts';
import { isLook, missingIn, type Step, stepsIn } from './transcript.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const START_MS = 60_000;
const STEP_MS = 60_000;
/** As long as a look takes: the example that is looked at has the other half of the time. */
const BETWEEN_LOOKS_MS = 100;

/** A step that was followed: what it printed, and how long it took to print what it promises. */
export interface Followed {
  readonly step: Step;
  readonly output: string;
  readonly tookMs: number;
}

/**
 * Starts an example as `npm run example` does, and follows the steps of its README.
 *
 * @param onStep - told of each as it is done.
 * @throws Error that names the command, and shows what it printed and what was missing.
 */
export async function followReadme(
  name: string,
  onStep: (followed: Followed) => void = () => {},
): Promise<void> {
  const steps = stepsIn(readFileSync(new URL('README.md', folderOf(name)), 'utf8'));
  if (steps.length < 2) throw new Error(`examples/${name}/README.md has no commands to follow`);
  const bin = mkdtempSync(join(tmpdir(), 'chancery-example-'));
  const kubectl = findKubectl(process.env);
  if (kubectl === undefined) throw new Error('no kubectl: install it, or set KUBECTL');
  symlinkSync(kubectl, join(bin, 'kubectl'));
  const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, HOME: bin, KUBECONFIG: '/dev/null' };
  const words = ['--conditions=chancery-source', MAIN, name, '--port', '0'];
  const example = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'], env });
  try {
    const url = await urlOf(example);
    for (const step of steps) onStep(await follow(step, url, env));
  } finally {
    await end(example);
    rmSync(bin, { recursive: true, force: true });
  }
}

/** Where its API server is, once all of it runs. */
async function urlOf(example: ChildProcess): Promise<string> {
  const said: string[] = [];
  let url: string | undefined;
  for (const stream of [example.stdout, example.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      said.push(line);
      url ??= /^Try it: .*--server=(\S+)/.exec(line)?.[1];
    });
  }
  const found = await eventually(
    () => (url !== undefined || example.exitCode !== null ? { url } : undefined),
    { timeoutMs: START_MS },
  );
  if (found.url === undefined) throw new Error(`it did not start:\n${said.join('\n')}`);
  return found.url;
}

async function follow(step: Step, url: string, env: NodeJS.ProcessEnv): Promise<Followed> {
  const command = step.command.replaceAll(`http://127.0.0.1:${DEFAULT_PORT}`, url);
  const startedAt = performance.now();
  for (;;) {
    const child = spawn('sh', ['-c', command], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, complaints, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    const missing = missingIn(output, step);
    const tookMs = performance.now() - startedAt;
    if (code === 0 && missing.length === 0) return { step, output, tookMs };
    if (isLook(step) && tookMs < STEP_MS) {
      await setTimeout(BETWEEN_LOOKS_MS);
      continue;
    }
    throw new Error(
      `$ ${step.command}\nended with ${code}, and did not show: ${missing.join(' | ') || '–'}\n${output}${complaints}`,
    );
  }
}

async function end(example: ChildProcess): Promise<void> {
  if (example.exitCode !== null || example.signalCode !== null) return;
  const gone = once(example, 'exit');
  example.kill('SIGTERM');
  await gone;
}
