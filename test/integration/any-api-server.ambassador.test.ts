/**
 * What an operator needs of an API server, on whichever `CHANCERY_TEST_ENV` names: nothing here asks
 * for Pods, logs or a clock.
 */

import { configMap, customResource, eventually, startOperator } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { startTestCluster } from '../support/cluster.ts';

const FIRST_START = { timeout: 60_000 };

interface Greeting extends KubernetesObject {
  readonly spec: { readonly text: string };
}

const greetings = defineResource<Greeting>({
  group: 'any-api-server.example.com',
  version: 'v1',
  plural: 'greetings',
  kind: 'Greeting',
  namespaced: true,
});

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: greetings.any-api-server.example.com }
spec:
  group: any-api-server.example.com
  scope: Namespaced
  names: { plural: greetings, singular: greeting, kind: Greeting, listKind: GreetingList }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { text: { type: string } } } }
`;

/** A ConfigMap of the same name, with the text, for each Greeting. */
const greeter = controller({
  name: 'greeter',
  for: source(greetings),
  permissions: [{ resource: configMaps, verbs: ['create', 'patch'] }],
  async reconcile(greeting, { client, signal }) {
    const { name, namespace = '' } = greeting.metadata;
    const { text } = greeting.spec;
    await client.apply(configMaps, configMap(name, { namespace, data: { text } }), { signal });
  },
});

test(
  '[T-1] an operator behind its ambassador receives all changes of a custom resource although the ambassador restarts',
  FIRST_START,
  async () => {
    const { env, namespace } = await startTestCluster();
    await env.apply(DEFINITION);
    const proxy = await env.ambassador(proxyFilter([greeter], { namespaces: [namespace] }));
    const operator = startOperator({ url: proxy.url, namespace, controllers: [greeter] });
    onTestFinished(() => operator.stop());
    const text = async (): Promise<string | undefined> => {
      const copy = await env.get<KubernetesObject & { data?: { text?: string } }>(
        'v1',
        'ConfigMap',
        namespace,
        'hello',
      );
      return copy?.data?.text;
    };

    const greeting = customResource('any-api-server.example.com/v1', 'Greeting', 'hello', {
      namespace,
      spec: { text: 'good morning' },
    });
    await env.create(greeting);
    await eventually(async () => (await text()) === 'good morning', { timeoutMs: 30_000 });
    await proxy.kill();
    const spec = { text: 'good evening' };
    await env.patch(greeting.apiVersion, greeting.kind, namespace, 'hello', { spec });
    await proxy.start();
    await eventually(async () => (await text()) === 'good evening', { timeoutMs: 30_000 });

    expect(operator.log.filter(({ level }) => level === 'error')).toEqual([]);
  },
);
