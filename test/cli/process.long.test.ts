/** What only a process of its own can show: signals, pipes, exit codes, shells. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { BIN, chancery, folderWith, start } from './child.ts';
import { configMap, summary } from './printed.ts';
import { startServer } from './server.ts';

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends a watch with exit code 0', async (signal) => {
  const server = await startServer();
  server.create(configMap('a'));
  const child = chancery(['watch', 'cm', '-n', 'demo', '--server', server.url]);
  await child.stdout.until(() => child.stdout.lines.length === 1);

  child.kill(signal);

  expect(await child.exit).toBe(0);
  await eventually(() => server.openWatches === 0);
});

test('SIGTERM ends a watch that waits for its proxy; the exit code is 0', async () => {
  const child = chancery(['watch', 'cm', '--server', 'http://127.0.0.1:1']);
  await child.stderr.until(() => child.stderr.lines.length === 1);

  child.kill('SIGTERM');

  expect(await child.exit).toBe(0);
});

test('after the reader of its pipe has ended, a watch exits with 0 at the next change', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  const script = `{ "$BIN" watch cm -n demo --server "$URL"; echo "code $?" >&2; } |
    { head -1; exec <&-; echo left >&2; }`;

  const shell = start('sh', ['-c', script], { URL: server.url });
  await shell.stderr.until(() => shell.stderr.lines.includes('left'));
  await eventually(() => server.openWatches === 1);
  server.patch('v1', 'ConfigMap', 'demo', 'a', { data: { k: '2' } });

  expect(await shell.exit).toBe(0);
  expect(summary(shell.stdout.lines)).toEqual(['ADDED a']);
  expect(shell.stderr.lines.at(-1)).toBe('code 0');
});

test('a watch exits with 0 when its pipe closes during many events', async () => {
  const server = await startServer();
  for (let at = 0; at < 300; at++) server.create(configMap(`cm-${at}`, { k: 'x'.repeat(5_000) }));
  const script = '{ "$BIN" watch cm -n demo --server "$URL"; echo "code $?" >&2; } | head -c 10';

  const shell = start('sh', ['-c', script], { URL: server.url });

  expect(await shell.exit).toBe(0);
  expect(shell.stderr.lines.at(-1)).toBe('code 0');
});

test('SIGTERM ends a watch with exit code 0 even if its pipe is full because the reader hangs', async () => {
  const server = await startServer();
  for (let at = 0; at < 300; at++) server.create(configMap(`cm-${at}`, { k: 'x'.repeat(5_000) }));
  const script = `exec 3>&1
    { "$BIN" watch cm -n demo --server "$URL" & echo $! >&3; wait $!; echo "code $?" >&3; } |
      { read -r line; echo "read one" >&3; sleep 999; }`;

  const shell = start('sh', ['-c', script], { URL: server.url });
  await shell.stdout.until(() => shell.stdout.lines.includes('read one'));
  process.kill(Number(shell.stdout.lines[0]), 'SIGTERM');
  await shell.stdout.until(() => shell.stdout.lines.length === 3);

  expect(shell.stdout.lines[2]).toBe('code 0');
});

/** The shape of the loop that the pattern's first controllers used around curl. */
const LOOP = `
"$BIN" watch cm -n demo --server "$URL" | while read -r event; do
  echo "$event" | "$JSON" "$@"
done`;
const HARD = 'line one\nC:\\new\\table "quoted" \\\\ \\u0041\n';

test('CW6: a shell loop that reads `watch` gets newlines and backslashes unchanged', async () => {
  const server = await startServer();
  server.create(configMap('a', { text: HARD }));
  const program = `
    const event = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    console.log(JSON.stringify([event.type, event.object.metadata.name, event.object.data]));`;

  const shell = start('sh', ['-c', LOOP, 'sh', '-e', program], {
    URL: server.url,
    JSON: process.execPath,
  });
  await shell.stdout.until(() => shell.stdout.lines.length === 1);
  server.patch('v1', 'ConfigMap', 'demo', 'a', { data: { text: `${HARD}2` } });
  await shell.stdout.until(() => shell.stdout.lines.length === 2);
  server.delete('v1', 'ConfigMap', 'demo', 'a');
  await shell.stdout.until(() => shell.stdout.lines.length === 3);

  expect(shell.stdout.lines.map((line) => JSON.parse(line))).toEqual([
    ['ADDED', 'a', { text: HARD }],
    ['MODIFIED', 'a', { text: `${HARD}2` }],
    ['DELETED', 'a', { text: `${HARD}2` }],
  ]);
});

