import { messageOf, objectKey } from 'chancery';
import type { ConfigMap } from 'chancery/kubernetes';
import { parseYaml, type Store } from 'chancery/low-level';

/** How Services are exposed; the keys of the original's `config.yml`. */
export interface Config {
  readonly exposer: (typeof EXPOSERS)[number];
  readonly domain: string | undefined;
  readonly internalDomain: string | undefined;
  readonly usesPaths: boolean;
  readonly urlTemplate: string;
  readonly nodeIp: string | undefined;
  readonly tlsAcme: boolean;
  readonly tlsSecretName: string | undefined;
  readonly tlsUsesWildcard: boolean;
  readonly ingressClass: string | undefined;
  /** Only these Services, by name. Empty: all that ask for it. */
  readonly services: readonly string[];
  readonly apiServer: string | undefined;
  readonly apiServerProtocol: string;
  readonly consoleUrl: string | undefined;
  /** Instead of exposing anything, Ingresses that were generated are deleted: see `cleanupFilter`. */
  readonly cleanup: boolean;
  /** Only those whose name contains it. */
  readonly cleanupFilter: string;
}

const EXPOSERS = ['Ingress', 'NodePort', 'LoadBalancer'] as const;
const DEFAULT_TEMPLATE = '{{.Service}}.{{.Namespace}}.{{.Domain}}';

/** ConfigMaps in which the configuration may be: text under `config.yml`, or a key for each value. */
const FILE = 'exposecontroller';
const FLAT = 'ingress-config';

export function isConfigMap(name: string): boolean {
  return name === FILE || name === FLAT;
}

/**
 * The configuration for Services of a namespace: its own, or else that of the operator's namespace.
 * Undefined when there is none: then nothing is changed, for nobody has said what should be.
 */
export function configFor(
  namespaces: readonly (string | undefined)[],
  store: Store<ConfigMap>,
): Config | { readonly problem: string } | undefined {
  for (const namespace of namespaces) {
    const file = store.get(objectKey(namespace, FILE))?.data?.['config.yml'];
    if (file !== undefined) return parseConfig(file);
    const flat = store.get(objectKey(namespace, FLAT))?.data;
    if (flat !== undefined) return configOf(flat);
  }
  return undefined;
}

function parseConfig(text: string): Config | { readonly problem: string } {
  try {
    const value: unknown = parseYaml(text) ?? {};
    if (typeof value === 'object' && !Array.isArray(value)) return configOf({ ...value });
    return { problem: 'config.yml has no keys and values' };
  } catch (error) {
    return { problem: `config.yml cannot be read: ${messageOf(error)}` };
  }
}

export function configOf(
  values: Readonly<Record<string, unknown>>,
): Config | { readonly problem: string } {
  const text = (key: string): string | undefined => String(values[key] ?? '') || undefined;
  const flag = (key: string): boolean => text(key) === 'true';
  const wanted = text('exposer') ?? 'Ingress';
  const exposer = EXPOSERS.find((each) => each.toLowerCase() === wanted.toLowerCase());
  if (exposer === undefined) return { problem: `exposer is none of ${EXPOSERS.join(', ')}` };
  const { services } = values;
  return {
    exposer,
    domain: text('domain'),
    internalDomain: text('internal-domain'),
    usesPaths: text('path-mode') === 'path',
    urlTemplate: text('urltemplate') ?? DEFAULT_TEMPLATE,
    nodeIp: text('node-ip'),
    tlsAcme: flag('tls-acme'),
    tlsSecretName: text('tls-secret-name'),
    tlsUsesWildcard: flag('tls-use-wildcard'),
    ingressClass: text('ingress-class'),
    services: Array.isArray(services) ? services.map(String) : [],
    apiServer: text('apiserver'),
    apiServerProtocol: text('apiserver-protocol') ?? 'https',
    consoleUrl: text('console-url'),
    cleanup: flag('cleanup'),
    cleanupFilter: text('filter') ?? '',
  };
}
