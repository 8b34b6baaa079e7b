/** `readLines` over a real connection: the log of a Pod, as the guide for operators follows it. */
import { eventually, failure, ScriptedServer, stream } from '@chancery/testing';
import { controller } from 'chancery';
import { configMaps, pods } from 'chancery/kubernetes';
import { proxyFilter, type Transport, undiciTransport } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import { exampleOf } from './guide.ts';

const WEB = { namespace: 'demo', name: 'web' };
const PATH = '/api/v1/namespaces/demo/pods/web/log';

interface Example {
  linesOfLog(
    transport: Transport,
    pod: typeof WEB,
    signal: AbortSignal,
  ): AsyncGenerator<string, void, undefined>;
}

/** The lines of the log that a server has, as the guide reads them. */
async function follow(url: string, signal = new AbortController().signal) {
  const { linesOfLog } = await exampleOf<Example>('guides/write/operators.md', 'pod-log.ts');
  const transport = undiciTransport(url);
  onTestFinished(() => transport.close());
  return linesOfLog(transport, WEB, signal);
}

/** A server with one log, in these steps. */
async function logged(...reply: Parameters<typeof stream>): Promise<ScriptedServer> {
  const server = new ScriptedServer();
  const [steps, options] = reply;
  server.on(
    { path: PATH },
    stream(steps, { headers: { 'content-type': 'text/plain' }, ...options }),
  );
  await server.start();
  onTestFinished(() => server.close());
  return server;
}

async function allOf(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

test('a log line arrives whole and without delay, wherever its bytes are split', async () => {
  const more = Promise.withResolvers<void>();
  const bytes = Buffer.from('first\ngrößer\n\nlast\nnot ended');
  const inTheUmlaut = bytes.indexOf('ö') + 1;
  const server = await logged([
    bytes.subarray(0, inTheUmlaut),
    { until: more.promise },
    bytes.subarray(inTheUmlaut),
  ]);
  const lines = await follow(server.url);

  const first = await lines.next();
  more.resolve();
  const rest = await allOf(lines);

  expect(first.value).toBe('first');
  expect(rest).toEqual(['größer', 'last']);
  expect(server.requests).toMatchObject([{ path: PATH, query: { follow: 'true' } }]);
});

test('leaving the loop over log lines closes the connection', async () => {
  const server = await logged(['first\n'], { end: 'hang' });

  for await (const line of await follow(server.url)) {
    expect(line).toBe('first');
    break;
  }

  await eventually(() => server.requests.every(({ closed }) => closed));
});

test('the loop over log lines ends with an error when the connection breaks or is aborted', async () => {
  const read = Promise.withResolvers<void>();
  const broken = await logged(['first\n', 'sec', { until: read.promise }], { end: 'cut' });
  const quiet = await logged(['first\n'], { end: 'hang' });
  const abort = new AbortController();
  const [lines, silent] = [await follow(broken.url), await follow(quiet.url, abort.signal)];
  const reason = new Error('enough');

  const firsts = [await lines.next(), await silent.next()].map(({ value }) => value);
  const ends = Promise.allSettled([lines.next(), silent.next()]);
  read.resolve();
  abort.abort(reason);

  expect(firsts).toEqual(['first', 'first']);
  expect(await ends).toMatchObject([{ reason: { code: 'CONNECTION_LOST' } }, { reason }]);
});

test('the loop over log lines ends with an error if the API server refuses the request for the log', async () => {
  const server = new ScriptedServer();
  server.on({ path: PATH }, failure({ code: 400, reason: 'BadRequest' }));
  await server.start();
  onTestFinished(() => server.close());

  const lines = allOf(await follow(server.url));

  await expect(lines).rejects.toThrow('refused with 400');
});

test('with the permission in operators.md the filter accepts the path of the log, but not the path of the Pod', () => {
  const permissions = [{ resource: pods, subresource: 'log', verbs: ['get'] }] as const;
  const declared = controller({
    name: 'logs',
    for: configMaps,
    permissions,
    reconcile: async () => {},
  });

  const { acceptPaths, rejectPaths } = proxyFilter([declared], { namespaces: ['demo'] });

  const finds = (patterns: readonly string[], path: string): boolean =>
    patterns.some((pattern) => new RegExp(pattern).test(path));
  expect([PATH, PATH.replace('/log', '')].map((path) => finds(acceptPaths, path))).toEqual([
    true,
    false,
  ]);
  expect(finds(rejectPaths, PATH)).toBe(false);
});
