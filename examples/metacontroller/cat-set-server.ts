/** Starts the Python server of the CatSets beside the operator: `npm run example -- metacontroller`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** @returns what ends it. @throws Error when there is no python3, or its port is taken. */
export async function start(): Promise<() => Promise<void>> {
  const program = fileURLToPath(new URL('functions/cat-set.py', import.meta.url));
  const server = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = Promise.withResolvers<void>();
  server.once('exit', () => ended.resolve());
  server.once('error', () => ended.resolve()); // there is no python3
  const listening = once(createInterface({ input: server.stdout }), 'line');
  const failed = ended.promise.then(() => {
    throw new Error('functions/cat-set.py ended: it needs python3, and port 8088');
  });
  failed.catch(() => {}); // it also ends when it is told to
  await Promise.race([listening, failed]);
  return async () => {
    server.kill();
    await ended.promise;
  };
}
