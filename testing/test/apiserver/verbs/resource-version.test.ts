/**
 * resourceVersions that no server gave: `ParseResourceVersion` and `ValidateListOptions` in k8s.io/apiserver
 * (pkg/storage/api_object_versioner.go, pkg/storage/interfaces.go) have the words. A list answers 400 and a
 * watch 500 without a reason: both are in the recording `watch-expired` of a real v1.36 server, for `abc`.
 */
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { type Answer, CONFIG_MAPS, configMap, startCluster } from '../support/cluster.ts';
import { watch } from '../support/watched.ts';

/** No test waits for a version that nobody reaches. */
const BRIEF = { futureVersionWaitMs: 1 };
const EVENTS = '/api/v1/namespaces/default/events';

const badRequest = (message: string): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason: 'BadRequest',
  code: 400,
});

const WRONG: readonly [version: string, why: string][] = [
  ['-5', 'invalid syntax'],
  ['-0', 'invalid syntax'],
  ['+5', 'invalid syntax'],
  ['abc', 'invalid syntax'],
  ['1.5', 'invalid syntax'],
  ['1e3', 'invalid syntax'],
  ['0x10', 'invalid syntax'],
  ['1_000', 'invalid syntax'],
  [' 5', 'invalid syntax'],
  ['18446744073709551616', 'value out of range'],
  ['9'.repeat(400), 'value out of range'],
];