test('CW3, CW4: a shell loop survives restarts of the API server, and gets each change once', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  const child = chancery(['watch', 'cm', '-n', 'demo', '--server', server.url]);
  await child.stdout.until(() => child.stdout.lines.length === 1);

  for (const round of [1, 2]) {
    await server.stop();
    server.create(configMap(`made-${round}`));
    server.delete('v1', 'ConfigMap', 'demo', round === 1 ? 'a' : 'made-1');
    await server.listen();
    await child.stdout.until(() => child.stdout.lines.length === 1 + 2 * round);
  }

  expect(summary(child.stdout.lines)).toEqual([
    'ADDED a',
    'DELETED a',
    'ADDED made-1',
    'DELETED made-1',
    'ADDED made-2',
  ]);
});

const STUBBORN = `
import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
export default controller({
  name: 'stubborn',
  for: source(configMaps, { namespace: 'all' }),
  reconcile: (_object, { key, log }) => {
    log.info({}, 'reconciling for ever');
    return new Promise(() => {});
  },
});`;

test('[D-2] [D-5] if shutdown hangs, a second SIGTERM ends the process at once with exit code 1', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  const folder = folderWith({ 'stubborn.ts': STUBBORN });
  const child = chancery(['run', join(folder, 'stubborn.ts')], { CHANCERY_API_URL: server.url });
  const logged = (message: string) => () =>
    child.stderr.lines.some((line) => line.includes(message));
  await child.stderr.until(logged('reconciling for ever'));

  child.kill('SIGTERM');
  await child.stderr.until(logged('"stopping"'));
  child.kill('SIGTERM');

  expect(await child.exit).toBe(1);
});

test.each([
  ['uncaught exception', 'throw new Error("forgotten")'],
  ['unhandled rejection', 'Promise.reject(new Error("forgotten"))'],
])('[K-4] [D-5] after an %s, which is logged in one line, the process stops and exits with 1', async (message, code) => {
  const server = await startServer();
  server.create(configMap('a'));
  const folder = folderWith({
    'crash.ts': STUBBORN.replace(
      'return new Promise(() => {});',
      `setImmediate(() => { ${code}; });
       return Promise.resolve({});`,
    ),
  });

  const child = chancery(['run', join(folder, 'crash.ts')], { CHANCERY_API_URL: server.url });

  expect(await child.exit).toBe(1);
  const messages = child.stderr.records.map(({ msg }) => msg);
  expect(child.stderr.records.find(({ level }) => level === 'error')).toMatchObject({
    msg: message,
    err: { message: 'forgotten' },
  });
  expect(messages.slice(messages.indexOf(message))).toEqual([
    message,
    'stopping',
    'controller stopped',
    'stopped',
  ]);
});

test('[K-4] after an uncaught error, a hanging shutdown ends at the time limit', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  // From within the reconcile: before it there is nothing that holds up a stop.
  const crash = 'setInterval(() => { throw new Error("again"); }, 100);';
  const module = STUBBORN.replace('return new', `${crash} return new`);
  const folder = folderWith({ 'stubborn.ts': module });

  const child = chancery(['run', join(folder, 'stubborn.ts')], {
    CHANCERY_API_URL: server.url,
    CHANCERY_SHUTDOWN_TIMEOUT: '2',
  });

  expect(await child.exit).toBe(1);
  const crashes = child.stderr.records.filter(({ msg }) => msg === 'uncaught exception');
  expect(crashes).toHaveLength(10); // of about twenty
});

test('[N-1] an old version of Node causes one clear line and exit code 2', async () => {
  const { engines } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { engines: { node: string } };
  const minimum = engines.node.replace('>=', '');
  const versions = { '20.19.5': 2, '22.19.9': 2, [`${minimum}.0`]: 0 };
  const exitCodes: Record<string, unknown> = {};
  for (const version of Object.keys(versions)) {
    const disguise = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;

    const child = start(process.execPath, [
      '--import',
      `data:text/javascript,${encodeURIComponent(disguise)}`,
      BIN,
      '--version',
    ]);
    exitCodes[version] = await child.exit;

    expect(child.stderr.lines).toEqual(
      exitCodes[version] === 0
        ? []
        : [
            `chancery: Node.js ${minimum} or newer is needed, this is ${version}. Add one to the project, ` +
              'npm i -D node@24, and start chancery by npx or from a script of package.json',
          ],
    );
  }
  expect(exitCodes).toEqual(versions);
});

test('`--version` prints the version of the package', async () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };

  const child = chancery(['--version']);

  expect(await child.exit).toBe(0);
  expect(child.stdout.lines).toEqual([version]);
});

test('`help` does not crash if the reader of its pipe ends early', async () => {
  const shell = start('sh', ['-c', '{ "$BIN" help; echo "code $?" >&2; } | true']);

  expect(await shell.exit).toBe(0);
  expect(shell.stderr.lines).toEqual(['code 0']);
});
