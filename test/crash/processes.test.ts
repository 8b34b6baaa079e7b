/** A few places with a real SIGKILL; `npm run prove -- crashes` goes through all of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type CrashScenario, crashPoints } from '@chancery/testing';
import { expect, test } from 'vitest';
import { crashScenario, type Sample } from './sample.ts';
import { deletedWebsite, restartedOnce, samples } from './samples.ts';

const FEW_PLACES = { timeout: 240_000 } as const;

async function killed(sample: Sample, calls: CrashScenario['calls']): Promise<readonly string[]> {
  const points = await crashPoints({
    ...crashScenario(sample, 'as a process'),
    ...(calls && { calls }),
  });
  return points.map(({ when, call }) => `${when} ${call.verb} ${call.resource}`);
}

test(
  '[K-20] if a process is killed before or after it writes a finalizer, everything is cleaned up',
  FEW_PLACES,
  async () => {
    const places = await killed(
      deletedWebsite,
      ({ verb, resource, subresource }) =>
        verb === 'patch' && resource === 'websites.example.dev' && subresource === undefined,
    );

    expect(places).toEqual([
      'before patch websites.example.dev',
      'after patch websites.example.dev',
      'before patch websites.example.dev',
      'after patch websites.example.dev',
    ]);
  },
);

test(
  'if a process is killed before or after it restarts the Pods, they are restarted once',
  FEW_PLACES,
  async () => {
    const places = await killed(
      restartedOnce,
      ({ verb, resource }) => verb === 'patch' && resource === 'deployments.apps',
    );

    expect(places).toEqual(['before patch deployments.apps', 'after patch deployments.apps']);
  },
);

/** `npm run prove -- crashes ARGS`. */
async function prove(...args: readonly string[]) {
  const program = fileURLToPath(new URL('prove.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=chancery-source', program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number | null, stdout, stderr };
}

test('`prove -- crashes --help` lists the samples', async () => {
  const { code, stdout } = await prove('--help');

  expect(code).toBe(0);
  expect(samples.filter(({ name }) => !stdout.includes(name))).toEqual([]);
});

test('`prove -- crashes` refuses an unknown argument', async () => {
  const { code, stdout, stderr } = await prove('--minutes');

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('usage: npm run prove -- crashes');
});
