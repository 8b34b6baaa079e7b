/**
 * The three definitions. The tables hold what Metacontroller's own definitions say, field by field, and were written
 * down by hand from them.
 */
import { startTestEnv, type TestEnv } from '@chancery/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  compositeControllers,
  controllerRevisions,
  decoratorControllers,
} from '../../operator/metacontroller/definitions/resources.ts';
import type { DefinedResource } from '../../operator/model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import type { StructuralSchema } from '../../operator/model/structural-schema.ts';

/** One line for each field: `path: type`, then what else the schema says. `!` marks a required field. */
const LABEL_SELECTOR = `
: object, map atomic
.matchLabels: object of string
.matchExpressions: array, list atomic
.matchExpressions[]: object
.matchExpressions[].key!: string
.matchExpressions[].operator!: string
.matchExpressions[].values: array, list atomic
.matchExpressions[].values[]: string`;

const CONNECTION = `
.caBundle: object
.caBundle.inline: string
.caBundle.secretRef: object
.caBundle.secretRef.name!: string
.caBundle.secretRef.namespace!: string
.caBundle.secretRef.key: string, default "ca.crt"
.caBundle.configMapRef: object
.caBundle.configMapRef.name!: string
.caBundle.configMapRef.namespace!: string
.caBundle.configMapRef.key: string, default "ca.crt"
.clientTLS: object
.clientTLS.secretRef!: object
.clientTLS.secretRef.name!: string
.clientTLS.secretRef.namespace!: string
.clientTLS.certKey: string, default "tls.crt"
.clientTLS.privateKeyKey: string, default "tls.key"
.authorization: object
.authorization.type: string, default "Bearer"
.authorization.secretRef!: object
.authorization.secretRef.name!: string
.authorization.secretRef.namespace!: string
.authorization.secretRef.key!: string
.basicAuth: object
.basicAuth.secretRef!: object
.basicAuth.secretRef.name!: string
.basicAuth.secretRef.namespace!: string
.basicAuth.usernameKey: string, default "username"
.basicAuth.passwordKey: string, default "password"`;

const HOOK = `
: object
.version: string, default "v1", enum v1 v2
.webhook: object
.webhook.url: string
.webhook.service: object
.webhook.service.name!: string
.webhook.service.namespace!: string
.webhook.service.port: integer int32
.webhook.service.protocol: string
.webhook.path: string
.webhook.timeout: string duration
.webhook.etag: object
.webhook.etag.enabled: boolean
.webhook.etag.cacheTimeoutSeconds: integer int32
.webhook.etag.cacheCleanupSeconds: integer int32
.webhook.responseUnMarshallMode: string, enum loose strict
${below('.webhook', CONNECTION)}`;

const METHOD =
  '.updateStrategy.method: string, enum OnDelete Recreate InPlace RollingRecreate RollingInPlace';

const ENDPOINTS = `
spec.endpointConfigs: array
spec.endpointConfigs[]: object
spec.endpointConfigs[].host!: string
${below('spec.endpointConfigs[]', CONNECTION)}`;

/** Theirs is an empty object. The conditions are the one addition. */
const STATUS = `
status: object
status.conditions: array, list map by type
status.conditions[]: object
status.conditions[].type!: string
status.conditions[].status!: string, enum True False Unknown
status.conditions[].observedGeneration: integer int64, minimum 0
status.conditions[].lastTransitionTime!: string date-time
status.conditions[].reason!: string
status.conditions[].message!: string`;

const OBJECT = `
apiVersion: string
kind: string
metadata!: object`;

const COMPOSITE = `${OBJECT}
spec!: object
spec.parentResource!: object
spec.parentResource.apiVersion!: string
spec.parentResource.resource!: string
${below('spec.parentResource.labelSelector', LABEL_SELECTOR)}
spec.parentResource.revisionHistory: object
spec.parentResource.revisionHistory.fieldPaths: array
spec.parentResource.revisionHistory.fieldPaths[]: string
spec.parentResource.ignoreStatusChanges: boolean
spec.childResources: array
spec.childResources[]: object
spec.childResources[].apiVersion!: string
spec.childResources[].resource!: string
spec.childResources[].updateStrategy: object
spec.childResources[]${METHOD}
spec.childResources[].updateStrategy.statusChecks: object
spec.childResources[].updateStrategy.statusChecks.conditions: array
spec.childResources[].updateStrategy.statusChecks.conditions[]: object
spec.childResources[].updateStrategy.statusChecks.conditions[].type!: string
spec.childResources[].updateStrategy.statusChecks.conditions[].status: string
spec.childResources[].updateStrategy.statusChecks.conditions[].reason: string
spec.generateSelector: boolean
spec.resyncPeriodSeconds: integer int32
spec.hooks: object
${below('spec.hooks.sync', HOOK)}
${below('spec.hooks.finalize', HOOK)}
${below('spec.hooks.customize', HOOK)}
${below('spec.hooks.preUpdateChild', HOOK)}
${below('spec.hooks.postUpdateChild', HOOK)}
${ENDPOINTS}
${STATUS}`;

