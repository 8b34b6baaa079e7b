/** The three definitions: what they say, and what an API server makes of objects by them. */
import { startTestEnv, type TestEnv } from '@chancery/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DefinedResource } from '../../../operator/model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { ApiError } from '../../../operator/model/status.ts';
import type { StructuralSchema } from '../../../operator/model/structural-schema.ts';
import {
  compositeControllers,
  controllerRevisions,
  decoratorControllers,
} from '../src/definitions/resources.ts';
import { COMPOSITE, DECORATOR, linesOf, REVISION } from './support/field-facts.ts';

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
  test("the definition has Metacontroller's names, scope, version and subresources", () => {
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

  test('the definition has the fields of Metacontroller, and controllers also have status.conditions', () => {
    const [version] = definition.spec.versions;

    const found = factsOf(version?.schema.openAPIV3Schema ?? {}).slice(1);

    expect(found.sort()).toEqual(linesOf(table).sort());
  });
});

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

  test('the API server fills in the defaults of these definitions, and adds no defaults inside omitted objects', async () => {
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

  test('[metacontroller M10] the API server keeps the conditions of a status, and prunes its other fields', async () => {
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

  test('the API server keeps every field of a parent in a ControllerRevision, which needs no spec', async () => {
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
  ])('the API server refuses an object with a wrong %s', async (field, kind, fields) => {
    const place = kind === 'ControllerRevision' ? { namespace: 'default' } : {};
    const refused = await env.create(object(kind, fields, place)).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(ApiError);
    const { status, details } = refused as ApiError;
    expect(status).toBe(422);
    // Of a fraction the server also says that it is out of range, and names no field.
    const named = details.causes?.map((cause) => cause.field);
    expect(named?.filter((each) => each !== '<nil>')).toEqual([field]);
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
