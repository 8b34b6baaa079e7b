import { formatYaml } from '../../../../operator/core/yaml.ts';

/** A mapping that a test may change. */
// biome-ignore lint/suspicious/noExplicitAny: tests change every part of it, also to what no type allows
export type Part = any;

/** The parts of a bundle, before they become files. */
export interface BundleParts {
  readonly csv: Part;
  readonly definition: Part;
  /** Of `metadata/annotations.yaml`. */
  readonly annotations: Record<string, unknown>;
  /** More files, by path: text, or a value for YAML. */
  readonly files: Record<string, unknown>;
}

const PREFIX = 'operators.operatorframework.io.bundle';

/** A definition of `things.example.com`. */
export function definition(): Part {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { size: { type: 'integer' } } },
              },
            },
          },
        },
      ],
    },
  };
}

function container(name: string, image: string): Part {
  return { name, image, resources: { requests: { cpu: '10m', memory: '32Mi' } } };
}

export const OPERATOR_IMAGE = 'ghcr.io/team/thing-operator:1.2.3';
export const PROXY_IMAGE = 'ghcr.io/team/proxy:1.2.3';

function installation(): Part {
  return {
    strategy: 'deployment',
    spec: {
      deployments: [
        {
          name: 'thing-operator',
          spec: {
            replicas: 1,
            selector: { matchLabels: { app: 'thing-operator' } },
            template: {
              metadata: { labels: { app: 'thing-operator' } },
              spec: {
                serviceAccountName: 'thing-operator',
                containers: [
                  container('operator', OPERATOR_IMAGE),
                  container('proxy', PROXY_IMAGE),
                ],
              },
            },
          },
        },
      ],
      permissions: [
        {
          serviceAccountName: 'thing-operator',
          rules: [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['get', 'list'] }],
        },
      ],
    },
  };
}

function csv(version: string): Part {
  const example = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'one' } };
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: `thing-operator.v${version}`,
      namespace: 'placeholder',
      annotations: {
        'alm-examples': JSON.stringify([{ ...example, spec: { size: 1 } }]),
        capabilities: 'Basic Install',
        categories: 'Monitoring, Database',
      },
      labels: { 'operatorframework.io/arch.amd64': 'supported' },
    },
    spec: {
      displayName: 'Thing operator',
      description: 'Keeps things.',
      version,
      minKubeVersion: '1.30.0',
      provider: { name: 'Team' },
      maintainers: [{ name: 'Jane Doe', email: 'jane@example.com' }],
      links: [{ name: 'Sources', url: 'https://example.com/things' }],
      icon: [{ base64data: 'PHN2Zy8+', mediatype: 'image/svg+xml' }],
      installModes: [
        { type: 'OwnNamespace', supported: false },
        { type: 'SingleNamespace', supported: false },
        { type: 'MultiNamespace', supported: false },
        { type: 'AllNamespaces', supported: true },
      ],
      relatedImages: [
        { name: 'operator', image: OPERATOR_IMAGE },
        { name: 'proxy', image: PROXY_IMAGE },
      ],
      customresourcedefinitions: {
        owned: [
          {
            name: 'things.example.com',
            version: 'v1',
            kind: 'Thing',
            displayName: 'Thing',
            description: 'Something to keep.',
          },
        ],
      },
      install: installation(),
    },
  };
}

/** A bundle in which no rule finds anything, with the changes of a test. */
export function bundleParts(version: string = '1.2.3'): BundleParts {
  return {
    csv: csv(version),
    definition: definition(),
    annotations: {
      [`${PREFIX}.mediatype.v1`]: 'registry+v1',
      [`${PREFIX}.manifests.v1`]: 'manifests/',
      [`${PREFIX}.metadata.v1`]: 'metadata/',
      [`${PREFIX}.package.v1`]: 'thing-operator',
      [`${PREFIX}.channels.v1`]: 'stable',
      [`${PREFIX}.channel.default.v1`]: 'stable',
    },
    files: {},
  };
}

/** The files of a bundle, with the changes that a test makes to its parts. */
export function bundleFiles(
  change: (parts: BundleParts) => void = () => {},
  version?: string,
): Map<string, string> {
  const parts = bundleParts(version);
  change(parts);
  const labels = Object.entries(parts.annotations).map(([key, value]) => `LABEL ${key}=${value}`);
  const all: Record<string, unknown> = {
    'manifests/thing-operator.clusterserviceversion.yaml': parts.csv,
    'manifests/things.example.com.yaml': parts.definition,
    'metadata/annotations.yaml': { annotations: parts.annotations },
    'bundle.Dockerfile': `FROM scratch\n${labels.join('\n')}\nCOPY manifests /manifests/\n`,
    ...parts.files,
  };
  return new Map(
    Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(([path, value]) => [path, typeof value === 'string' ? value : formatYaml(value)]),
  );
}