const DECORATOR = `${OBJECT}
spec!: object
spec.resources!: array
spec.resources[]: object
spec.resources[].apiVersion!: string
spec.resources[].resource!: string
${below('spec.resources[].labelSelector', LABEL_SELECTOR)}
spec.resources[].annotationSelector: object
spec.resources[].annotationSelector.matchAnnotations: object of string
spec.resources[].annotationSelector.matchExpressions: array
spec.resources[].annotationSelector.matchExpressions[]: object
spec.resources[].annotationSelector.matchExpressions[].key!: string
spec.resources[].annotationSelector.matchExpressions[].operator!: string
spec.resources[].annotationSelector.matchExpressions[].values: array, list atomic
spec.resources[].annotationSelector.matchExpressions[].values[]: string
spec.resources[].ignoreStatusChanges: boolean
spec.attachments: array
spec.attachments[]: object
spec.attachments[].apiVersion!: string
spec.attachments[].resource!: string
spec.attachments[].updateStrategy: object
spec.attachments[]${METHOD}
spec.resyncPeriodSeconds: integer int32
spec.hooks: object
${below('spec.hooks.sync', HOOK)}
${below('spec.hooks.finalize', HOOK)}
${below('spec.hooks.customize', HOOK)}
${ENDPOINTS}
${STATUS}`;

const REVISION = `${OBJECT}
parentPatch!: object, any fields
children: array
children[]: object
children[].apiGroup!: string
children[].kind!: string
children[].names!: array
children[].names[]: string`;

interface Named {
  readonly scope: string;
  readonly names: Readonly<Record<'plural' | 'singular' | 'kind' | 'listKind', string>> & {
    readonly shortNames?: readonly string[];
  };
}

describe.each<[DefinedResource, Named, string]>([
  [
    compositeControllers,
    {
      scope: 'Cluster',
      names: {
        plural: 'compositecontrollers',
        singular: 'compositecontroller',
        kind: 'CompositeController',
        listKind: 'CompositeControllerList',
        shortNames: ['cc', 'cctl'],
      },
    },
    COMPOSITE,
  ],
  [
    decoratorControllers,
    {
      scope: 'Cluster',
      names: {
        plural: 'decoratorcontrollers',
        singular: 'decoratorcontroller',
        kind: 'DecoratorController',
        listKind: 'DecoratorControllerList',
        shortNames: ['dec', 'decorators'],
      },
    },
    DECORATOR,
  ],
  [
    controllerRevisions,
    {
      scope: 'Namespaced',
      names: {
        plural: 'controllerrevisions',
        singular: 'controllerrevision',
        kind: 'ControllerRevision',
        listKind: 'ControllerRevisionList',
      },
    },
    REVISION,
  ],
])('the definition $kind', ({ definition, ...resource }, { scope, names }, table) => {
  test('has the names, the scope, the version and the subresources of theirs', () => {
    const { metadata, spec } = definition;
    const [version, ...others] = spec.versions;

    expect(metadata).toEqual({
      name: `${names.plural}.metacontroller.k8s.io`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, request not yet submitted' },
    });
    expect({ ...spec, versions: [] }).toEqual({
      group: 'metacontroller.k8s.io',
      scope,
      names,
      versions: [],
    });
    expect({ ...version, schema: undefined }).toEqual({
      name: 'v1alpha1',
      served: true,
      storage: true,
      schema: undefined,
      subresources: { status: {} },
    });
    expect(others).toEqual([]);
    expect(resource).toEqual({
      group: 'metacontroller.k8s.io',
      version: 'v1alpha1',
      plural: names.plural,
      kind: names.kind,
      namespaced: scope === 'Namespaced',
    });
  });

  test('has the fields of theirs, and status.conditions of the controllers besides', () => {
    const [version] = definition.spec.versions;

    const found = factsOf(version?.schema.openAPIV3Schema ?? {}).slice(1);

    expect(found.sort()).toEqual(linesOf(table).sort());
  });
});

