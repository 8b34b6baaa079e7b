/** Which addresses a webhook may not have: those of the ambassador and of the process itself, in every spelling. */
import { networkInterfaces } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OwnAddresses } from '../../src/call/webhook/own-addresses.ts';
import { answering, scriptedHook, webhook } from './support.ts';

const SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '127.9.8.7',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0.0.0.0',
  '0',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'farm.localhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '①②⑦.0.0.1',
  'user:word@127.0.0.1',
];

test.each(
  SPELLINGS,
)("[security 49] [contract 17] a webhook at the ambassador's address, written as %s, is refused, and nothing is sent", async (host) => {
  const ambassador = await scriptedHook(answering(200));
  const url = `http://${host}:${ambassador.port}/api/v1/secrets`;

  const { call } = webhook({ url }, { apiUrl: ambassador.url });

  await expect(call()).rejects.toMatchObject({
    name: 'HookError',
    reason: 'RefusedAddress',
    message: 'the webhook may not be called: it is the address of the ambassador',
  });
  expect(ambassador.received).toEqual([]);
});

test.each([
  '127.0.0.1',
  'localhost',
  '[::1]',
])('a webhook at the host %s is refused if this process listens on its port, even if the port is opened later', async (host) => {
  const status = await scriptedHook(answering(200));
  const ports: number[] = [];
  const { call } = webhook({ url: `http://${host}:${status.port}/` }, { ownPorts: () => ports });
  ports.push(status.port);

  await expect(call()).rejects.toThrow('it is a port of this process');
  expect(status.received).toEqual([]);
});

test("a webhook at the ambassador's address is refused over TLS, too", async () => {
  const ambassador = await scriptedHook(answering(200));
  const url = ambassador.url.replace('http:', 'https:');

  const { call } = webhook({ url }, { apiUrl: ambassador.url });

  await expect(call()).rejects.toMatchObject({ reason: 'RefusedAddress' });
});

test('webhooks at other ports of this machine are allowed, because hooks may run beside the operator', async () => {
  const { url, port } = await scriptedHook(answering(200));
  const { call } = webhook(
    { url },
    { apiUrl: `http://127.0.0.1:${port + 1}`, ownPorts: () => [port - 1] },
  );

  await expect(call()).resolves.toEqual({ text: '{}' });
});

test('[contract 16] a proxy from the environment is not used, because it could be the ambassador', async () => {
  const ambassador = await scriptedHook(answering(200));
  const hook = await scriptedHook(answering(200));
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, ambassador.url);

  await webhook({ url: hook.url }, { apiUrl: ambassador.url }).call();

  expect(hook.received).toHaveLength(1);
  expect(ambassador.received).toEqual([]);
});

test('with an ambassador at a unix socket, no webhook is refused, because no URL can point to the socket', async () => {
  const { url } = await scriptedHook(answering(200));

  await expect(webhook({ url }, { apiUrl: 'unix:/run/a.sock' }).call()).resolves.toBeDefined();
});

/** As DNS would answer. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'api.farm.example': ['10.0.0.7', 'fd00::7'],
};
const addressesOf = async (host: string): Promise<readonly string[]> => NAMES[host] ?? [host];

test.each([
  ['10.0.0.7', 8001, true],
  ['::ffff:10.0.0.7', 8001, true],
  ['fd00:0::7', 8001, true],
  ['10.0.0.7', 8002, false],
  ['10.0.0.8', 8001, false],
  ['127.0.0.1', 8001, false],
])('a webhook at an address of a remote ambassador is refused: %s:%i', async (address, port, refused) => {
  const own = new OwnAddresses({
    apiUrl: 'http://api.farm.example:8001',
    ownPorts: () => [],
    addressesOf,
  });

  const why = await own.refusal([address], port);

  expect(why !== undefined).toBe(refused);
});

test('a webhook is refused if one of its addresses is an address of the ambassador or of the Pod itself', async () => {
  const own = new OwnAddresses({ apiUrl: 'http://127.0.0.1:8001', ownPorts: () => [8080] });
  const pod = Object.values(networkInterfaces()).flatMap((all) => all ?? []);

  await expect(own.refusal(['192.0.2.1', '::1'], 8001)).resolves.toContain('ambassador');
  for (const { address } of pod) {
    await expect(own.refusal([address], 8080)).resolves.toContain('this process');
  }
  await expect(own.refusal(['192.0.2.1'], 8080)).resolves.toBeUndefined();
});
