import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  builtInKindName,
  builtInKinds,
} from '../../../src/apiserver/built-in-types/built-in-types.ts';
import type { Json } from '../../../src/apiserver/objects/metadata.ts';
import {
  type DecodedStruct,
  decodeStruct,
  describeMismatch,
} from '../../../src/apiserver/objects/struct-decoder.ts';
import { encodeStruct } from '../../../src/apiserver/objects/struct-encoder.ts';
import { builtInValue } from '../support/built-in-values.ts';

function typeOf(apiVersion: string, kind: string): string {
  return builtInKindName(apiVersion, kind) ?? expect.unreachable(`no ${apiVersion} ${kind}`);
}

function decoded(kind: string, value: Json, apiVersion = 'v1'): DecodedStruct {
  return decodeStruct(value, typeOf(apiVersion, kind));
}

function problemWith(kind: string, value: Json, apiVersion = 'v1'): string | undefined {
  const { mismatch } = decoded(kind, value, apiVersion);
  return mismatch === undefined ? undefined : describeMismatch(mismatch);
}

function podWith(container: Json): Json {
  return { spec: { containers: [{ name: 'a' }, { name: 'b', ...container }] } };
}

describe('decoding of structs as Go decodes them', () => {
  test('unknown fields are dropped and reported, at any depth and in document order', () => {
    const { value, unknown } = decoded('Pod', {
      bogus: 1,
      metadata: { nmae: 'x', labels: { any: 'thing' } },
      ...podWith({ imag: 'x', resources: { limit: {} }, env: [{ name: 'E', valeu: '1' }] }),
    });

    expect(unknown).toEqual([
      'bogus',
      'metadata.nmae',
      'spec.containers[1].imag',
      'spec.containers[1].resources.limit',
      'spec.containers[1].env[0].valeu',
    ]);
    expect(value).toEqual({
      metadata: { labels: { any: 'thing' } },
      spec: { containers: [{ name: 'a' }, { name: 'b', resources: {}, env: [{ name: 'E' }] }] },
    });
  });

  test('a field name that differs only in upper or lower case is an unknown field', () => {
    expect(decoded('ConfigMap', { Data: {}, DATA: {} }).unknown).toEqual(['Data', 'DATA']);
  });

  test('at most a hundred unknown fields are remembered', () => {
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, 1]));

    expect(decoded('ConfigMap', fields).unknown).toHaveLength(100);
  });

  test('a field with null counts as absent, and null in a map or list is the zero value', () => {
    const { value } = decoded('ConfigMap', {
      immutable: null,
      data: { a: null },
      metadata: { finalizers: [null], labels: null },
    });

    expect(value).toEqual({ data: { a: '' }, metadata: { finalizers: [''] } });
  });

  test.each<[kind: string, apiVersion: string, value: Json, text: string]>([
    [
      'ConfigMap',
      'v1',
      { data: { a: 1 } },
      'number into Go struct field ConfigMap.data of type string',
    ],
    [
      'ConfigMap',
      'v1',
      { data: ['a'] },
      'array into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      'ConfigMap',
      'v1',
      { metadata: { labels: { a: true } } },
      'bool into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'ConfigMap',
      'v1',
      { metadata: 'x' },
      'string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ],
    [
      'Deployment',
      'apps/v1',
      { spec: { replicas: '3' } },
      'string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'Deployment',
      'apps/v1',
      { spec: { replicas: 1.5 } },
      'number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'Deployment',
      'apps/v1',
      { spec: { replicas: 3e9 } },
      'number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'Deployment',
      'apps/v1',
      { spec: { paused: 'no' } },
      'string into Go struct field DeploymentSpec.spec.paused of type bool',
    ],
    [
      'Deployment',
      'apps/v1',
      { spec: { template: podWith({ env: [{ name: 'E', value: 1 }] }) } },
      'number into Go struct field EnvVar.spec.template.spec.containers.env.value of type string',
    ],
    [
      'Pod',
      'v1',
      { spec: { containers: [{ name: 'a' }, 'b'] } },
      'string into Go struct field PodSpec.spec.containers of type v1.Container',
    ],
    [
      'Pod',
      'v1',
      { spec: { containers: {} } },
      'object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    ['Secret', 'v1', { data: { a: 1 } }, 'number into Go struct field Secret.data of type []uint8'],
  ])('a wrong value in a %s is reported with the message of Go: %#', (kind, apiVersion, value, text) => {
    expect(problemWith(kind, value, apiVersion)).toBe(`json: cannot unmarshal ${text}`);
  });

  test.each<[kind: string, apiVersion: string, value: Json, text: string]>([
    ['Secret', 'v1', { data: { a: 'no base64!' } }, 'illegal base64 data at input byte 2'],
    [
      'Pod',
      'v1',
      podWith({ resources: { limits: { cpu: 'much' } } }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'Pod',
      'v1',
      { metadata: { deletionTimestamp: 'soon' } },
      'parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"',
    ],
    [
      'Pod',
      'v1',
      { metadata: { deletionTimestamp: '2026-02-30T00:00:00Z' } },
      'parsing time "2026-02-30T00:00:00Z": day out of range',
    ],
    [
      'Lease',
      'coordination.k8s.io/v1',
      { spec: { renewTime: '2026-11-21T00:00:00.123Z' } },
      'parsing time "2026-11-21T00:00:00.123Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".123Z" as ".000000"',
    ],
    [
      'Service',
      'v1',
      { spec: { ports: [{ targetPort: true }] } },
      'json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [
      'Deployment',
      'apps/v1',
      { spec: { strategy: { rollingUpdate: { maxSurge: 0.5 } } } },
      'json: cannot unmarshal number 0.5 into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      'Pod',
      'v1',
      { metadata: { deletionTimestamp: [] } },
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.deletionTimestamp of type string',
    ],
    [
      'Pod',
      'v1',
      { metadata: { uid: false } },
      'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.uid of type types.UID',
    ],
    [
      'Pod',
      'v1',
      podWith({ resources: { requests: { cpu: {} } } }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'Secret',
      'v1',
      { data: { a: [65, 300] } },
      'json: cannot unmarshal number 300 into Go struct field Secret.data of type uint8',
    ],
  ])('a wrong value in a %s is reported with the message of a custom decoder: %#', (kind, apiVersion, value, text) => {
    expect(problemWith(kind, value, apiVersion)).toBe(text);
  });

  test.each<[kind: string, apiVersion: string, value: Json, where: string]>([
    [
      'Pod',
      'v1',
      podWith({ imagePullPolicy: 1 }),
      'Container.spec.containers.imagePullPolicy of type v1.PullPolicy',
    ],
    [
      'Service',
      'v1',
      { spec: { ipFamilies: 'IPv4' } },
      'ServiceSpec.spec.ipFamilies of type []v1.IPFamily',
    ],
    [
      'Service',
      'v1',
      { spec: { ipFamilies: [true] } },
      'ServiceSpec.spec.ipFamilies of type v1.IPFamily',
    ],
    ['Pod', 'v1', { spec: { overhead: [] } }, 'PodSpec.spec.overhead of type v1.ResourceList'],
    ['Pod', 'v1', { spec: { nodeSelector: { a: 1 } } }, 'PodSpec.spec.nodeSelector of type string'],
    [
      'Pod',
      'v1',
      { metadata: { ownerReferences: [{ uid: [] }] } },
      'OwnerReference.metadata.ownerReferences.uid of type types.UID',
    ],
    // Structs that JSON does not show are a part of the way in Go.
    [
      'Pod',
      'v1',
      { spec: { volumes: [{ hostPath: 'a' }] } },
      'Volume.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource',
    ],
    [
      'Pod',
      'v1',
      podWith({ startupProbe: { exec: { command: 'ls' } } }),
      'ExecAction.spec.containers.startupProbe.ProbeHandler.exec.command of type []string',
    ],
    ['ConfigMap', 'v1', { data: { a: 1 } }, 'ConfigMap.data of type string'],
    [
      'ValidatingAdmissionPolicyBinding',
      'admissionregistration.k8s.io/v1',
      { spec: { matchResources: { excludeResourceRules: [{ scope: [] }] } } },
      'NamedRuleWithOperations.spec.matchResources.excludeResourceRules.RuleWithOperations.Rule.scope of type v1.ScopeType',
    ],
  ])('a wrong value in a %s is reported with the Go path and type: %#', (kind, apiVersion, value, where) => {
    expect(problemWith(kind, value, apiVersion)).toMatch(
      /^json: cannot unmarshal \w+( \d+)? into Go struct field /,
    );
    expect(problemWith(kind, value, apiVersion)).toContain(` ${where}`);
  });

  test('if several values are wrong, the error from a type with a custom decoder is reported', () => {
    const text = (value: Json) => problemWith('PodDisruptionBudget', value, 'policy/v1');

    expect(text({ metadata: { name: 7 }, spec: { minAvailable: false } })).toMatch(/minAvailable/);
    expect(text({ spec: { maxUnavailable: [], minAvailable: false } })).toMatch(/maxUnavailable/);
    expect(text({ spec: { minAvailable: false }, metadata: { name: 7 } })).toMatch(/minAvailable/);
  });

  test('bytes can be given as a list of numbers', () => {
    const { value, mismatch } = decodeStruct(
      { data: { a: [75, 8, null] } },
      'io.k8s.api.core.v1.Secret',
    );

    expect([value, mismatch]).toEqual([{ data: { a: 'SwgA' } }, undefined]);
  });

  test.each<[value: Json, text: string]>([
    [{ metadata: { labels: { a: 7 } } }, 'cannot convert int64 to string'],
    [{ metadata: { labels: { a: 0.5 } } }, 'unrecognized type: string'],
    [{ metadata: { labels: ['a'] } }, 'cannot restore map from slice'],
    [{ metadata: 'x' }, 'cannot restore struct from: string'],
    [{ spec: { containers: {} } }, 'cannot restore slice from map'],
    [{ spec: { hostPID: 'yes' } }, 'unrecognized type: bool'],
    [{ spec: { priority: true } }, 'unrecognized type: int32'],
    [{ spec: { priority: 0.5 } }, 'cannot convert float64 to int32'],
    [{ metadata: { uid: 7 } }, 'cannot convert int64 to types.UID'],
    [
      { metadata: { deletionTimestamp: 7 } },
      'json: cannot unmarshal number into Go value of type string',
    ],
    // The struct says which field comes first.
    [{ spec: 7, metadata: 7 }, 'cannot restore struct from: int64'],
  ])('the decoder for unstructured objects reports %j with a special message', (value, text) => {
    const { mismatch } = decodeStruct(value, 'io.k8s.api.core.v1.Pod', 'converter');

    expect(mismatch?.problem).toBe(text);
  });

  test('the decoder for unstructured objects sorts unknown fields and lets integers overflow', () => {
    const { value, unknown } = decodeStruct(
      { zz: 1, spec: { priority: 2 ** 32 + 5, b: 1 }, a: 1 },
      'io.k8s.api.core.v1.Pod',
      'converter',
    );

    expect(unknown).toEqual(['a', 'spec.b', 'zz']);
    expect(value).toEqual({ spec: { priority: 5 } });
  });

  test('only the first wrong value is reported', () => {
    const value = { data: { a: 1 }, immutable: 'x' };

    expect(problemWith('ConfigMap', value)).toContain('ConfigMap.data');
  });

  test('times are converted to UTC, and quantities to their canonical form', () => {
    const { value } = decoded('Pod', {
      metadata: { deletionTimestamp: '2026-11-21T02:00:00.9+02:00' },
      ...podWith({ resources: { limits: { cpu: 1.5, memory: '1024Mi' } } }),
    });

    expect(value).toMatchObject({
      metadata: { deletionTimestamp: '2026-11-21T00:00:00Z' },
      spec: { containers: [{}, { resources: { limits: { cpu: '1500m', memory: '1Gi' } } }] },
    });
  });

  test('an unknown keyword in the schema of a definition is dropped without a report', () => {
    const schema = { type: 'object', additionalProperties: { type: 'string', typo: 1 } };
    const versions = [{ name: 'v1', schema: { openAPIV3Schema: schema } }];
    const { value, unknown } = decoded(
      'CustomResourceDefinition',
      { spec: { versions } },
      'apiextensions.k8s.io/v1',
    );

    expect(unknown).toEqual([]);
    expect(value).toEqual({
      spec: {
        versions: [
          {
            name: 'v1',
            schema: {
              openAPIV3Schema: { type: 'object', additionalProperties: { type: 'string' } },
            },
          },
        ],
      },
    });
  });
});

describe('encoding of structs as Go encodes them', () => {
  test.each<[kind: string, apiVersion: string, text: string]>([
    ['ConfigMap', 'v1', '{"metadata":{}}'],
    ['Pod', 'v1', '{"metadata":{},"spec":{"containers":null},"status":{}}'],
    ['Service', 'v1', '{"metadata":{},"spec":{},"status":{"loadBalancer":{}}}'],
    [
      'Deployment',
      'apps/v1',
      '{"metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
    ],
    ['Role', 'rbac.authorization.k8s.io/v1', '{"metadata":{},"rules":null}'],
    [
      'Event',
      'v1',
      '{"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}',
    ],
  ])('an empty %s is encoded as Go encodes it', (kind, apiVersion, text) => {
    expect(JSON.stringify(encodeStruct({}, typeOf(apiVersion, kind)))).toBe(text);
  });

  test('fields are encoded in the order of the type, and map keys in sorted order', () => {
    const encoded = encodeStruct(
      {
        status: { conditions: [{ status: 'True', type: 'Ready' }] },
        spec: { containers: [{ image: 'i', name: 'n', stdin: false, command: [] }] },
        metadata: { labels: { b: '2', a: '1' }, name: 'p', generation: 0 },
      },
      typeOf('v1', 'Pod'),
    );

    expect(JSON.stringify(encoded)).toBe(
      '{"metadata":{"name":"p","labels":{"a":"1","b":"2"}},' +
        '"spec":{"containers":[{"name":"n","image":"i","resources":{}}]},' +
        '"status":{"conditions":[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":null}]}}',
    );
  });

  test('the zero value of a pointer field is encoded', () => {
    const value = { spec: { replicas: 0, securityContext: {} } };

    expect(encodeStruct(value, typeOf('apps/v1', 'Deployment'))).toMatchObject({
      spec: { replicas: 0 },
    });
  });

  test('values of every built-in kind do not change when they are encoded, decoded and encoded again', () => {
    const types = builtInKinds().map((name) => {
      const slash = name.lastIndexOf('/');
      return typeOf(name.slice(0, slash), name.slice(slash + 1));
    });
    const samples = fc
      .constantFrom(...types)
      .chain((type) => fc.record({ type: fc.constant(type), value: builtInValue(type) }));

    fc.assert(
      fc.property(samples, ({ type, value }) => {
        const once = encodeStruct(value, type);

        const again = decodeStruct(once, type);

        expect(again.unknown).toEqual([]);
        expect(again.mismatch).toBeUndefined();
        expect(JSON.stringify(encodeStruct(again.value, type))).toBe(JSON.stringify(once));
      }),
    );
  });
});
