import type { RecordedExchange } from '../../../test/support/recorded-stream.ts';
import type { ApiServer } from '../../src/apiserver/api-server.ts';
import type { FakeClock } from '../../src/time/fake-clock.ts';

/** What the replay may do to the server, as something outside the recordings did to the real one. */
export interface World {
  readonly server: ApiServer;
  readonly clock: FakeClock;
}

/** One recording, and what has to be known to replay it. */
export interface Chapter {
  readonly recording: string;
  /** Default: those of the committed recording. */
  readonly exchanges?: readonly RecordedExchange[];
  /** That were there before. Default: none beside `demo`. */
  readonly namespaces?: readonly string[];
  /** When it began: the creation times in its answers tell it within a second. */
  readonly startedAt: string;
  /** Who sent its requests. Default: the administrator. */
  readonly user?: string;
  /** What happened before an exchange without being recorded, by the id of the exchange. */
  readonly before?: Readonly<Record<number, (world: World) => void | Promise<void>>>;
  /**
   * True: what controllers write into a Deployment at a time of their own is not compared, so that a recording of requests
   * needs no watches. Default: all is compared.
   */
  readonly withoutControllers?: boolean;
  /** Headers that the recording left out, by id. */
  readonly headers?: Readonly<Record<number, Readonly<Record<string, string>>>>;
  /**
   * Watches in which objects change side by side, by the controllers of the cluster: which comes
   * first is a race there, and only the events of each object are compared in order.
   */
  readonly races?: readonly number[];
  /** Exchanges whose answers depend on how a cluster was set up: they are sent, and not counted. */
  readonly incomparable?: readonly number[];
  /** Bodies that the recording left out, by id. */
  readonly bodies?: Readonly<Record<number, () => string>>;
}

/**
 * The recordings in the order in which they were made: what one leaves behind, the next one lists.
 * All of them were made on one server. Their figure is the one that documents name.
 */
export const CHAPTERS: readonly Chapter[] = [
  { recording: 'watch-lifecycle', startedAt: '2026-11-21T06:26:18.900Z' },
  { recording: 'watch-streaming-list', startedAt: '2026-11-21T06:27:44.200Z' },
  {
    recording: 'errors',
    startedAt: '2026-11-21T06:27:54.700Z',
    // Answers to curl are indented for people.
    headers: { 40: { 'user-agent': 'curl/8.5.0' } },
    bodies: { 50: () => bigConfigMap() },
  },
  { recording: 'patches', startedAt: '2026-11-21T06:27:57.800Z' },
  { recording: 'crd', startedAt: '2026-11-21T06:27:58.900Z' },
  { recording: 'discovery', startedAt: '2026-11-21T06:28:05Z' },
  { recording: 'lease-events', startedAt: '2026-11-21T06:28:20.900Z' },
  { recording: 'deletion', startedAt: '2026-11-21T06:28:21.300Z' },
  {
    recording: 'list-paging',
    startedAt: '2026-11-21T06:28:41.800Z',
    before: { 74: ({ server }) => server.compact() },
  },
  {
    recording: 'kubectl-session',
    startedAt: '2026-11-21T06:29:15.900Z',
    // Without a fieldManager in the query, its program owns what it scales.
    headers: { 58: { 'user-agent': 'kubectl/v1.32.0' } },
  },
  { recording: 'rollout', startedAt: '2026-11-21T06:29:56.400Z', races: [1, 2, 3, 5] },
  { recording: 'metadata-only', startedAt: '2026-11-21T06:30:24.500Z' },
  { recording: 'forbidden', startedAt: '2026-11-21T06:30:33.900Z', user: 'dev' },
  {
    recording: 'server-restart',
    startedAt: '2026-11-21T06:30:34.500Z',
    before: {
      1: ({ server }) => patchAlpha(server.url),
      4: ({ server }) => server.stop(),
      7: ({ server }) => server.listen(),
    },
  },
  { recording: 'watch-expired', startedAt: '2026-11-21T06:30:44.000Z' },
];

/**
 * The second set of recordings, taken a day later by other people. Each began on a server of its own, and
 * is replayed on one.
 */
export const SECOND_CHAPTERS: readonly Chapter[] = (
  [
    { recording: 'apply-more', startedAt: '2026-11-22T18:02:35.464Z' },
    { recording: 'patches-more', startedAt: '2026-11-22T18:02:37.372Z' },
    { recording: 'json-patch', startedAt: '2026-11-22T18:35:37.703Z' },
    {
      recording: 'invalid',
      startedAt: '2026-11-22T18:03:07.233Z',
      // 49: a cluster IP outside of the configured range, which is another one here.
      incomparable: [49],
    },
    {
      recording: 'quota-namespaces',
      startedAt: '2026-11-22T18:03:59.477Z',
      // 39: the name of the user, which is up to the credentials of the proxy.
      incomparable: [39],
    },
  ] as readonly Chapter[]
).map((chapter) => ({ ...chapter, withoutControllers: true }));

/** The world as it stood before the first recording. */
export async function prepare(
  { server }: World,
  namespaces: readonly string[] = ['demo'],
): Promise<void> {
  for (const name of namespaces) {
    const answer = await fetch(`${server.url}/api/v1/namespaces?fieldManager=kubectl-create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    });
    if (!answer.ok) throw new Error(`the namespace: ${answer.status} ${await answer.text()}`);
  }
  for (const object of GRANTED_BY_THE_BUILD) server.create(object);
}

/** The recorded server is a build of OpenShift, which lets everybody read one thing more. */
const GRANTED_BY_THE_BUILD = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'system:openshift:public-info-viewer' },
    rules: [{ verbs: ['get'], nonResourceURLs: ['/.well-known', '/.well-known/*'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'system:openshift:public-info-viewer' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:openshift:public-info-viewer',
    },
    subjects: ['system:authenticated', 'system:unauthenticated'].map((name) => ({
      kind: 'Group',
      apiGroup: 'rbac.authorization.k8s.io',
      name,
    })),
  },
];

/** Somebody tried the restart before, by `kubectl patch`. */
async function patchAlpha(url: string): Promise<void> {
  const path = '/api/v1/namespaces/demo/configmaps/alpha?fieldManager=kubectl-patch';
  await fetch(url + path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"data":{"n":"3"}}',
  });
}

/** As long as the one that was sent: just over the limit of a ConfigMap. */
function bigConfigMap(): string {
  const data = { k: 'x'.repeat(1_100_000) };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'toobig' },
    data,
  });
}
