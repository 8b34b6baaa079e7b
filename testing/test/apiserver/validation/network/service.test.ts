import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../../support/validated.ts';

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'default' },
  spec: {
    selector: { app: 'x' },
    ports: [{ port: 80 }],
    clusterIP: '10.96.0.5',
    clusterIPs: ['10.96.0.5'],
    ipFamilies: ['IPv4'],
  },
};
const P = 'spec.ports';

const SERVICES: readonly Row[] = [
  ['nothing wrong', {}, []],
  ['no ports', { [P]: [] }, ['spec.ports: Required value']],
  [
    'no ports, and headless',
    { [P]: [], 'spec.clusterIP': 'None', 'spec.clusterIPs': ['None'] },
    [],
  ],
  [
    'several ports without names',
    { [P]: [{ port: 80 }, { port: 81, name: 'b' }] },
    ['spec.ports[0].name: Required value'],
  ],
  [
    'two ports with the same name',
    {
      [P]: [
        { port: 80, name: 'a' },
        { port: 81, name: 'a' },
      ],
    },
    ['spec.ports[1].name: Duplicate value: "a"'],
  ],
  [
    'a duplicate port',
    {
      [P]: [
        { port: 80, name: 'a' },
        { port: 80, name: 'b' },
      ],
    },
    [
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  ],
  [
    'a port of number 0',
    { [P]: [{ port: 0 }] },
    [
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'a nodePort of a ClusterIP Service',
    { [P]: [{ port: 80, nodePort: 30_080 }] },
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    'an unknown type',
    { 'spec.type': 'Tunnel' },
    [
      'spec.type: Unsupported value: "Tunnel": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
  ],
  [
    'an unknown sessionAffinity',
    { 'spec.sessionAffinity': 'Cookie' },
    ['spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"'],
  ],
  [
    'an ExternalName Service without the name',
    { 'spec.type': 'ExternalName', 'spec.clusterIP': undefined, 'spec.clusterIPs': undefined },
    ['spec.externalName: Required value'],
  ],
  [
    'an invalid IP address',
    { 'spec.clusterIP': 'here' },
    [`spec.clusterIP: Invalid value: "here": must be empty, 'None', or a valid IP address`],
  ],
  [
    'an externalTrafficPolicy of an internal Service',
    { 'spec.externalTrafficPolicy': 'Local' },
    [
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ],
  ],
  [
    'an invalid label',
    { 'spec.selector': { app: 'a b' } },
    [expect.stringContaining('spec.selector: Invalid value: "a b": a valid label must be')],
  ],
  [
    'a loadBalancerClass of another type of Service',
    { 'spec.loadBalancerClass': 'x.y/z' },
    ["spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
];

describe('[F-12] validation of a Service', () => {
  test.each(
    SERVICES,
  )('a Service gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(SERVICE, changes))).toEqual(expected);
  });
});

const CHANGES: readonly Row[] = [
  ['other ports', { [P]: [{ port: 81 }] }, []],
  ['the address omitted', { 'spec.clusterIP': undefined, 'spec.clusterIPs': undefined }, []],
  [
    'another address, in the older field',
    { 'spec.clusterIP': '10.96.0.6' },
    ['spec.clusterIPs[0]: Invalid value: ["10.96.0.6"]: may not change once set'],
  ],
  [
    'the address removed',
    { 'spec.clusterIP': 'None', 'spec.clusterIPs': ['None'] },
    ['spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set'],
  ],
  [
    'another IP family',
    { 'spec.ipFamilies': ['IPv6'] },
    ['spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set'],
  ],
  ['the type ExternalName', { 'spec.type': 'ExternalName', 'spec.externalName': 'a.b' }, []],
];

describe('[F-12] updates of a Service', () => {
  test.each(
    CHANGES,
  )('an update of a Service is validated as in Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(SERVICE, changes), SERVICE)).toEqual(expected);
  });
});
