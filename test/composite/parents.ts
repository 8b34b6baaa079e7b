import type { TestEnv } from '@chancery/testing';
import { startOperator, startTestEnv, type TestOperator } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { Controller } from '../../operator/controller/controller.ts';
import type { ConfigMap } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';
import type { LabelSelector } from '../../operator/model/selector.ts';

/** A set of ConfigMaps, one for each name. */
export interface ConfigSet extends KubernetesObject {
  readonly spec: {
    readonly names: readonly string[];
    readonly text?: string;
    readonly selector?: LabelSelector;
  };
  readonly status?: { readonly made?: number; readonly observedGeneration?: number };
}

export const configSets: Resource<ConfigSet> = defineResource({
  group: 'example.dev',
  version: 'v1',
  plural: 'configsets',
  kind: 'ConfigSet',
  namespaced: true,
});

export const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'configsets.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'configsets', singular: 'configset', kind: 'ConfigSet' },
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
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

export function configSet(namespace: string, spec: ConfigSet['spec']): ConfigSet {
  return {
    apiVersion: 'example.dev/v1',
    kind: 'ConfigSet',
    metadata: { name: 'set', namespace },
    spec,
  };
}

/** An embedded cluster that knows ConfigSets. */
export async function clusterWithSets(): Promise<TestEnv> {
  const env = await startTestEnv({ environment: {} });
  await env.apply(DEFINITION);
  return env;
}

export interface Playground {
  readonly env: TestEnv;
  readonly namespace: string;
  readonly operator: TestOperator;
  /** Names of the ConfigMaps in the namespace, but for the one that every namespace has. */
  names(): Promise<readonly string[]>;
  configMap(name: string): Promise<ConfigMap | undefined>;
  set(): Promise<ConfigSet | undefined>;
  change(spec: object): Promise<unknown>;
}

/** A cluster with a ConfigSet, and `declared` at work. */
export async function playground(
  declared: Controller,
  spec: ConfigSet['spec'],
  arrange: (env: TestEnv, namespace: string) => Promise<unknown> = async () => {},
): Promise<Playground> {
  const env = await clusterWithSets();
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  await env.create(configSet(namespace, spec));
  await arrange(env, namespace);
  const operator = startOperator({ url: env.url, namespace, controllers: [declared] });
  onTestFinished(() => operator.stop());
  return {
    env,
    namespace,
    operator,
    names: () => configMapNames(env, namespace),
    configMap: (name) => env.get<ConfigMap>('v1', 'ConfigMap', namespace, name),
    set: () => env.get<ConfigSet>('example.dev/v1', 'ConfigSet', namespace, 'set'),
    change: (change) =>
      env.patch('example.dev/v1', 'ConfigSet', namespace, 'set', { spec: change }),
  };
}

export async function configMapNames(env: TestEnv, namespace: string): Promise<readonly string[]> {
  const all = await env.list('v1', 'ConfigMap', namespace);
  return all
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'kube-root-ca.crt')
    .sort();
}
