/** One hostile object beside an ordinary one: status page, Events and metrics of a whole operator. */

import type { TestEnv } from '@chancery/testing';
import { eventually, startOperator, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';

/** Halves of surrogate pairs, controls of terminals, an end of a page's script, and very long. */
const HOSTILE = `\ud800\u001b[2J\u0000\u202e</script><b>\udfff${'x'.repeat(100_000)}`;

interface Crate extends KubernetesObject {
  readonly spec?: object;
}

const crates = defineResource<Crate>({
  group: 'test.example',
  version: 'v1',
  plural: 'crates',
  kind: 'Crate',
  namespaced: true,
});

function nested(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

function crate(name: string, namespace: string, spec: object): Crate {
  return { apiVersion: 'test.example/v1', kind: 'Crate', metadata: { name, namespace }, spec };
}

async function definedCrates(): Promise<{ env: TestEnv; namespace: string }> {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  await env.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'crates.test.example' },
    spec: {
      group: 'test.example',
      scope: 'Namespaced',
      names: { plural: 'crates', singular: 'crate', kind: 'Crate', listKind: 'CrateList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  } as KubernetesObject);
  return { env, namespace: await env.namespace() };
}

test('[attack A-1] an object of 6,000 levels with a hostile error message stops neither other reconciles nor the status page', async () => {
  const { env, namespace } = await definedCrates();
  await env.create(crate('deep', namespace, nested(6_000)));
  await env.create(crate('plain', namespace, { a: 1 }));
  const stamps = controller({
    name: 'stamps',
    for: crates,
    async reconcile(found, { event }) {
      const isPlain = found.metadata.name === 'plain';
      event('Normal', 'Stamped', isPlain ? 'seen' : HOSTILE);
      if (isPlain) return;
      throw new TypeError(HOSTILE, { cause: found });
    },
  });
  const operator = startOperator({ url: env.url, namespace, controllers: [stamps] });
  onTestFinished(() => operator.stop());
  const noted = async (): Promise<Readonly<Record<string, string>>> => {
    const events = env.server.list('events.k8s.io/v1', 'Event', namespace) as readonly {
      readonly regarding?: { readonly name?: string };
      readonly note?: string;
      readonly reason?: string;
    }[];
    return Object.fromEntries(
      events
        .filter(({ reason }) => reason === 'Stamped')
        .map(({ regarding, note = '' }) => [regarding?.name ?? '', note]),
    );
  };
  await eventually(async () => Object.keys(await noted()).length === 2);
  await eventually(() => operator.status.recent.some(({ error }) => error !== undefined));

  const { status } = operator;
  const { deep = '', plain } = await noted();

  expect(plain).toBe('seen');
  expect(deep.isWellFormed()).toBe(true);
  expect(deep.length).toBeLessThanOrEqual(1_024); // the limit of events.k8s.io/v1
  expect(JSON.parse(JSON.stringify(status))).toMatchObject({ phase: 'running', ready: true });
  expect(JSON.stringify(status).length).toBeLessThan(50_000);
  expect(JSON.stringify(status)).not.toContain('xxxx');
  expect(status.recent.map(({ key }) => key)).toContain(`${namespace}/plain`);
  const count = (result: string): number | undefined =>
    operator.meter.value('controller_runtime_reconcile_total', { controller: 'stamps', result });
  expect(count('success')).toBe(1);
  expect(count('error')).toBeGreaterThanOrEqual(1);
  for (const line of operator.log) expect(JSON.stringify(line.message).length).toBeLessThan(3_000);
});
