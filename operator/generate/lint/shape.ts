import { ConfigurationError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { podTemplateOf } from './installation.ts';

/** The type that a value must have if it is present. The values of a `map` are strings. */
type Shape =
  | 'text'
  | 'number'
  | 'flag'
  | 'map'
  | 'scalar'
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, Shape>>; readonly required?: readonly string[] };

const TEXTS: Shape = { list: 'text' };
const NAMED = (fields: Readonly<Record<string, Shape>>): Shape => ({
  list: { fields: { name: 'text', ...fields }, required: ['name'] },
});

const PROBE: Shape = {
  fields: {
    exec: { fields: { command: TEXTS } },
    httpGet: { fields: { path: 'text', port: 'scalar' } },
    tcpSocket: { fields: { port: 'scalar' } },
    periodSeconds: 'number',
    failureThreshold: 'number',
  },
};

const SECURITY: Readonly<Record<string, Shape>> = {
  runAsUser: 'number',
  runAsGroup: 'number',
  seccompProfile: { fields: { type: 'text' } },
};

const CONTAINERS: Shape = NAMED({
  image: 'text',
  command: TEXTS,
  args: TEXTS,
  env: NAMED({
    value: 'text',
    valueFrom: {
      fields: { fieldRef: { fields: { fieldPath: 'text' } }, secretKeyRef: { fields: {} } },
    },
  }),
  envFrom: { list: { fields: {} } },
  volumeMounts: NAMED({ mountPath: 'text' }),
  ports: { list: { fields: { containerPort: 'number', hostPort: 'number' } } },
  startupProbe: PROBE,
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  lifecycle: { fields: { preStop: { fields: { sleep: { fields: { seconds: 'number' } } } } } },
  resources: { fields: { requests: { fields: {} }, limits: { fields: {} } } },
  securityContext: {
    fields: {
      ...SECURITY,
      capabilities: { fields: { add: TEXTS, drop: TEXTS } },
      seLinuxOptions: { fields: {} },
    },
  },
});

const POD: Shape = {
  required: ['containers'],
  fields: {
    containers: CONTAINERS,
    initContainers: CONTAINERS,
    ephemeralContainers: NAMED({}),
    serviceAccountName: 'text',
    terminationGracePeriodSeconds: 'number',
    securityContext: { fields: { ...SECURITY, sysctls: NAMED({}) } },
    volumes: NAMED({
      emptyDir: { fields: {} },
      projected: {
        fields: {
          sources: {
            list: { fields: { serviceAccountToken: { fields: { expirationSeconds: 'number' } } } },
          },
        },
      },
    }),
  },
};

const ROLE: Shape = {
  fields: {
    rules: {
      list: {
        required: ['verbs'],
        fields: {
          apiGroups: TEXTS,
          resources: TEXTS,
          verbs: TEXTS,
          resourceNames: TEXTS,
          nonResourceURLs: TEXTS,
        },
      },
    },
  },
};

const BINDING: Shape = {
  required: ['roleRef'],
  fields: {
    roleRef: { fields: { kind: 'text', name: 'text' }, required: ['kind', 'name'] },
    subjects: { list: { fields: { kind: 'text', name: 'text', namespace: 'text' } } },
  },
};

const PEERS: Shape = { list: { fields: { ipBlock: { fields: {} } } } };

const OBJECTS: Readonly<Record<string, Shape>> = {
  Role: ROLE,
  ClusterRole: ROLE,
  RoleBinding: BINDING,
  ClusterRoleBinding: BINDING,
  NetworkPolicy: {
    fields: {
      spec: {
        fields: {
          ingress: { list: { fields: { from: PEERS } } },
          egress: { list: { fields: { to: PEERS } } },
        },
      },
    },
  },
  PodDisruptionBudget: {
    fields: {
      spec: {
        fields: {
          selector: {
            fields: {
              matchLabels: 'map',
              matchExpressions: {
                list: {
                  required: ['key', 'operator'],
                  fields: { key: 'text', operator: 'text', values: TEXTS },
                },
              },
            },
          },
        },
      },
    },
  },
};

const OBJECT: Shape = {
  required: ['apiVersion', 'kind', 'metadata'],
  fields: {
    apiVersion: 'text',
    kind: 'text',
    metadata: {
      required: ['name'],
      fields: { name: 'text', namespace: 'text', labels: 'map', annotations: 'map' },
    },
  },
};

/**
 * Checks that the fields of the objects have the right types.
 *
 * @throws ConfigurationError `CONFIG` for the first field that the API would not accept.
 */
export function requireShapes(objects: readonly KubernetesObject[]): void {
  for (const [at, object] of objects.entries()) {
    const { kind, metadata } = (object ?? {}) as Partial<KubernetesObject>;
    const name = metadata?.name === undefined ? `document ${at + 1}` : `${kind}/${metadata.name}`;
    const ofPod = (): string | undefined => {
      const template = podTemplateOf(object);
      if (template?.spec === undefined) return undefined;
      return (
        problemOf(
          template.metadata,
          { fields: { labels: 'map', annotations: 'map' } },
          'metadata',
        ) ?? problemOf(template.spec, POD, 'spec')
      );
    };
    const problem =
      problemInList(object, OBJECT, 'it') ??
      problemOf(object, OBJECTS[kind ?? ''] ?? { fields: {} }, '') ??
      ofPod();
    if (problem !== undefined) {
      throw new ConfigurationError(`${name} is no object of Kubernetes: ${problem}`);
    }
  }
}

function problemOf(value: unknown, shape: Shape, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const expected = (what: string): string => `${path || 'it'} is not ${what}`;
  switch (shape) {
    case 'text':
      return typeof value === 'string' ? undefined : expected('a string');
    case 'number':
      return typeof value === 'number' ? undefined : expected('a number');
    case 'flag':
      return typeof value === 'boolean' ? undefined : expected('true or false');
    case 'scalar':
      return typeof value === 'object' ? expected('a string or a number') : undefined;
    case 'map':
      return isMapping(value) && Object.values(value).every((each) => typeof each === 'string')
        ? undefined
        : expected('an object of texts');
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) return expected('a list');
    return firstOf(
      value.map((each, at) => () => problemInList(each, shape.list, `${path}[${at}]`)),
    );
  }
  if (!isMapping(value)) return expected('an object');
  const lacking = shape.required?.find(
    (field) => value[field] === undefined || value[field] === null,
  );
  if (lacking !== undefined) return `${path === '' ? '' : `${path} `}has no ${lacking}`.trim();
  return firstOf(
    Object.entries(shape.fields).map(
      ([field, inner]) =>
        () =>
          problemOf(value[field], inner, path === '' ? field : `${path}.${field}`),
    ),
  );
}

/** The problem of a list element. A null element is refused. */
function problemInList(value: unknown, shape: Shape, path: string): string | undefined {
  return value === null ? `${path} is empty` : problemOf(value, shape, path);
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}
