import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Killable } from '@chancery/testing';

const BIN = fileURLToPath(new URL('../../operator/cli/chancery.js', import.meta.url));

/** Characters of its log that are shown when it ends by itself, which it never should. */
const LAST_WORDS = 2_000;

/** `chancery run MODULE` in a process of its own; `kill` is SIGKILL, and waits for its end. */
export function startProcess(module: URL, url: string, namespace: string): Killable {
  const child = spawn(process.execPath, [BIN, 'run', fileURLToPath(module)], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: compileCache(),
      CHANCERY_API_URL: url,
      CHANCERY_HEALTH_PORT: '0',
      CHANCERY_METRICS_PORT: '0',
      CHANCERY_WEBHOOK_LISTEN: '127.0.0.1:0',
      WATCH_NAMESPACE: namespace,
      POD_NAMESPACE: namespace,
      CHANCERY_INSECURE_ALLOW_TOKEN: 'true', // this may run in a Pod that has one
      CHANCERY_SELF_TEST: 'off', // its requests are no calls between which anything could be lost
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-LAST_WORDS);
  });
  const ended = once(child, 'close').then(([code]) => {
    if (code !== null) process.stderr.write(`the operator ended by itself, with ${code}: ${said}`);
  });
  const killNow = (): void => void child.kill('SIGKILL');
  process.once('exit', killNow);
  return {
    async kill() {
      killNow();
      await ended;
      process.removeListener('exit', killNow);
    },
  };
}

const CACHE =
  process.env.NODE_COMPILE_CACHE ??
  fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

let isWarm = false;

/**
 * The folder in which Node keeps what it has compiled: hundreds of starts of the same sources take a
 * third of the time. A process that ends by itself fills it, because one that is killed leaves
 * nothing there.
 */
function compileCache(): string {
  if (isWarm) return CACHE;
  isWarm = true;
  const nothing = fileURLToPath(new URL('modules/nothing.ts', import.meta.url));
  spawnSync(process.execPath, [BIN, 'run', nothing], {
    env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: CACHE },
    stdio: 'ignore',
  });
  return CACHE;
}
