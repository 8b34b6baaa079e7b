/**
 * The curl commands of docs/guides/test/by-command.md, as they stand there.
 *
 * @module-tag curl
 */
import { once } from 'node:events';
import { AdminEndpoint, ApiServer, MovableClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../cli/child.ts';
import { folderWithTools } from '../tools/links.ts';
import { guide } from './guide.ts';
import { pathWith, shell } from './readme.ts';

test('the curl commands in by-command.md succeed, and do what the page says', async () => {
  const clock = new MovableClock();
  const server = await ApiServer.start({ clock });
  onTestFinished(() => server.close());
  const admin = await AdminEndpoint.start(server, { clock });
  onTestFinished(() => admin.close());
  const [, commands = ''] =
    /^```sh curl\n(.*?)^```$/ms.exec(guide('guides/test/by-command.md')) ?? [];
  const before = clock.now();

  const { child, stderr } = shell(`cd "$WORK"; set -e\n${commands}`, {
    PATH: pathWith(folderWithTools('curl')),
    WORK: folderWith({}),
    ADMIN: admin.url,
  });
  const [code] = await once(child, 'close');

  expect({ code, stderr }).toEqual({ code: 0, stderr: [] });
  expect(commands.match(/^curl /gm)).toHaveLength(5);
  expect(server.faults.rules).toEqual([{ verbs: ['list'], status: 503, count: 1 }]);
  expect(clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
});
