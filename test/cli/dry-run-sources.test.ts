/** `chancery run --dry-run` whose sources cannot be listed: it ends, and says which and why. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runModules } from '../../operator/cli/run/run.ts';
import { RUN } from '../../operator/cli/run/table.ts';
import { command } from '../../operator/cli/table-command.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';
import { startServer } from './server.ts';

const MODULE = `
import { controller, defineResource } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

const gadgets = defineResource({
  group: 'example.dev', version: 'v1', plural: 'gadgets', kind: 'Gadget', namespaced: true,
});

export const maps = () => controller({
  name: 'maps', for: configMaps, reconcile: async () => {},
});
export const gadget = () => controller({
  name: 'gadget', for: gadgets, reconcile: async () => {},
});
`;

/** The filter of an ambassador that lets nothing through. */
async function closedAmbassador(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'text/plain' }).end('<h3>Unauthorized</h3>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  [
    'forbidden by RBAC',
    'maps',
    async () => (await startServer({ authorization: 'RBAC' })).urlFor('jane'),
    /no first list within 30 s of configmaps: 403 Forbidden: configmaps is forbidden: User "jane"/,
  ],
  [
    'not served',
    'gadget',
    async () => (await startServer()).url,
    /no first list within 30 s of gadgets\.example\.dev: 404 NotFound: /,
  ],
  [
    'refused by the ambassador’s filter',
    'maps',
    closedAmbassador,
    /no first list within 30 s of configmaps: .*refused GET \/api\/v1\/namespaces\/demo\/configmaps/,
  ],
])('[real R-5] if a source is %s, a dry run exits with 1 after 30 s, and prints the source and the reason', async (_, name, start, words) => {
  const clock = new FakeClock();
  const folder = folderWith({
    'controllers.ts': MODULE,
    'operator.ts': `import { ${name} } from './controllers.ts'; export default ${name}();`,
  });
  const { exit, stderr } = invoke(['run', '--dry-run', `${folder}/operator.ts`], {
    commands: [command(RUN, async () => (given, io) => runModules(given, io, { clock }))],
    env: { CHANCERY_API_URL: await start(), WATCH_NAMESPACE: 'demo' },
  });
  const ended: number[] = [];
  const ending = exit.then((code) => ended.push(code));
  await eventually(() =>
    stderr.lines.some((line) => /source is (forbidden|not served)/.test(line)),
  );

  clock.advance(29_999);
  const early = [...ended];
  clock.advance(1);
  await eventually(() => {
    clock.advance(100); // the stop has waits of its own
    return ended.length > 0;
  });
  await ending;

  expect(early).toEqual([]);
  expect(ended).toEqual([1]);
  expect(stderr.lines.filter((line) => !line.startsWith('{')).at(-1)).toMatch(words);
});
