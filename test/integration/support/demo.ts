import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../examples/demo/main.ts', import.meta.url));

/** Runs `npm start` as a newcomer does, and expects what it tells of the Pods it rolls. */
export async function expectDemoRollsPods(
  env: NodeJS.ProcessEnv,
  ambassador: RegExp,
): Promise<void> {
  const { code, stdout, stderr } = await runDemo(env);

  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(ambassador);
  expect(stdout.match(/Pod \S+ is ready/g)).toHaveLength(6);
  expect(stdout.match(/Pod \S+ is gone/g)).toHaveLength(3);
  expect(stdout).toContain('all 3 Pods are new');
  expect(stdout).not.toContain('health check');
  expect(stdout.split('\n').length).toBeLessThanOrEqual(40);
}

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