describe.each(WRONG)('[F-3] the malformed resourceVersion=%s', (version, why) => {
  const quoted = JSON.stringify(version);
  const problem = `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`;
  const asked = `resourceVersion=${encodeURIComponent(version)}`;

  test.each([
    ['a list', 'GET', `${CONFIG_MAPS}?${asked}`],
    ['a list of all namespaces', 'GET', `/api/v1/configmaps?${asked}`],
    ['a page', 'GET', `${CONFIG_MAPS}?limit=1&${asked}`],
    ['an exact list', 'GET', `${CONFIG_MAPS}?resourceVersionMatch=Exact&${asked}`],
    [
      'a list not older than the version',
      'GET',
      `${CONFIG_MAPS}?resourceVersionMatch=NotOlderThan&${asked}`,
    ],
    ['a list of Events', 'GET', `${EVENTS}?${asked}`],
    ['a deletecollection', 'DELETE', `${CONFIG_MAPS}?${asked}`],
    ['a GET', 'GET', `${CONFIG_MAPS}/a?${asked}`],
    ['a GET of an object that does not exist', 'GET', `${CONFIG_MAPS}/none?${asked}`],
  ])('%s with the malformed resourceVersion is answered 400', async (_, method, path) => {
    const { send, server } = await startCluster(BRIEF);
    server.create(configMap('a'));

    const { body } = await send(method, path);

    expect(body).toEqual(badRequest(`invalid resource version: ${problem}`));
    expect((await send('GET', `${CONFIG_MAPS}/a`)).status).toBe(200);
  });

  test.each([
    ['a watch', `${CONFIG_MAPS}?watch=1`],
    ['a watch of Events', `${EVENTS}?watch=1`],
    [
      'a watch with initial events',
      `${CONFIG_MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    ],
  ])('%s with the malformed resourceVersion is answered 500 without a reason, as recorded', async (_, path) => {
    const { send } = await startCluster(BRIEF);

    const { body } = await send('GET', `${path}&${asked}`);

    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: problem,
      code: 500,
    });
  });

  test('an invalid selector is reported before a malformed resourceVersion, in lists and in watches', async () => {
    const { send } = await startCluster(BRIEF);

    const answers = [
      await send('GET', `${CONFIG_MAPS}?${asked}&fieldSelector=data.x%3D1`),
      await send('GET', `${CONFIG_MAPS}?watch=1&${asked}&labelSelector=x%3E1.5`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(answers[0]?.body.message).toContain('is not a known field selector');
    expect(answers[1]?.body.message).toContain('the value must be an integer');
  });

  test('a malformed resourceVersion is not parsed if the request has a continue token', async () => {
    const { send, server } = await startCluster(BRIEF);
    for (const name of ['a', 'b']) server.create(configMap(name));
    const page = await send('GET', `${CONFIG_MAPS}?limit=1`);

    const { body } = await send(
      'GET',
      `${CONFIG_MAPS}?continue=${page.body.metadata.continue}&${asked}`,
    );

    expect(body).toEqual(
      badRequest('specifying resource version is not allowed when using continue'),
    );
  });
});

describe('[F-3] a valid resourceVersion in the far future', () => {
  const messageOf = ({ status, body }: Answer): unknown => [status, body.message];

  test.each([
    '18446744073709551615',
    '9223372036854775808',
    '9007199254740993',
  ])('reads at the future resourceVersion %s are answered 504, and the message contains all digits of the version', async (version) => {
    const { send, server } = await startCluster(BRIEF);
    const current = server.create(configMap('a')).metadata.resourceVersion;
    const message = `Timeout: Too large resource version: ${version}, current: ${current}`;
    const asked = `resourceVersion=${version}`;

    const answers = [
      await send('GET', `${CONFIG_MAPS}?${asked}`),
      await send('GET', `${CONFIG_MAPS}?resourceVersionMatch=NotOlderThan&${asked}`),
      await send('GET', `${CONFIG_MAPS}/a?${asked}`),
      await send('DELETE', `${CONFIG_MAPS}?${asked}`),
    ];

    for (const answer of answers) expect(messageOf(answer)).toEqual([504, message]);
  });

  test('a watch from a future resourceVersion stays open and gets no events', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const cluster = await startCluster({ clock });

    const watched = await watch(
      cluster,
      `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion=18446744073709551615`,
    );
    cluster.server.create(configMap('a'));
    clock.advance(1_000);

    expect(await watched.next()).toBeUndefined();
  });

  test('leading zeros of a resourceVersion are ignored', async () => {
    const { send, server } = await startCluster(BRIEF);
    const version = server.create(configMap('a')).metadata.resourceVersion;

    const { status } = await send('GET', `${CONFIG_MAPS}?resourceVersion=000${version}`);

    expect(status).toBe(200);
  });
});

const match = (why: string): string => `resourceVersionMatch: ${why}`;
const UNLESS = match(
  'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
);
const BESIDE_TOKEN = match(
  'Forbidden: resourceVersionMatch is forbidden when continue is provided',
);
const OF_ZERO = match(
  'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
);
const unknown = (value: string, ...supported: readonly string[]): string =>
  match(
    `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
  );
const FOR_LIST = 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list';
const REQUIRES = match(
  'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
);
const FOR_WATCH = match(
  'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
);

test.each<[query: string, problems: readonly string[]]>([
  ['resourceVersionMatch=Exact', [UNLESS]],
  ['resourceVersionMatch=NotOlderThan', [UNLESS]],
  ['resourceVersionMatch=Exact&resourceVersion=0', [OF_ZERO]],
  ['resourceVersionMatch=exact&resourceVersion=1', [unknown('exact', 'Exact', 'NotOlderThan', '')]],
  ['resourceVersionMatch=Newest', [UNLESS, unknown('Newest', 'Exact', 'NotOlderThan', '')]],
  ['resourceVersionMatch=Exact&resourceVersion=1&continue=x', [BESIDE_TOKEN]],
  ['resourceVersionMatch=Exact&continue=x', [UNLESS, BESIDE_TOKEN]],
  ['resourceVersionMatch=Exact&resourceVersion=0&continue=x', [BESIDE_TOKEN, OF_ZERO]],
  ['sendInitialEvents=false', [FOR_LIST]],
  ['watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1', [FOR_WATCH]],
  [
    'watch=1&resourceVersionMatch=Exact&resourceVersion=1',
    [FOR_WATCH, unknown('Exact', 'NotOlderThan')],
  ],
  ['watch=1&sendInitialEvents=true', [REQUIRES]],
  [
    'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact',
    [REQUIRES, unknown('Exact', 'NotOlderThan')],
  ],
  ['watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x', [BESIDE_TOKEN]],
  ['watch=1&continue=x', [BESIDE_TOKEN]],
  ['watch=true&resourceVersion=0&limit=2&continue=y', [BESIDE_TOKEN]],
  // The server reports a wrong option before a wrong version.
  [
    'resourceVersionMatch=Newest&resourceVersion=-5',
    [unknown('Newest', 'Exact', 'NotOlderThan', '')],
  ],
])('[F-3] a request with %s is answered 422', async (query, problems) => {
  const { send } = await startCluster(BRIEF);

  const { status, body } = await send('GET', `${CONFIG_MAPS}?${query}`);

  const all = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  expect([status, body.reason]).toEqual([422, 'Invalid']);
  expect(body.message).toBe(`ListOptions.meta.k8s.io "" is invalid: ${all}`);
});

test.each([
  ['limit', '9223372036854775808', 'value out of range'],
  ['limit', '-9223372036854775809', 'value out of range'],
  ['limit', '1.5', 'invalid syntax'],
  ['timeoutSeconds', '18446744073709551616', 'value out of range'],
])('[F-3] a list with %s=%s is answered 400', async (name, value, why) => {
  const { send } = await startCluster(BRIEF);

  const { body } = await send('GET', `${CONFIG_MAPS}?${name}=${value}`);

  expect(body).toEqual(badRequest(`strconv.ParseInt: parsing "${value}": ${why}`));
});

test('[F-4] a PUT with a resourceVersion above 64 bits is answered 500', async () => {
  const { send, server } = await startCluster();
  server.create(configMap('a'));

  const { status, body } = await send(
    'PUT',
    `${CONFIG_MAPS}/a`,
    configMap('a', { resourceVersion: '18446744073709551616' }),
  );

  expect([status, body.message]).toEqual([
    500,
    'strconv.ParseUint: parsing "18446744073709551616": value out of range',
  ]);
});
