/**
 * The embedded server against recordings of a real one: the same requests, in the same order, must
 * have the same answers. Times, uids and revisions may differ, the order of fields too.
 *
 * An exchange that is left out stands here with its reason.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../operator/core/clock.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { ApiServer } from '../../../operator/testing/apiserver/api-server.ts';
import {
  type RecordedExchange,
  recording as readRecording,
} from '../../support/recorded-stream.ts';
import { comparable, Replay } from './support/replay.ts';

interface Scenario {
  readonly recording: string;
  /** What stood in the recorded cluster before, as the namespace `demo` and more. */
  readonly before?: readonly KubernetesObject[];
  /** Answers that are not compared, by id; the requests are sent all the same. */
  readonly differs: Readonly<Record<number, string>>;
  /** Requests that are not sent, because they mean the recorded cluster. */
  readonly skips?: readonly number[];
  /** Lists of which only status and metadata are compared. */
  readonly lists?: readonly number[];
  /** The real server forgot its history before this request. */
  readonly compactBefore?: number;
}

const ANSWERED_BY_PROXY = 'the recorded answer is that of kubectl proxy';
const OTHER_OBJECTS = 'shows objects that other scenarios of the recording left behind';
const CONTROLLERS = 'shows what the controller manager did meanwhile';
const NO_CEL = 'rules in CEL are not evaluated';

/** The ConfigMaps that the recorded namespace had from other scenarios. */
const OTHERS = [
  'alpha',
  'applied',
  'beta',
  'child-orphan',
  'delta',
  'gamma',
  'gen-xcmkr',
  'immut',
  'kube-root-ca.crt',
  'warned',
];

function configMap(name: string, value: string, namespace = 'demo'): KubernetesObject {
  const metadata = { name, namespace };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: value } } as KubernetesObject;
}

const SCENARIOS: readonly Scenario[] = [
  {
    recording: 'errors',
    before: [configMap('alpha', 'live')],
    differs: {
      21: 'duplicate fields are not noticed',
      40: 'the User-Agent that had the answer indented was not recorded',
      41: OTHER_OBJECTS,
      43: OTHER_OBJECTS,
      45: ANSWERED_BY_PROXY,
      46: OTHER_OBJECTS,
    },
    // Its body of 1.1 MB is not in the recording.
    skips: [50],
  },
  {
    recording: 'patches',
    differs: {
      2: CONTROLLERS,
      3: CONTROLLERS,
      4: CONTROLLERS,
      5: CONTROLLERS,
      8: CONTROLLERS,
    },
  },
  {
    recording: 'crd',
    differs: {
      4: 'a definition is accepted at once, not some milliseconds later',
      6: 'a new resource is served at once, without 429 in between',
      13: NO_CEL,
      24: NO_CEL,
    },
  },
  {
    recording: 'lease-events',
    before: [configMap('alpha', 'live')],
    differs: { 8: OTHER_OBJECTS, 15: 'the server has no users, so that everything is allowed' },
  },
  {
    recording: 'discovery',
    differs: {
      17: 'a document is told from another by the hash of its own text',
      20: 'the checks are those of the parts that this server has',
      21: 'the document has no descriptions',
    },
  },
  { recording: 'metadata-only', differs: {} },
  {
    recording: 'list-paging',
    before: [
      ...OTHERS.map((name) => configMap(name, 'live')),
      configMap('kube-root-ca.crt', '', 'default'),
      configMap('kube-root-ca.crt', '', 'kube-system'),
    ],
    compactBefore: 74,
    differs: { 48: OTHER_OBJECTS },
    // They show objects that other scenarios have left in the recorded namespace.
    lists: [26, 29, 31, 32, 33, 34, 37, 39, 41, 43, 49, 50],
  },
];

/** Wall time stands still: managedFields are sorted by it, and a second may end at any request. */
const STILL: Clock = { ...systemClock, now: () => Date.UTC(2026, 10, 21) };

describe.each(SCENARIOS)('the recording $recording', (scenario) => {
  const { recording, before, differs, skips, lists, compactBefore } = scenario;

  test('has the same answers', async () => {
    const server = await ApiServer.start({ clock: STILL });
    onTestFinished(() => server.close());
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
    for (const object of before ?? []) await post(server, object);
    const replay = new Replay(server.url);

    for (const exchange of readRecording(recording)) {
      if (exchange.response.chunks !== undefined || skips?.includes(exchange.id)) continue;
      if (exchange.id === compactBefore) server.compact();
      const answer = await replay.send(exchange);
      if (differs[exchange.id] !== undefined) continue;

      const whole = lists?.includes(exchange.id) !== true;
      const { status, headers, body = '' } = exchange.response;
      const expected = seen(exchange, status, headers['content-type'] ?? '', body, whole);
      const found = seen(exchange, answer.status, answer.contentType, answer.body, whole);
      expect.soft(found).toEqual(expected);
      expect.soft(answer.retryAfter).toBe(exchange.response.headers['retry-after'] ?? null);
    }
  });
});

function seen(
  { id, request }: RecordedExchange,
  status: number,
  contentType: string,
  body: string,
  whole: boolean,
): unknown {
  const value = comparable(body);
  const shown = whole ? value : (value as { metadata?: unknown }).metadata;
  return { id, request: `${request.method} ${request.path}`, status, contentType, body: shown };
}

/** Creates an object as the program did that made the recordings. */
async function post(server: ApiServer, object: KubernetesObject): Promise<void> {
  const { namespace } = object.metadata;
  const response = await fetch(`${server.url}/api/v1/namespaces/${namespace}/configmaps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'operator-recording/1' },
    body: JSON.stringify(object),
  });
  expect(response.status).toBe(201);
}
