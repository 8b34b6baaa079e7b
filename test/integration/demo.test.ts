/** `npm start`, as a newcomer runs it: a process of its own, no terminal, with and without kubectl. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../examples/demo/main.ts', import.meta.url));

async function runDemo(
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--conditions=chancery-source', MAIN], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stdout, stderr };
}

test.each([
  ['a real kubectl proxy', process.env, /ambassador +kubectl proxy v1\.\d+\.\d+ is at/],
  [
    'a stand-in where there is no kubectl',
    { PATH: '/nonexistent' },
    /a stand-in for kubectl proxy is at/,
  ],
])(
  'rolls the Pods of the sample behind %s, tells it in 40 lines, and ends with 0',
  { timeout: 60_000 },
  async (_what, env, ambassador) => {
    const { code, stdout, stderr } = await runDemo(env);

    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(ambassador);
    expect(stdout.match(/Pod \S+ is ready/g)).toHaveLength(6);
    expect(stdout.match(/Pod \S+ is gone/g)).toHaveLength(3);
    expect(stdout).toContain('all 3 Pods are new');
    expect(stdout.split('\n').length).toBeLessThanOrEqual(40);
  },
);