/** Each line of `facts` with `path` before it. */
function below(path: string, facts: string): string {
  return linesOf(facts)
    .map((line) => `${path}${line}`)
    .join('\n');
}

function linesOf(facts: string): string[] {
  return facts.split('\n').filter((line) => line !== '');
}

/** The keywords that no line of the tables can show. A schema must not have them. */
const SHOWN = new Set([
  ...['type', 'format', 'enum', 'default', 'minimum', 'required', 'description', 'properties'],
  ...['items', 'additionalProperties', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys'],
  ...['x-kubernetes-map-type', 'x-kubernetes-preserve-unknown-fields'],
]);

function factsOf(schema: StructuralSchema, path = '', isRequired = false): string[] {
  expect(Object.keys(schema).filter((keyword) => !SHOWN.has(keyword))).toEqual([]);
  const { type, format, additionalProperties, required = [], properties = {}, items } = schema;
  const list = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const map = schema['x-kubernetes-map-type'];
  const values = (additionalProperties as StructuralSchema | undefined)?.type;
  const facts = [
    [type, ...(format === undefined ? [] : [format]), ...(values ? ['of', values] : [])].join(' '),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...(schema.enum === undefined ? [] : [`enum ${schema.enum.join(' ')}`]),
    ...(schema.minimum === undefined ? [] : [`minimum ${schema.minimum}`]),
    ...(list === undefined ? [] : [`list ${list}${keys ? ` by ${keys.join(' ')}` : ''}`]),
    ...(map === undefined ? [] : [`map ${map}`]),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === true ? ['any fields'] : []),
  ];
  expect(required.filter((field) => properties[field] === undefined)).toEqual([]);
  const prefix = path === '' ? '' : `${path}.`;
  return [
    `${path}${isRequired ? '!' : ''}: ${facts.join(', ')}`,
    ...Object.entries(properties).flatMap(([field, child]) =>
      factsOf(child, `${prefix}${field}`, required.includes(field)),
    ),
    ...(items === undefined ? [] : factsOf(items, `${path}[]`)),
  ];
}

