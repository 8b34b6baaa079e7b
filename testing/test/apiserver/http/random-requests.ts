/** Requests that mean something often enough to get past the first check, and nothing at all often enough to hurt. */
import fc from 'fast-check';
import { jsonValue } from '../../../../test/support/json-arbitraries.ts';
import { BUILT_IN_RESOURCES } from '../../../src/apiserver/registry/built-in-resources.ts';

export interface RandomRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const SEGMENTS = [
  'api',
  'apis',
  'v1',
  'v2',
  'apps',
  'watch',
  'namespaces',
  'default',
  'nowhere',
  'configmaps',
  'pods',
  'deployments',
  'customresourcedefinitions',
  'apiextensions.k8s.io',
  'events',
  'events.k8s.io',
  'leases',
  'coordination.k8s.io',
  'openapi',
  'v3',
  'version',
  'readyz',
  'a',
  'status',
  'scale',
  'eviction',
  'binding',
  'finalize',
  'token',
  'exec',
  'log',
  '__proto__',
  'constructor',
  '..',
  '%2e%2e',
  '%00',
  '%',
  '%E2%82',
  '',
  'ü',
  'x'.repeat(300),
];

/** Paths that mean something, and the kind that belongs there. */
type Place = readonly [path: string, apiVersion: string, kind: string];

const FAVOURITES: readonly Place[] = [
  ['/api/v1/namespaces/default/configmaps', 'v1', 'ConfigMap'],
  ['/api/v1/namespaces/default/configmaps/a', 'v1', 'ConfigMap'],
  ['/api/v1/namespaces/default/pods', 'v1', 'Pod'],
  ['/api/v1/namespaces/default/pods/a/eviction', 'policy/v1', 'Eviction'],
  ['/api/v1/namespaces/default/pods/a/status', 'v1', 'Pod'],
  ['/api/v1/namespaces/default/services', 'v1', 'Service'],
  ['/api/v1/namespaces/default/secrets', 'v1', 'Secret'],
  ['/api/v1/namespaces/default/persistentvolumeclaims', 'v1', 'PersistentVolumeClaim'],
  ['/api/v1/namespaces/default/events', 'v1', 'Event'],
  ['/api/v1/namespaces', 'v1', 'Namespace'],
  ['/api/v1/namespaces/default/finalize', 'v1', 'Namespace'],
  ['/apis/apps/v1/namespaces/default/deployments', 'apps/v1', 'Deployment'],
  ['/apis/apps/v1/namespaces/default/deployments/a', 'apps/v1', 'Deployment'],
  ['/apis/apps/v1/namespaces/default/deployments/a/scale', 'autoscaling/v1', 'Scale'],
  ['/apis/apps/v1/namespaces/default/statefulsets', 'apps/v1', 'StatefulSet'],
  ['/apis/apps/v1/namespaces/default/daemonsets', 'apps/v1', 'DaemonSet'],
  ['/apis/batch/v1/namespaces/default/jobs', 'batch/v1', 'Job'],
  ['/apis/batch/v1/namespaces/default/cronjobs', 'batch/v1', 'CronJob'],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases', 'coordination.k8s.io/v1', 'Lease'],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases/a', 'coordination.k8s.io/v1', 'Lease'],
  ['/apis/events.k8s.io/v1/namespaces/default/events', 'events.k8s.io/v1', 'Event'],
  ['/apis/networking.k8s.io/v1/namespaces/default/ingresses', 'networking.k8s.io/v1', 'Ingress'],
  [
    '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    'networking.k8s.io/v1',
    'NetworkPolicy',
  ],
  ['/apis/policy/v1/namespaces/default/poddisruptionbudgets', 'policy/v1', 'PodDisruptionBudget'],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
  ],
  [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
  ],
  ['/apis/example.dev/v1/namespaces/default/widgets', 'example.dev/v1', 'Widget'],
  ['/apis/example.dev/v1/namespaces/default/widgets/a', 'example.dev/v1', 'Widget'],
  [
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    'authorization.k8s.io/v1',
    'SelfSubjectAccessReview',
  ],
  [
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
  ],
];

