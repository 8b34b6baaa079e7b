import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { entryPoint, environment } from '../../proxy/support/image.ts';
import { pathOf } from '../../tools/tools.ts';

/**
 * The ambassador's process as `startImage` starts it, for arguments that name a socket: the volume that
 * the containers share is a new folder. Resolves to the operator's `CHANCERY_API_URL` for it.
 *
 * @param url - the operator's, as the manifests have it.
 */
export async function startSocketImage(
  server: string,
  args: readonly string[],
  url: string,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-volume-'));
  const mounted = (text: string): string => text.replace('/run/ambassador', folder);
  const [, ...fixed] = entryPoint();
  const child = spawn(pathOf('kubectl'), [...fixed, ...args.map(mounted), `--server=${server}`], {
    env: { ...environment() },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
    rmSync(folder, { recursive: true });
  });
  await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exit.then(([code]) => Promise.reject(new Error(`kubectl exited with ${code}`))),
  ]);
  return mounted(url);
}
