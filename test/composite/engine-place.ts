/** An engine at work in an embedded cluster whose time stands still: what a test expects is there when it is settled. */

import {
  FakeClock,
  startOperator,
  startTestEnv,
  type TestEnv,
  type TestOperator,
} from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { DesiredChild } from '../../operator/composite/child.ts';
import { childTypes } from '../../operator/composite/child-types.ts';
import { engine } from '../../operator/composite/engine.ts';
import type {
  ChildUpdate,
  CompositeEngineOptions,
  SyncAnswer,
  SyncRequest,
} from '../../operator/composite/engine-options.ts';
import type { ChildWriter } from '../../operator/controller/children/child-writer.ts';
import { source } from '../../operator/controller/source.ts';
import type { Condition } from '../../operator/model/condition.ts';
import { configMaps } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';
import type { LabelSelector } from '../../operator/model/selector.ts';
import { dynamicApplyWriter } from '../../packages/metacontroller/src/children/dynamic-apply-writer.ts';

export interface Orchard extends KubernetesObject {
  readonly spec: Readonly<Record<string, unknown>> & { readonly selector?: LabelSelector };
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export const orchards: Resource<Orchard> = defineResource<Orchard>({
  group: 'fruit.example',
  version: 'v1',
  plural: 'orchards',
  kind: 'Orchard',
  namespaced: true,
});

/** The same without a namespace. */
export const estates: Resource<Orchard> = defineResource<Orchard>({
  ...orchards,
  plural: 'estates',
  kind: 'Estate',
  namespaced: false,
});

/** @param status - the properties of its schema; any if left out. */
export function definitionOf(resource: Resource, status?: object): object {
  const { group, plural, kind, namespaced, version } = resource;
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: anything,
                status: status === undefined ? anything : { type: 'object', properties: status },
              },
            },
          },
        },
      ],
    },
  };
}

export interface EngineSetup extends Partial<CompositeEngineOptions> {
  readonly decide: (request: SyncRequest) => Partial<SyncAnswer> | Promise<Partial<SyncAnswer>>;
  /** Default: ConfigMaps that are changed in place. */
  readonly childResources?: readonly (readonly [Resource, ChildUpdate])[];
  /** Default: the orchard. */
  readonly parentResource?: Resource<Orchard>;
  readonly definitions?: readonly object[];
  readonly arrange?: (place: Omit<EnginePlace, 'operator'>) => Promise<unknown>;
  readonly writer?: ChildWriter;
  /** Settings of the operator. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface EnginePlace {
  readonly env: TestEnv;
  readonly clock: FakeClock;
  readonly namespace: string;
  readonly operator: TestOperator;
  /** Keys of the parents for which the function was called, in that order. */
  readonly calls: string[];
  /** Requests that change something, but for Events: `patch configmaps a`. */
  writes(): readonly string[];
  /** Ends the operator, and starts another one that remembers nothing. */
  restart(changed?: Partial<EngineSetup>): Promise<void>;
  createParent(spec: Orchard['spec'], name?: string): Promise<Orchard>;
  parent(name?: string): Promise<Orchard | undefined>;
}

const CHANGING = ['create', 'update', 'patch', 'delete'];

export async function enginePlace(setup: EngineSetup): Promise<EnginePlace> {
  const clock = new FakeClock();
  const env = await startTestEnv({ embedded: { clock }, environment: {} });
  onTestFinished(() => env.stop());
  const { parentResource = orchards, definitions = [definitionOf(parentResource)] } = setup;
  for (const definition of definitions) await env.apply([definition as never]);
  const namespace = await env.namespace();
  const inNamespace = parentResource.namespaced ? namespace : undefined;
  const { kind } = parentResource;
  const calls: string[] = [];
  const base = {
    env,
    clock,
    namespace,
    calls,
    writes: () =>
      env.requests
        .of()
        .filter(({ verb, resource }) => CHANGING.includes(verb) && !resource.startsWith('events'))
        .map(({ verb, resource, name = '', subresource }) =>
          [verb, resource, name, subresource ?? ''].join(' ').trim(),
        ),
    createParent: (spec: Orchard['spec'], name = 'north') =>
      env.create<Orchard>({
        apiVersion: 'fruit.example/v1',
        kind,
        metadata: { name, ...(inNamespace !== undefined && { namespace: inNamespace }) },
        spec,
      }),
    parent: (name = 'north') => env.get<Orchard>('fruit.example/v1', kind, inNamespace, name),
    restart: async () => {},
  };
  await setup.arrange?.(base);
  let running = await start(setup, base);
  return {
    ...base,
    get operator() {
      return running;
    },
    async restart(changed = {}) {
      await running.stop();
      running = await start({ ...setup, ...changed }, base);
    },
  };
}

async function start(setup: EngineSetup, place: Omit<EnginePlace, 'operator'>) {
  const {
    decide,
    childResources = [[configMaps as Resource, 'apply']],
    arrange: _,
    definitions: __,
    environment = {},
    parentResource = orchards,
    ...options
  } = setup;
  const rules = childResources.map(([resource, update]) => ({ resource, update }));
  const declared = engine({
    name: 'orchards',
    parent: source(parentResource as unknown as Resource),
    children: rules.length === 0 ? [] : childTypes(rules),
    generateSelector: true,
    writer: dynamicApplyWriter(),
    status: 'replace',
    failures: { condition: true },
    controller: {},
    async sync(request) {
      const { name = '' } = request.parent.metadata;
      place.calls.push(name);
      return { children: [], ...(await decide(request)) };
    },
    ...options,
  });
  const { env, clock } = place;
  const operator = startOperator({ url: env.url, controllers: [declared], clock, environment });
  onTestFinished(() => operator.stop());
  await env.settled();
  return operator;
}

/** ConfigMaps with these data. */
export function maps(data: Readonly<Record<string, string>>): readonly DesiredChild[] {
  return Object.entries(data).map(([name, text]) => ({
    resource: configMaps as Resource,
    object: { metadata: { name }, data: { text } } as never,
  }));
}