/** The same for every built-in resource: its collections, an object of it, and what is below that. */
const EVERYTHING: readonly Place[] = BUILT_IN_RESOURCES.flatMap((resource) => {
  const { group, version, plural, kind, namespaced, subresources } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const root = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
  const collection = `${root}/${namespaced ? 'namespaces/default/' : ''}${plural}`;
  const parts = subresources.map(({ name, group: of = group, version: as = version, kind: is }) => {
    const partVersion = of === '' ? as : `${of}/${as}`;
    return [`${collection}/a/${name}`, partVersion, is] as const;
  });
  return [
    [collection, apiVersion, kind],
    [`${root}/${plural}`, apiVersion, kind],
    [`${root}/watch/${plural}`, apiVersion, kind],
    [`${collection}/a`, apiVersion, kind],
    ...parts,
  ] as const;
});

const strangePath = fc
  .array(fc.constantFrom(...SEGMENTS), { maxLength: 8 })
  .map((segments) => `/${segments.join('/')}`);

const query = fc
  .dictionary(
    fc.constantFrom(
      'limit',
      'continue',
      'resourceVersion',
      'resourceVersionMatch',
      'labelSelector',
      'fieldSelector',
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
      'propagationPolicy',
      'gracePeriodSeconds',
      'includeObject',
      'pretty',
      'sendInitialEvents',
      'timeout',
      'watch',
      'allowWatchBookmarks',
      'shardSelector',
      'orphanDependents',
      'container',
      'exclude',
    ),
    fc.constantFrom(
      '',
      '0',
      '1',
      '-1',
      'abc',
      'true',
      'All',
      '99999999999999999999',
      'a=b',
      '%',
      'é',
      'Strict',
      'Background',
      'metadata.name=a',
      'a in (',
      'NotOlderThan',
      "shardRange(object.metadata.uid, '0', '8')",
      'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0',
      'x'.repeat(2_000),
    ),
    { maxKeys: 3 },
  )
  .map((values) => new URLSearchParams(values).toString());

const contentType = fc.constantFrom(
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  'nonsense',
);

const accept = fc.constantFrom(
  'application/json',
  '*/*',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'nonsense;;;=',
  'application/json;drop=metadata.managedFields',
  'application/yaml;as=Table;v=v1;g=meta.k8s.io;drop=metadata.managedFields',
  'application/json;drop=,*/*;q=x',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,text/html;q=2',
  'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
  '',
);

/** Headers that a server may look at. */
const moreHeaders = fc.dictionary(
  fc.constantFrom(
    'authorization',
    'impersonate-user',
    'impersonate-group',
    'impersonate-uid',
    'impersonate-extra-scopes',
    'if-none-match',
    'if-match',
    'user-agent',
    'accept-encoding',
    'content-encoding',
    'x-http-method-override',
    'x-forwarded-for',
    'kubectl-command',
    'upgrade-insecure-requests',
  ),
  fc.constantFrom(
    '',
    'a',
    'Bearer x',
    'Basic eDp5',
    'system:admin',
    'system:serviceaccount:default:default',
    '*',
    'W/"x"',
    'gzip',
    'curl/8.5.0',
    '%',
    '"',
    'x'.repeat(300),
  ),
  { maxKeys: 2 },
);

/** Values in the place of any field: what a schema would never allow. */
const anything = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1e300, '', 'a', [], {}, [[]], [{}], [null], { a: null }),
  jsonValue({ maxDepth: 2 }),
);

const SPEC_FIELDS = [
  'replicas',
  'selector',
  'template',
  'containers',
  'ports',
  'versions',
  'names',
  'group',
  'scope',
  'schedule',
  'jobTemplate',
  'rules',
  'strategy',
  'volumes',
  'accessModes',
  'resources',
  'scaleTargetRef',
  'maxReplicas',
  'holderIdentity',
  'renewTime',
  'podSelector',
  'minAvailable',
  'resourceAttributes',
  'finalizers',
];

const TOP_FIELDS = ['data', 'rules', 'roleRef', 'subjects', 'involvedObject', 'regarding', 'type'];

