import type { TestEnv } from '@chancery/testing';
import { FakeClock, startOperator, startTestEnv, type TestOperator } from '@chancery/testing';
import { expect, onTestFinished } from 'vitest';
import type { ControllerOptions } from '../../operator/controller/controller.ts';
import { controller } from '../../operator/controller/controller.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { Condition } from '../../operator/model/condition.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';

/** A custom resource with a status, and conditions that are a map by type. */
export interface Site extends KubernetesObject {
  readonly spec: { readonly text: string };
  readonly status?: {
    readonly pages?: number;
    readonly note?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export const sites = defineResource<Site>({
  group: 'example.dev',
  version: 'v1',
  plural: 'sites',
  kind: 'Site',
  namespaced: true,
});

const TEXT = { type: 'string' };
const NUMBER = { type: 'integer' };

/**
 * @param subresources - those that the version has.
 * @param more - fields of the status beside its own.
 */
export function siteDefinition(
  subresources: object = { status: {} },
  more: object = {},
): KubernetesObject {
  const condition = {
    type: 'object',
    required: ['type'],
    properties: {
      type: TEXT,
      status: TEXT,
      reason: TEXT,
      message: TEXT,
      lastTransitionTime: TEXT,
      observedGeneration: NUMBER,
    },
  };
  const conditions = {
    type: 'array',
    items: condition,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  };
  const status = {
    type: 'object',
    properties: { pages: NUMBER, note: TEXT, observedGeneration: NUMBER, conditions, ...more },
  };
  const spec = { type: 'object', properties: { text: TEXT } };
  const openAPIV3Schema = { type: 'object', properties: { spec, status } };
  const version = { name: 'v1', served: true, storage: true, subresources };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'sites.example.dev' },
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { plural: 'sites', singular: 'site', kind: 'Site', listKind: 'SiteList' },
      versions: [{ ...version, schema: { openAPIV3Schema } }],
    },
  };
  return definition;
}

interface List {
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: readonly string[];
}

/** The definition of Sites whose conditions are one value. */
export function atomicDefinition(): KubernetesObject {
  const definition = structuredClone(siteDefinition()) as unknown as {
    spec: {
      versions: { schema: { openAPIV3Schema: { properties: { status: object } } } }[];
    };
  };
  const { status } = definition.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
  const { conditions } = (status as { properties: { conditions: List } }).properties;
  delete conditions['x-kubernetes-list-type'];
  delete conditions['x-kubernetes-list-map-keys'];
  return definition as unknown as KubernetesObject;
}

export interface SitesTest {
  readonly env: TestEnv;
  readonly clock: FakeClock;
  readonly namespace: string;
  /** Begins an operator, and waits until nothing moves any more. */
  operate(
    reconcile: ControllerOptions<Site>['reconcile'],
    more?: Partial<ControllerOptions<Site>>,
  ): Promise<TestOperator>;
  createSite(name: string, text?: string): Promise<Site>;
  site(name: string): Promise<Site>;
  /** Requests of the operator that write `resource`, in words. */
  writes(resource: string): readonly string[];
}

/**
 * An API server that serves Sites; everything ends with it.
 *
 * @param environment - says which server; default: the embedded one, on a clock of the test's. `operate` and `writes`
 *   need that one.
 */
export async function startSites(
  definition: KubernetesObject = siteDefinition(),
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<SitesTest> {
  const clock = new FakeClock();
  const env = await startTestEnv({ environment, embedded: { workloads: false, clock } });
  onTestFinished(() => env.stop());
  await env.apply([definition]);
  const namespace = await env.namespace();
  return {
    env,
    clock,
    namespace,
    async operate(reconcile, more = {}) {
      const declared = controller<Site>({
        name: 'sites',
        for: sites,
        owns: [configMaps],
        reconcile,
        ...more,
      });
      const operator = startOperator({ url: env.url, namespace, clock, controllers: [declared] });
      onTestFinished(() => operator.stop());
      await env.advance(5_000);
      expect(operator.ready).toBe(true);
      return operator;
    },
    createSite: (name, text = 'hello') =>
      env.create<Site>({
        apiVersion: 'example.dev/v1',
        kind: 'Site',
        metadata: { name, namespace },
        spec: { text },
      }),
    async site(name) {
      const found = await env.get<Site>('example.dev/v1', 'Site', namespace, name);
      return found ?? expect.unreachable(`no site ${name}`);
    },
    writes: (resource) =>
      env.requests
        .of({ resource })
        .filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))
        .map(({ verb, name = '', subresource }) =>
          [verb, subresource ? `${name}/${subresource}` : name].filter(Boolean).join(' '),
        ),
  };
}
