import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { pathOf } from '../../tools/tools.ts';

const dockerfile = readFileSync(new URL('../../../Dockerfile.proxy', import.meta.url), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replaceAll('\\\n', '');

/** The image's entry point: `/kubectl` and its arguments. */
export function entryPoint(): readonly string[] {
  const [, json = ''] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
  return JSON.parse(json) as string[];
}

/** The image's environment. */
export function environment(): Readonly<Record<string, string>> {
  const [, pairs = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? [];
  return Object.fromEntries(
    pairs
      .trim()
      .split(/\s+/)
      .map((pair): [string, string] => {
        const [name = '', value = ''] = pair.split('=', 2);
        return [name, value];
      }),
  );
}

/**
 * The image's process as the kubelet starts it, with the Pod's `args` behind the entry point; but with
 * our kubectl, in front of `server`, and on a free port. Resolves to its URL.
 */
export function startImage(server: string, args: readonly string[]): Promise<string> {
  const [, ...fixed] = entryPoint();
  return startKubectlWith(server, [...fixed, ...args], environment());
}

/** Our kubectl with these arguments and no variable but these, in front of `server`, on a free port. */
export async function startKubectlWith(
  server: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn(pathOf('kubectl'), [...args, `--server=${server}`, '--port=0'], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`kubectl exited with ${code}`))),
  ])) as [string];
  return `http://${line.replace('Starting to serve on ', '')}`;
}