describe('an API server with the definitions', () => {
  let env: TestEnv;

  beforeAll(async () => {
    env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
    for (const { definition } of [compositeControllers, decoratorControllers, controllerRevisions])
      await env.apply(definition);
    return () => env.stop();
  });

  test('fills in the defaults, and nothing where nothing is given', async () => {
    const stored = await env.create(
      object('CompositeController', {
        spec: {
          parentResource: { apiVersion: 'fruit.example/v1', resource: 'orchards' },
          childResources: [{ apiVersion: 'v1', resource: 'configmaps' }],
          hooks: {
            sync: {
              webhook: {
                path: '/sync',
                service: { name: 'hooks', namespace: 'farm' },
                caBundle: { configMapRef: { name: 'ca', namespace: 'farm' } },
                authorization: { secretRef: { name: 'token', namespace: 'farm', key: 'token' } },
              },
            },
            finalize: {},
          },
          endpointConfigs: [
            {
              host: 'hooks.farm:443',
              clientTLS: { secretRef: { name: 'mine', namespace: 'farm' } },
              basicAuth: { secretRef: { name: 'mine', namespace: 'farm' } },
            },
          ],
        },
      }),
    );

    expect((stored as unknown as { spec: unknown }).spec).toEqual({
      parentResource: { apiVersion: 'fruit.example/v1', resource: 'orchards' },
      childResources: [{ apiVersion: 'v1', resource: 'configmaps' }],
      hooks: {
        sync: {
          version: 'v1',
          webhook: {
            path: '/sync',
            service: { name: 'hooks', namespace: 'farm' },
            caBundle: { configMapRef: { name: 'ca', namespace: 'farm', key: 'ca.crt' } },
            authorization: {
              type: 'Bearer',
              secretRef: { name: 'token', namespace: 'farm', key: 'token' },
            },
          },
        },
        finalize: { version: 'v1' },
      },
      endpointConfigs: [
        {
          host: 'hooks.farm:443',
          clientTLS: {
            secretRef: { name: 'mine', namespace: 'farm' },
            certKey: 'tls.crt',
            privateKeyKey: 'tls.key',
          },
          basicAuth: {
            secretRef: { name: 'mine', namespace: 'farm' },
            usernameKey: 'username',
            passwordKey: 'password',
          },
        },
      ],
    });
  });

  test('[metacontroller M10] keeps the conditions of a status, and nothing else in it', async () => {
    const { metadata } = await env.create(
      object('DecoratorController', { spec: { resources: [] } }),
    );
    const condition = {
      type: 'Ready',
      status: 'False',
      reason: 'Forbidden',
      message: 'list pods',
      lastTransitionTime: '2026-01-10T08:00:00Z',
    };

    const stored = await env.patch(
      'metacontroller.k8s.io/v1alpha1',
      'DecoratorController',
      undefined,
      metadata.name,
      { status: { conditions: [condition], observed: 1 } },
      'status',
    );

    expect((stored as { status?: unknown }).status).toEqual({ conditions: [condition] });
  });

  test('keeps every field of a parent in a revision, and needs no spec in it', async () => {
    const parentPatch = { spec: { a: [1, { b: null }] }, metadata: { labels: { c: 'd' } } };
    const children = [{ apiGroup: '', kind: 'Pod', names: ['farm/a'] }];

    const stored = await env.create(
      object('ControllerRevision', { parentPatch, children }, { namespace: 'default' }),
    );

    expect(stored).toMatchObject({ parentPatch, children });
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['spec', 'CompositeController', {}],
    ['spec.parentResource', 'CompositeController', { spec: {} }],
    ['spec.parentResource.resource', 'CompositeController', parent({ apiVersion: 'v1' })],
    ['spec.parentResource.apiVersion', 'CompositeController', parent({ resource: 'pods' })],
    ['spec.generateSelector', 'CompositeController', composite({ generateSelector: 'yes' })],
    ['spec.resyncPeriodSeconds', 'CompositeController', composite({ resyncPeriodSeconds: 1.5 })],
    [
      'spec.childResources[0].updateStrategy.method',
      'CompositeController',
      composite({
        childResources: [
          { apiVersion: 'v1', resource: 'pods', updateStrategy: { method: 'Replace' } },
        ],
      }),
    ],
    ['spec.hooks.sync.version', 'CompositeController', hook({ version: 'v3' })],
    ['spec.hooks.sync.webhook.timeout', 'CompositeController', webhook({ timeout: 'soon' })],
    [
      'spec.hooks.sync.webhook.responseUnMarshallMode',
      'CompositeController',
      webhook({ responseUnMarshallMode: 'lenient' }),
    ],
    [
      'spec.hooks.sync.webhook.service.namespace',
      'CompositeController',
      webhook({ service: { name: 'a' } }),
    ],
    [
      'spec.hooks.sync.webhook.authorization.secretRef.key',
      'CompositeController',
      webhook({ authorization: { secretRef: { name: 'a', namespace: 'b' } } }),
    ],
    ['spec.endpointConfigs[0].host', 'CompositeController', composite({ endpointConfigs: [{}] })],
    ['spec.resources', 'DecoratorController', { spec: {} }],
    ['spec.resources[0].resource', 'DecoratorController', decorated({ apiVersion: 'v1' })],
    [
      'spec.resources[0].annotationSelector.matchExpressions[0].operator',
      'DecoratorController',
      decorated({
        apiVersion: 'v1',
        resource: 'pods',
        annotationSelector: { matchExpressions: [{ key: 'a' }] },
      }),
    ],
    ['parentPatch', 'ControllerRevision', {}],
    [
      'children[0].names',
      'ControllerRevision',
      { parentPatch: {}, children: [{ apiGroup: '', kind: 'Pod' }] },
    ],
  ])('refuses an object with a wrong %s', async (field, kind, fields) => {
    const place = kind === 'ControllerRevision' ? { namespace: 'default' } : {};
    const refused = await env.create(object(kind, fields, place)).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(ApiError);
    const { status, details } = refused as ApiError;
    expect(status).toBe(422);
    expect(details.causes?.map((cause) => cause.field)).toEqual([field]);
  });

  let count = 0;
  function object(kind: string, fields: object, place: object = {}): KubernetesObject {
    const metadata = { name: `one-${count++}`, ...place };
    return { apiVersion: 'metacontroller.k8s.io/v1alpha1', kind, metadata, ...fields };
  }
});

function parent(parentResource: object) {
  return { spec: { parentResource } };
}

function composite(fields: object) {
  return { spec: { parentResource: { apiVersion: 'v1', resource: 'pods' }, ...fields } };
}

function hook(sync: object) {
  return composite({ hooks: { sync } });
}

function webhook(fields: object) {
  return hook({ webhook: fields });
}

function decorated(resource: object) {
  return { spec: { resources: [resource] } };
}
