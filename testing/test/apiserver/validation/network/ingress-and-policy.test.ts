import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../../support/validated.ts';

const metadata = { name: 'n', namespace: 'default' };
const INGRESS = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata,
  spec: {
    rules: [
      {
        host: 'example.com',
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: 's', port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
};
const PATH = 'spec.rules[0].http.paths[0]';

const INGRESSES: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'no rules and no backend',
    { 'spec.rules': undefined },
    ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
  ],
  [
    'no pathType',
    { [`${PATH}.pathType`]: undefined },
    [`${PATH}.pathType: Required value: pathType must be specified`],
  ],
  [
    'no pathType, and a backend without a port',
    { [`${PATH}.pathType`]: undefined, [`${PATH}.backend`]: { service: { name: 's' } } },
    [`${PATH}.pathType: Required value: pathType must be specified`],
  ],
  [
    'an unknown pathType',
    { [`${PATH}.pathType`]: 'Regex' },
    [
      `${PATH}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
    ],
  ],
  [
    'a relative path',
    { [`${PATH}.path`]: 'a' },
    [`${PATH}.path: Invalid value: "a": must be an absolute path`],
  ],
  [
    'a path with a parent directory',
    { [`${PATH}.path`]: '/a/../b' },
    [`${PATH}.path: Invalid value: "/a/../b": must not contain '/../'`],
  ],
  [
    'no backend',
    { [`${PATH}.backend`]: {} },
    [`${PATH}.backend: Invalid value: "": resource or service backend is required`],
  ],
  [
    'a service without a port',
    { [`${PATH}.backend.service.port`]: {} },
    [`${PATH}.backend: Required value: port name or number is required`],
  ],
  [
    'a port by name and number',
    { [`${PATH}.backend.service.port.name`]: 'http' },
    [`${PATH}.backend: Invalid value: "": cannot set both port name & port number`],
  ],
  [
    'an IP address as host',
    { 'spec.rules[0].host': '10.0.0.1' },
    ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
  ],
  [
    'a host with a misplaced wildcard',
    { 'spec.rules[0].host': 'a.*.com' },
    [
      expect.stringContaining(
        `spec.rules[0].host: Invalid value: "a.*.com": a wildcard DNS-1123 subdomain must start with '*.'`,
      ),
    ],
  ],
];

describe('[F-12] validation of an Ingress', () => {
  test.each(
    INGRESSES,
  )('an Ingress gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(INGRESS, changes))).toEqual(expected);
  });
});

const POLICY = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata,
  spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] },
};
const RULE = 'spec.ingress[0]';

const POLICIES: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'an empty peer',
    { [`${RULE}.from`]: [{}] },
    [`${RULE}.from[0]: Required value: must specify a peer`],
  ],
  [
    'an ipBlock and a podSelector in one peer',
    { [`${RULE}.from[0].ipBlock`]: { cidr: '10.0.0.0/8' } },
    [`${RULE}.from[0]: Forbidden: may not specify both ipBlock and another peer`],
  ],
  [
    'an invalid CIDR',
    { [`${RULE}.from`]: [{ ipBlock: { cidr: '10.0.0.0' } }] },
    [
      `${RULE}.from[0].ipBlock.cidr: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
    ],
  ],
  [
    'an invalid CIDR as exception',
    { [`${RULE}.from`]: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] },
    [
      `${RULE}.from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``,
    ],
  ],
  [
    'an exception that covers the whole CIDR',
    { [`${RULE}.from`]: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } }] },
    [
      `${RULE}.from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of \`cidr\``,
    ],
  ],
  [
    'an endPort below the port',
    { [`${RULE}.ports[0].endPort`]: 79 },
    [`${RULE}.ports[0].endPort: Invalid value: 79: must be greater than or equal to \`port\``],
  ],
  [
    'an endPort beside a named port',
    { [`${RULE}.ports`]: [{ port: 'http', endPort: 90 }] },
    [
      `${RULE}.ports[0].endPort: Invalid value: 90: may not be specified when \`port\` is non-numeric`,
    ],
  ],
  [
    'an unknown policyType',
    { 'spec.policyTypes': ['Up'] },
    ['spec.policyTypes[0]: Unsupported value: "Up": supported values: "Ingress", "Egress"'],
  ],
];

describe('[F-12] validation of a NetworkPolicy', () => {
  test.each(
    POLICIES,
  )('a NetworkPolicy gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(POLICY, changes))).toEqual(expected);
  });
});

const SLICE = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata,
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ports: [{ port: 80 }],
};

const SLICES: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'no addresses',
    { 'endpoints[0].addresses': [] },
    ['endpoints[0].addresses: Required value: must contain at least 1 address'],
  ],
  [
    'an address of another type',
    { 'endpoints[0].addresses': ['::1'] },
    [
      'endpoints[0].addresses: Invalid value: "::1": must be an IPv4 address',
      'endpoints[0].addresses[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
  ],
  [
    'an invalid address, and addresses that no endpoint can have',
    { 'endpoints[0].addresses': ['mill', '0.0.0.0', '169.254.9.9', '224.0.0.7'] },
    [
      'endpoints[0].addresses[0]: Invalid value: "mill": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'endpoints[0].addresses[1]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
      'endpoints[0].addresses[2]: Invalid value: "169.254.9.9": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
      'endpoints[0].addresses[3]: Invalid value: "224.0.0.7": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    ],
  ],
  [
    'an unknown addressType',
    { addressType: 'IPv5', endpoints: [] },
    ['addressType: Unsupported value: "IPv5": supported values: "FQDN", "IPv4", "IPv6"'],
  ],
];

describe('[F-12] validation of an EndpointSlice', () => {
  test.each(
    SLICES,
  )('an EndpointSlice gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(SLICE, changes))).toEqual(expected);
  });

  test('the addressType of an EndpointSlice is immutable', () => {
    const other = changedBy(SLICE, { addressType: 'FQDN', endpoints: [{ addresses: ['a.b'] }] });

    expect(problemsOf(other, SLICE)).toEqual([
      'addressType: Invalid value: "FQDN": field is immutable',
    ]);
  });
});

test('[F-12] a subset of Endpoints needs addresses', () => {
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata,
    subsets: [{ ports: [{ port: 80 }] }],
  };

  expect(problemsOf(endpoints)).toEqual([
    'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
  ]);
});
