/** Decorators in process, under the roles and the filter that are generated for them. */

import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { startExample } from '../../../examples/testing/place.ts';
import { child, type DecoratorResult, decorator } from '../../../operator/index.ts';
import {
  type Service,
  type StatefulSet,
  services,
  statefulSets,
} from '../../../operator/kubernetes.ts';

const LABEL = 'example.dev/service-per-pod-label';
const FINALIZER = 'example.dev/services';

function servicesOf({ metadata, spec }: StatefulSet): DecoratorResult {
  const label = metadata.annotations?.[LABEL] ?? '';
  return {
    labels: { decorated: 'yes', plain: null },
    attachments: Array.from({ length: spec?.replicas ?? 0 }, (_, at) => {
      const name = `${metadata.name}-${at}`;
      return child(services, {
        metadata: { name },
        spec: { selector: { [label]: name }, ports: [{ port: 80 }] },
      });
    }),
  };
}

function perPod(calls: string[] = []) {
  return decorator<StatefulSet>({
    name: 'service-per-pod',
    objects: statefulSets,
    select: { annotations: { matchExpressions: [{ key: LABEL, operator: 'Exists' }] } },
    attachments: [services],
    sync(set) {
      calls.push('sync');
      return servicesOf(set);
    },
    finalize: {
      name: FINALIZER,
      sync(_, attachments) {
        calls.push('finalize');
        return { attachments: [], finalized: attachments.of(services).length === 0 };
      },
    },
  });
}

function statefulSet(name: string, replicas: number, annotations = {}): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, labels: { plain: 'yes' }, annotations },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
}

test('[metacontroller 3] a StatefulSet gets a Service per Pod as long as it has the annotation', async () => {
  const calls: string[] = [];
  const place = await startExample({
    name: 'service-per-pod',
    controllers: [perPod(calls)],
    workloads: false,
  });
  const { env, namespace } = place;
  const set = () => env.get<StatefulSet>('apps/v1', 'StatefulSet', namespace, 'db');
  const names = async () => {
    const all = await env.list<Service>('v1', 'Service', namespace);
    return all.map(({ metadata }) => metadata.name).sort();
  };

  await env.apply([statefulSet('db', 3, { [LABEL]: 'pod' }), statefulSet('other', 2)] as never, {
    namespace,
  });

  await eventually(async () => (await names()).join() === 'db-0,db-1,db-2');
  const [service] = await env.list<Service>('v1', 'Service', namespace);
  expect(service?.metadata).toMatchObject({
    annotations: { 'metacontroller.k8s.io/decorator-controller': 'service-per-pod' },
    ownerReferences: [{ kind: 'StatefulSet', name: 'db', controller: true }],
  });
  const decorated = await set();
  expect(decorated?.metadata.labels).toEqual({ decorated: 'yes' });
  expect(decorated?.metadata.finalizers).toEqual([FINALIZER]);

  await place.idle();
  const settled = calls.length;
  const writes = place.writes().length;
  expect(settled).toBeLessThanOrEqual(3);
  await env.patch('apps/v1', 'StatefulSet', namespace, 'other', { spec: { replicas: 5 } });
  await env.patch('apps/v1', 'StatefulSet', namespace, 'db', { spec: { replicas: 2 } });
  await eventually(async () => (await names()).join() === 'db-0,db-1');
  expect(place.writes().slice(writes)).toEqual(['delete services']);

  await env.patch('apps/v1', 'StatefulSet', namespace, 'db', {
    metadata: { annotations: { [LABEL]: null } },
  });
  await eventually(async () => (await names()).length === 0);
  await eventually(async () => (await set())?.metadata.finalizers === undefined);
  expect(calls.slice(calls.indexOf('finalize'))).not.toContain('sync');
  const other = await env.get<StatefulSet>('apps/v1', 'StatefulSet', namespace, 'other');
  expect(other?.metadata).toMatchObject({ labels: { plain: 'yes' } });
  expect(other?.metadata.finalizers).toBeUndefined();
});

test("[metacontroller 16] if an attachment's name is taken, only the other attachments are created", async () => {
  const place = await startExample({
    name: 'service-per-pod',
    controllers: [perPod()],
    workloads: false,
  });
  const { env, namespace } = place;
  const foreign = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'db-1' },
    spec: { selector: { app: 'mine' }, ports: [{ port: 443 }] },
  };
  await env.apply(foreign as never, { namespace });
  await env.apply(statefulSet('db', 3, { [LABEL]: 'pod' }) as never, { namespace });

  const get = (name: string) => env.get<Service>('v1', 'Service', namespace, name);
  await eventually(async () => (await get('db-2')) !== undefined && (await get('db-0')));
  await eventually(() => failures(place.operator.meter.snapshot()) >= 2);
  expect((await get('db-1'))?.spec?.ports).toMatchObject([{ port: 443 }]);
  expect((await get('db-1'))?.metadata.ownerReferences).toBeUndefined();

  await env.delete('v1', 'Service', namespace, 'db-1');
  await eventually(async () => (await get('db-1'))?.metadata.ownerReferences?.[0]?.name === 'db');
});

function failures(snapshot: object): number {
  const [, count] =
    Object.entries(snapshot).find(([series]) =>
      /^controller_runtime_reconcile_errors_total/.test(series),
    ) ?? [];
  return Number(count ?? 0);
}
