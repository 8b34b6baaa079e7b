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
    'two ports of one name',
    {
      [P]: [
        { port: 80, name: 'a' },
        { port: 81, name: 'a' },
      ],
    },
    ['spec.ports[1].name: Duplicate value: "a"'],
  ],
  [
    'one port twice',
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
    'a port of no number',
    { [P]: [{ port: 0 }] },
    [
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'a node port where there are none',
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
    'an unknown affinity',
    { 'spec.sessionAffinity': 'Cookie' },
    ['spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"'],
  ],
  [
    'a name without one',
    { 'spec.type': 'ExternalName', 'spec.clusterIP': undefined, 'spec.clusterIPs': undefined },
    ['spec.externalName: Required value'],
  ],
  [
    'an address that is none',
    { 'spec.clusterIP': 'here' },
    [`spec.clusterIP: Invalid value: "here": must be empty, 'None', or a valid IP address`],
  ],
  [
    'a policy for those outside who cannot come',
    { 'spec.externalTrafficPolicy': 'Local' },
    [
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ],
  ],
  [
    'a label that is none',
    { 'spec.selector': { app: 'a b' } },
    [expect.stringContaining('spec.selector: Invalid value: "a b": a valid label must be')],
  ],
  [
    'what only a load balancer has',
    { 'spec.loadBalancerClass': 'x.y/z' },
    ["spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
];

describe('[F-12] Service', () => {
  test.each(SERVICES)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(SERVICE, changes))).toEqual(expected);
  });
});

const CHANGES: readonly Row[] = [
  ['other ports', { [P]: [{ port: 81 }] }, []],
  ['no word of the address', { 'spec.clusterIP': undefined, 'spec.clusterIPs': undefined }, []],
  [
    'another address, in the older field',
    { 'spec.clusterIP': '10.96.0.6' },
    ['spec.clusterIPs[0]: Invalid value: ["10.96.0.6"]: may not change once set'],
  ],
  [
    'no address any more',
    { 'spec.clusterIP': 'None', 'spec.clusterIPs': ['None'] },
    ['spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set'],
  ],
  [
    'another family',
    { 'spec.ipFamilies': ['IPv6'] },
    ['spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set'],
  ],
  ['a mere name', { 'spec.type': 'ExternalName', 'spec.externalName': 'a.b' }, []],
];

describe('[F-12] what may change in a Service', () => {
  test.each(CHANGES)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(SERVICE, changes), SERVICE)).toEqual(expected);
  });
});
