import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { ApiServer, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { chancery, folderWith, freePort } from '../child.ts';
import { invoke } from '../invocation.ts';
import { newFolder, recorder, recordingOf } from './recorded.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const JSON_TYPE = { 'content-type': 'application/json' };

async function apiServer(): Promise<string> {
  const server = await ApiServer.start({ workloads: false });
  onTestFinished(() => server.close());
  return server.url;
}

/** A server that answers GET /version as an API server does, and all else with `answer`. */
async function fakeServer(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer((asked, response) => {
    if (asked.url === '/version') response.end('{"gitVersion":"v1.36.2"}');
    else answer?.(asked, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function configMap(name: string, data: object = {}): RequestInit {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  return { method: 'POST', headers: JSON_TYPE, body };
}

test('a recording has requests and answers in order, with everything that an answer depends on', async () => {
  const { code, exchanges, said, folder } = await recordingOf(await apiServer(), async (url) => {
    await fetch(url + MAPS, configMap('fern', { k: 'v' }));
    await fetch(`${url}${MAPS}/moss?pretty=false`, { headers: { 'user-agent': 'gardener/2' } });
  });

  expect(code).toBe(0);
  expect(said).toBe(`${join(folder, 'recording.jsonl')}: 2 exchanges`);
  expect(exchanges.map(({ id }) => id)).toEqual([1, 2]);
  expect(exchanges).toMatchObject([
    {
      request: {
        method: 'POST',
        path: MAPS,
        headers: JSON_TYPE,
        body: configMap('fern', { k: 'v' }).body,
      },
      response: { status: 201, headers: JSON_TYPE },
    },
    {
      request: {
        method: 'GET',
        path: `${MAPS}/moss?pretty=false`,
        headers: { 'user-agent': 'gardener/2' },
      },
      response: { status: 404 },
    },
  ]);
  expect(JSON.parse(exchanges[0]?.response.body ?? '')).toMatchObject({ data: { k: 'v' } });
});

test('only the owner can read the folder and the recording, and the temporary file is removed', async () => {
  const { folder } = await recordingOf(await apiServer(), async (url) => {
    await fetch(`${url}/version`);
  });

  expect(readdirSync(folder)).toEqual(['recording.jsonl']);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'recording.jsonl')).mode & 0o777).toBe(0o600);
});

test('the recording of a watch contains its events and how it ended', async () => {
  const { exchanges } = await recordingOf(await apiServer(), async (url) => {
    const leaving = new AbortController();
    const watch = await fetch(`${url}${MAPS}?watch=1`, { signal: leaving.signal });
    const short = fetch(`${url}${MAPS}?watch=true&timeoutSeconds=1&resourceVersion=0`);
    const reader = watch.body?.getReader();
    await fetch(url + MAPS, configMap('fern'));
    await reader?.read();
    leaving.abort();
    await (await short).text();
    await fetch(`${url}${MAPS}?watch=true&fieldSelector=metadata.name%3Dnone`);
  });

  const watches = exchanges.filter(({ response }) => response.chunks !== undefined);
  const types = watches.map(({ response }) =>
    (response.chunks ?? []).flatMap(({ data }) => data.match(/"type":"[A-Z]+"/g) ?? []),
  );
  expect(watches.map(({ response }) => response.end?.how)).toEqual([
    'client closed',
    'eof',
    'open',
  ]);
  expect(types.slice(0, 2)).toEqual([['"type":"ADDED"'], ['"type":"ADDED"']]);
});

test('credentials in headers, paths and cookies are passed on, but not recorded', async () => {
  const seen: (string | undefined)[] = [];
  const server = await fakeServer((asked, response) => {
    seen.push(asked.headers.authorization, asked.headers.cookie, asked.url);
    response.setHeader('set-cookie', 'session=sweet-cookie-of-mine');
    response.end('{}');
  });

  const { text } = await recordingOf(server, async (url) => {
    const headers = { authorization: 'Bearer very-hidden-bearer', cookie: 'a=hidden-cookie' };
    const answer = await fetch(`${url}/api?token=hidden-in-path`, { headers });
    expect(answer.headers.get('set-cookie')).toContain('sweet-cookie');
  });

  expect(seen).toEqual([
    'Bearer very-hidden-bearer',
    'a=hidden-cookie',
    '/api?token=hidden-in-path',
  ]);
  expect(text).not.toMatch(/hidden|cookie/);
  expect(text).toContain('"/api?token=redacted-1"');
});

test('the recorder requests JSON if a client accepts formats in which secrets cannot be found', async () => {
  const seen: (string | undefined)[] = [];
  const server = await fakeServer(({ headers }, response) => {
    seen.push(headers.accept, headers['accept-encoding']);
    response.setHeader(
      'content-type',
      headers.accept?.includes('protobuf')
        ? 'application/vnd.kubernetes.protobuf'
        : 'application/json',
    );
    response.end('k8s');
  });
  const binary = 'application/vnd.kubernetes.protobuf';

  const { exchanges } = await recordingOf(server, async (url) => {
    for (const accept of [`${binary}, */*`, `${binary},application/json;q=0.5`, binary]) {
      const answer = await fetch(`${url}/api/v1/nodes`, { headers: { accept } });
      await answer.text();
    }
  });

  expect(seen).toEqual(['*/*', undefined, 'application/json;q=0.5', undefined, binary, undefined]);
  expect(exchanges.map(({ response }) => response.omitted)).toEqual([undefined, undefined, 3]);
});

test('a protobuf request that cannot be read is passed on, but not recorded, and is counted', async () => {
  const server = await fakeServer(async (asked, response) => {
    response.end(JSON.stringify({ got: await textOf(asked) }));
  });

  const { exchanges, said } = await recordingOf(server, async (url) => {
    const answer = await fetch(url + MAPS, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: 'k8s-password',
    });
    expect(await answer.json()).toEqual({ got: 'k8s-password' });
  });

  expect(exchanges).toEqual([]);
  expect(said).toBe(
    'nothing was recorded; 1 left out: 1 with a body that is neither JSON nor YAML',
  );
});

test('long answers and Pod logs are passed on whole, and only their length is recorded', async () => {
  const long = 'x'.repeat(400_000);
  const server = await fakeServer(({ url }, response) => {
    response.setHeader('content-type', url?.endsWith('log') ? 'text/plain' : 'application/json');
    response.end(url?.endsWith('log') ? 'it logs a-password' : JSON.stringify({ long }));
  });

  const { exchanges, text } = await recordingOf(server, async (url) => {
    const answer = await fetch(`${url}/openapi/v2`);
    expect(await answer.json()).toEqual({ long });
    await (await fetch(`${url}/api/v1/namespaces/default/pods/a/log`)).text();
  });

  expect(exchanges.map(({ response }) => response.omitted)).toEqual([400_011, 18]);
  expect(text).not.toContain('a-password');
});

test('a request of more than 4 MiB is passed on, but not recorded, and is counted', async () => {
  const server = await fakeServer(async (asked, response) => {
    response.end(JSON.stringify({ length: (await textOf(asked)).length }));
  });
  const body = JSON.stringify({ data: { k: 'x'.repeat(5_000_000) } });

  const { said } = await recordingOf(server, async (url) => {
    const answer = await fetch(url + MAPS, { method: 'POST', headers: JSON_TYPE, body });
    expect(await answer.json()).toEqual({ length: body.length });
  });

  expect(said).toBe('nothing was recorded; 1 left out: 1 with a request over 4 MiB');
});

test('a write is recorded with its answer even if the client has closed the connection', async () => {
  let arrived = (): void => {};
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let answer = (): void => {};
  const server = await fakeServer(async (incoming, response) => {
    await textOf(incoming);
    answer = () => void response.end('{"kind":"ConfigMap"}');
    arrived();
  });
  const folder = newFolder();
  const { url, stop, exit } = await recorder(server, folder);

  const leaving = new AbortController();
  const sent = fetch(url + MAPS, { ...configMap('fern'), signal: leaving.signal });
  await asked;
  leaving.abort();
  await expect(sent).rejects.toThrow();
  // By the time of this answer the recorder has seen that the client is gone.
  await (await fetch(`${url}/version`)).text();
  answer();
  const partial = join(folder, 'recording.jsonl.partial');
  await eventually(() => readFileSync(partial, 'utf8').includes('"kind\\":\\"ConfigMap'));
  stop();

  expect(await exit).toBe(0);
  expect(readFileSync(join(folder, 'recording.jsonl'), 'utf8')).toContain('fern');
});

test('a request is not recorded if its client disconnects while it sends the body', async () => {
  const server = await fakeServer(() => {});
  const folder = newFolder();
  const { url, stop, exit, stderr } = await recorder(server, folder);

  const sending = request(url + MAPS, { method: 'POST', headers: { 'content-length': '1000' } });
  sending.on('error', () => {});
  sending.write('{"data":{"k":"half a');
  await eventually(() => sending.socket?.bytesWritten);
  const gone = new Promise((resolve) => sending.on('close', resolve));
  sending.destroy();
  await gone;
  stop();

  expect(await exit).toBe(0);
  expect(stderr.lines.at(-1)).toMatch(/^nothing was recorded/);
  expect(readdirSync(folder)).toEqual([]);
});

test('if the API server disappears, the recorder answers 502, and does not record unanswered requests', async () => {
  const server = await fakeServer(({ socket }) => socket.destroy());

  const { said, exchanges } = await recordingOf(server, async (url) => {
    const answer = await fetch(`${url}/api/v1/nodes`);
    expect(answer.status).toBe(502);
    expect(await answer.text()).toMatch(
      /^chancery record: no answer from http:\/\/127\.0\.0\.1:\d+: /,
    );
  });

  expect(exchanges).toEqual([]);
  expect(said).toBe('nothing was recorded; 1 left out: 1 without an answer');
});

test('the recorder answers only requests with a loopback Host, and refuses protocol upgrades', async () => {
  const { exchanges } = await recordingOf(await apiServer(), async (url) => {
    const { port } = new URL(url);
    const answerTo = async (head: string): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET /version HTTP/1.1\r\n${head}\r\n\r\n`);
      return (await once(socket, 'data')).toString();
    };

    expect(await answerTo('Host: evil.example')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await answerTo(`Host: localhost:${port}\r\nConnection: close`)).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    expect(await answerTo('Host: localhost\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1')).toMatch(
      /^HTTP\/1\.1 501 [\s\S]*does not pass exec/,
    );
  });

  expect(exchanges).toHaveLength(1);
});

test('an existing file is overwritten only with `--force`', async () => {
  const server = await apiServer();
  const folder = folderWith({ 'recording.jsonl': 'mine\n' });
  const args = ['record', '--server', server, '--out', folder, '--port', '0'];

  const refused = invoke(args);
  expect(await refused.exit).toBe(2);
  expect(refused.stderr.lines[0]).toContain('recording.jsonl exists already');
  expect(readFileSync(join(folder, 'recording.jsonl'), 'utf8')).toBe('mine\n');

  const forced = await recorder(server, folder, ['--force']);
  await fetch(`${forced.url}/version`);
  forced.stop();
  expect(await forced.exit).toBe(0);
  expect(readFileSync(join(folder, 'recording.jsonl'), 'utf8')).toContain('gitVersion');
});

test('only the owner can read the file of a recording that crashed', async () => {
  const server = await apiServer();
  const folder = folderWith({ 'night.jsonl.partial': 'lines\n' });

  const refused = invoke(['record', '--server', server, '--out', folder, '--name', 'night']);

  expect(await refused.exit).toBe(2);
  expect(refused.stderr.lines[0]).toContain('night.jsonl.partial exists already');
});

test('SIGTERM ends the recording with a complete file', async () => {
  const server = await apiServer();
  const folder = newFolder();
  const child = chancery(['record', '--server', server, '--out', folder, '--port', '0']);
  await Promise.race([child.stdout.until(() => child.stdout.lines.length > 0), child.exit]);
  const [url = ''] = child.stdout.lines;

  await fetch(`${url}${MAPS}?watch=true`);
  await (await fetch(url + MAPS, configMap('fern'))).text();
  child.kill('SIGTERM');

  expect(await child.exit).toBe(0);
  const lines = readFileSync(join(folder, 'recording.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([1, 2]);
});

test.each([
  [[], /^--server URL is missing/],
  [['--server', 'http://127.0.0.1:1'], /^--out must name a folder/],
  [
    ['--server', 'https://cluster.example', '--out', 'x'],
    /^--server must be plain HTTP: .*kubectl proxy/,
  ],
  [['--server', 'http://u:p@127.0.0.1:1', '--out', 'x'], /^--server must have no user/],
  [['--server', 'http://127.0.0.1:1?a=b', '--out', 'x'], /^--server must have no "\?"/],
  [['--server', 'cluster', '--out', 'x'], /^--server must be a URL/],
  [['--server', 'http://127.0.0.1:1', '--out', 'x', '--name', '../x'], /^--name must have/],
  [
    ['--server', 'http://127.0.0.1:1', '--out', 'x', 'surplus'],
    /^expected options only, got "surplus"/,
  ],
] as const)('the arguments %j of `record` are refused: %s', async (args, message) => {
  const { exit, stderr } = invoke(['record', '--port', '0', ...args]);

  expect(await exit).toBe(2);
  expect(stderr.lines[0]).toMatch(new RegExp(message.source.replace('^', '^chancery record: ')));
});

test('if the API server is unreachable, the error contains its address, and no file is written', async () => {
  const folder = newFolder();
  const server = `http://127.0.0.1:${await freePort()}`;

  const { exit, stderr } = invoke(['record', '--server', server, '--out', folder]);

  expect(await exit).toBe(1);
  expect(stderr.lines[0]).toContain(`nothing answers at --server ${server}: `);
  expect(stderr.lines[0]).toContain('kubectl proxy');
  expect(existsSync(folder)).toBe(false);
});

test('a server that is not a Kubernetes API is refused', async () => {
  const page = createServer((_, response) => response.end('<html>Sign in</html>'));
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  onTestFinished(() => void page.close());
  const server = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;

  const { exit, stderr } = invoke(['record', '--server', server, '--out', newFolder()]);

  expect(await exit).toBe(1);
  expect(stderr.lines[0]).toContain(`${server} is no Kubernetes API`);
});

test('if the folder cannot be created, the error contains its path', async () => {
  const file = join(folderWith({ file: '' }), 'file');

  const { exit, stderr } = invoke([
    'record',
    '--server',
    await apiServer(),
    '--out',
    join(file, 'x'),
  ]);

  expect(await exit).toBe(2);
  expect(stderr.lines[0]).toContain(`cannot write into --out ${join(file, 'x')}: `);
});

test('if the port is in use, the error contains the port, and no file is left behind', async () => {
  const folder = newFolder();
  const server = await apiServer();
  const { port } = new URL(server);

  const { exit, stderr } = invoke(['record', '--server', server, '--out', folder, '--port', port]);

  expect(await exit).toBe(1);
  expect(stderr.lines[0]).toContain(`cannot listen on port ${port}`);
  expect(readdirSync(folder)).toEqual([]);
});

test('if the temporary file cannot be renamed to recording.jsonl, it is kept', async () => {
  const folder = newFolder();
  const { url, stop, exit, stderr } = await recorder(await apiServer(), folder);
  await (await fetch(`${url}/version`)).text();
  mkdirSync(join(folder, 'recording.jsonl'));
  stop();

  expect(await exit).toBe(1);
  expect(stderr.lines.at(-1)).toMatch(
    /cannot write .*recording\.jsonl: .*; what was recorded is in .*\.partial/,
  );
  expect(readFileSync(join(folder, 'recording.jsonl.partial'), 'utf8')).toContain('gitVersion');
});