/** Metadata with usual and with random values. */
const metadata = fc.record(
  {
    name: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('a', 'b') }, anything),
    namespace: fc.oneof({ weight: 4, arbitrary: fc.constant('default') }, anything),
    labels: fc.oneof(fc.constant({ app: 'a' }), anything),
    annotations: anything,
    finalizers: fc.oneof(fc.constant(['x.y/z']), anything),
    ownerReferences: anything,
    managedFields: anything,
    resourceVersion: anything,
    uid: anything,
    generateName: anything,
    creationTimestamp: anything,
    deletionTimestamp: anything,
  },
  { requiredKeys: ['name'] },
);

/** An object of a kind, in which anything may be anything. */
function objectBody(apiVersion: string, kind: string): fc.Arbitrary<string> {
  const spec = fc.dictionary(fc.constantFrom(...SPEC_FIELDS), anything, { maxKeys: 5 });
  return fc
    .tuple(
      fc.record(
        {
          metadata: fc.oneof({ weight: 6, arbitrary: metadata }, anything),
          spec,
          status: anything,
        },
        { requiredKeys: ['metadata'] },
      ),
      fc.dictionary(fc.constantFrom(...TOP_FIELDS), anything, { maxKeys: 2 }),
    )
    .map(([object, more]) => JSON.stringify({ apiVersion, kind, ...object, ...more }));
}

const patchBody = fc
  .array(
    fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x'),
        path: fc.constantFrom(
          '',
          '/',
          '/data',
          '/data/k',
          '/metadata/name',
          '/-',
          '/spec/0',
          '~',
          7,
        ),
        from: fc.constantFrom('', '/data', '/nope', null),
        value: anything,
      },
      { requiredKeys: [] },
    ),
    { maxLength: 4 },
  )
  .map((operations) => JSON.stringify(operations));

const oddBody = fc.oneof(
  fc.constantFrom('', '{', 'null', '[]', '7', '"x"', '{"__proto__":{"a":1}}', 'a: &a [*a]'),
  fc.string({ maxLength: 60 }),
);

const method = fc.constantFrom(
  'GET',
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'PATCH',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
);

/** One that nothing is wrong with: what went before must not have left the server unable to do it. */
const harmless: fc.Arbitrary<RandomRequest> = fc.constant({
  method: 'POST',
  path: '/api/v1/namespaces/default/configmaps',
  query: '',
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"ok-"}}',
});

const target = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...FAVOURITES) },
  { weight: 1, arbitrary: fc.constantFrom(...EVERYTHING) },
);

const hostile: fc.Arbitrary<RandomRequest> = fc
  .record({ method, target, query, contentType, accept, moreHeaders })
  .chain(({ target: [path, apiVersion, kind], ...rest }) =>
    fc.record({
      method: fc.constant(rest.method),
      path: fc.oneof({ weight: 9, arbitrary: fc.constant(path) }, strangePath),
      query: fc.oneof(fc.constant(''), fc.constant(rest.query)),
      headers: fc
        .tuple(
          fc.oneof(
            fc.constant(rest.method === 'PATCH' ? rest.contentType : 'application/json'),
            fc.constant(rest.contentType),
          ),
          fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, fc.constant(rest.moreHeaders)),
        )
        .map(([type, more]) => ({ ...more, 'content-type': type, accept: rest.accept })),
      body: fc.oneof(
        { weight: 6, arbitrary: objectBody(apiVersion, kind) },
        { weight: rest.method === 'PATCH' ? 6 : 1, arbitrary: patchBody },
        { weight: 1, arbitrary: oddBody },
      ),
    }),
  );

/** What a few clients send, one request after the other. */
export const randomRequests: fc.Arbitrary<readonly RandomRequest[]> = fc.array(
  fc.oneof({ weight: 9, arbitrary: hostile }, harmless),
  { minLength: 5, maxLength: 20 },
);

/** The definition of the custom resource that some of them are about. */
export const WIDGETS: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer', minimum: 1 },
                  ports: {
                    type: 'array',
                    items: { type: 'string' },
                    'x-kubernetes-list-type': 'set',
                  },
                  selector: { type: 'object', additionalProperties: { type: 'string' } },
                  template: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
