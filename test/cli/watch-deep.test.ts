/** `chancery watch` and objects that JSON.stringify cannot walk: their neighbours are printed, and so are they. */
import { expect, test } from 'vitest';
import { invoke } from './invocation.ts';
import { summary } from './printed.ts';
import { listOf, object, PATH, scriptedServer, stream } from './scripted-server.ts';

/** Go's JSON allows 10,000. The stack of a test's thread is larger than that of a process. */
const DEPTH = 100_000;
const NESTED = `${'{"a":'.repeat(DEPTH)}"bottom"${'}'.repeat(DEPTH)}`;

/** JSON of an event about a ConfigMap that JSON.parse reads and JSON.stringify cannot write. */
const nestedEvent = (name: string, resourceVersion: string): string =>
  JSON.stringify({
    type: 'ADDED',
    object: { ...object(name, resourceVersion), nested: 0 },
  }).replace('"nested":0', `"nested":${NESTED}`);

/** As no kube-apiserver writes it, so that it is parsed at once. */
const spaced = (line: string): string => line.replace('","object":', '", "object": ');

test('[attack A-1] an object that is nested too deeply for JSON.stringify is printed unchanged', async () => {
  const { url } = await scriptedServer({
    lists: [listOf('10')],
    watches: [
      stream({ type: 'ADDED', object: object('before', '11') }, nestedEvent('deep', '12'), {
        type: 'ADDED',
        object: object('after', '13'),
      }),
    ],
  });

  const { stdout, stderr, exit, stop } = invoke(['watch', PATH, '--server', url]);
  await stdout.until(() => stdout.lines.length === 3);
  stop();

  expect(await exit).toBe(0);
  expect(summary(stdout.lines)).toEqual(['ADDED before', 'ADDED deep', 'ADDED after']);
  expect(stdout.lines[1]).toContain(NESTED);
  expect(stderr.records).toMatchObject([{ msg: 'source is healthy' }]);
});

test('[attack A-1] an event that cannot be printed is reported by name, count and exit code', async () => {
  const { url } = await scriptedServer({
    lists: [listOf('10')],
    watches: [
      stream({ type: 'ADDED', object: object('before', '11') }, spaced(nestedEvent('deep', '12')), {
        type: 'ADDED',
        object: object('after', '13'),
      }),
    ],
  });

  const { stdout, stderr, exit, stop } = invoke(['watch', PATH, '--server', url]);
  await stdout.until(() => summary(stdout.lines).includes('ADDED after'));
  stop();

  expect(await exit).toBe(1);
  expect(summary(stdout.lines)).toEqual(['ADDED before', 'ADDED after']);
  const [summaryLine, ...log] = stderr.lines.toReversed();
  expect(summaryLine).toBe('chancery watch: could not print 1 change: the log names the objects');
  expect(log.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: 'error',
      key: 'demo/deep',
      msg: 'a change cannot be printed',
    }),
  );
  expect(stderr.lines.join()).not.toContain('bottom');
});

test('[attack A-1] an object with line breaks is printed in one line', async () => {
  const broken = JSON.stringify(object('a', '9')).replace('"data":', '\n  "data":\r\n');
  const items = [JSON.stringify(object('b', '8')), broken];
  const { url } = await scriptedServer({
    lists: [
      (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(
            `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[${items}]}`,
          ),
    ],
    watches: [stream()],
  });

  const { stdout } = invoke(['watch', PATH, '--server', url]);
  await stdout.until(() => stdout.lines.length >= 2);

  expect(summary(stdout.lines)).toEqual(['ADDED b', 'ADDED a']);
});

test('[attack A-7] integers beyond 2^53 keep their digits, in lists, watches and deletes', async () => {
  const digits = '"k":"x","large":9007199254740993,"least":-9223372036854775808,"half":1.50';
  const exact = (value: object): string => JSON.stringify(value).replace('"k":"x"', digits);
  const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '10' } };
  const { url } = await scriptedServer({
    lists: [
      (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(exact({ ...list, items: [object('listed', '9')] })),
    ],
    watches: [
      stream(
        exact({ type: 'ADDED', object: object('watched', '11') }),
        exact({ type: 'DELETED', object: object('watched', '12') }),
      ),
    ],
  });

  const { stdout } = invoke(['watch', PATH, '--server', url]);
  await stdout.until(() => stdout.lines.length === 3);

  expect(summary(stdout.lines)).toEqual(['ADDED listed', 'ADDED watched', 'DELETED watched']);
  expect(stdout.lines.filter((line) => !line.includes(digits))).toEqual([]);
});
