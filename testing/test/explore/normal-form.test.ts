/** What two runs are compared by: not what the API server draws in the order of requests. */
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { normalForm } from '../../src/explore/scenario/normal-form.ts';
import { pod, service } from '../../src/objects/workloads.ts';

function formOf(object: KubernetesObject): string | undefined {
  return normalForm(object, () => undefined);
}

function drawn(clusterIP: string, port: number): KubernetesObject {
  const made = service('web');
  const ports = [{ port, nodePort: Number(clusterIP.split('.')[3]) }];
  return {
    ...made,
    spec: { ...made.spec, ports, clusterIP, clusterIPs: [clusterIP] },
  } as KubernetesObject;
}

function withTokenVolume(name: string): KubernetesObject {
  return pod('web', { spec: { containers: [], volumes: [{ name }] } });
}

test('the addresses and node ports of a Service are no difference', () => {
  expect(formOf(drawn('10.96.0.7', 80))).toBe(formOf(drawn('10.96.0.9', 80)));
});

test('its ports are a difference', () => {
  expect(formOf(drawn('10.96.0.7', 80))).not.toBe(formOf(drawn('10.96.0.7', 81)));
});

test('a field of the same name in another kind is a difference', () => {
  const claim = (clusterIP: string): KubernetesObject =>
    ({
      apiVersion: 'example.dev/v1',
      kind: 'Claim',
      metadata: { name: 'a' },
      spec: { clusterIP },
    }) as KubernetesObject;

  expect(formOf(claim('10.96.0.7'))).not.toBe(formOf(claim('10.96.0.9')));
});

test('the name of the token volume of a Pod is no difference, and that of any other volume is', () => {
  expect(formOf(withTokenVolume('kube-api-access-abcde'))).toBe(
    formOf(withTokenVolume('kube-api-access-vwxyz')),
  );
  expect(formOf(withTokenVolume('data-a'))).not.toBe(formOf(withTokenVolume('data-b')));
});
