import type { networkingV1, Service } from 'chancery/kubernetes';
import { isDnsName, isSafePath } from '../url-parts.ts';
import type { Config } from './config.ts';
import { exposedPort, ingressNameOf } from './service-wish.ts';

/** What one Service contributes to an Ingress. */
export interface IngressPlan {
  readonly host: string;
  readonly path: string;
  readonly port: number;
  /** Where the Service answers, once the Ingress is there. */
  readonly url: string;
  readonly tls: networkingV1.IngressTLS | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

export type Planned =
  | { readonly plan: IngressPlan; readonly refusal?: undefined }
  | { readonly refusal: string; readonly plan?: undefined };

/** The part of one Service in its Ingress, or why it can have none. Pure. */
export function planIngress(service: Service, config: Config): Planned {
  const { name, namespace = '', annotations = {} } = service.metadata;
  const app = ingressNameOf(service);
  const isInternal = annotations['fabric8.io/use.internal.domain'] === 'true';
  const domain = isInternal ? config.internalDomain : config.domain;
  const port = exposedPort(service);
  const extra = extraAnnotations(annotations['fabric8.io/ingress.annotations'] ?? '');
  if (domain === undefined) {
    return { refusal: `the configuration has no ${isInternal ? 'internal-domain' : 'domain'}` };
  }
  if (!isDnsName(app)) return { refusal: 'fabric8.io/ingress.name must be a name for an object' };
  if (service.spec?.type === 'ExternalName' || port === undefined)
    return { refusal: `Service ${name} has no TCP port of its own` };
  if (extra === undefined) {
    return { refusal: 'fabric8.io/ingress.annotations needs lines of "key: value", no snippets' };
  }

  const mode = annotations['fabric8.io/path.mode'] || (config.usesPaths ? 'path' : '');
  const usesPaths = mode === 'path';
  const suffix = annotations['fabric8.io/ingress.path'] || '/';
  const path = usesPaths ? joined(`/${namespace}/${app}`, suffix) : suffix;
  if (!isSafePath(path)) return { refusal: 'fabric8.io/ingress.path must be a path such as /api/' };
  const hostName = annotations['fabric8.io/host.name'] || app;
  const host = usesPaths
    ? domain
    : filled(config.urlTemplate, { Service: hostName, Namespace: namespace, Domain: domain });
  if (!isDnsName(host)) return { refusal: `${JSON.stringify(host.slice(0, 80))} is no host` };

  const apiPath = annotations['api.service.kubernetes.io/path'] ?? '';
  if (apiPath !== '' && !isSafePath(joined('', apiPath))) {
    return { refusal: 'api.service.kubernetes.io/path must be a path such as /v1' };
  }

  const hasTls = config.tlsAcme || config.tlsSecretName !== undefined;
  const usesTls = hasTls && annotations['jenkins-x.io/skip.tls'] !== 'true';
  const address = `${usesTls ? 'https' : 'http'}://${usesPaths ? joined(host, path) : host}`;
  const ingressClass = config.ingressClass ?? (usesPaths ? 'nginx' : undefined);
  return {
    plan: {
      host,
      path,
      port,
      url: apiPath === '' ? address : joined(address, apiPath),
      tls: usesTls
        ? {
            hosts: [config.tlsUsesWildcard ? `*.${domain}` : host],
            secretName: config.tlsSecretName ?? `tls-${app}`,
          }
        : undefined,
      annotations: {
        ...(ingressClass !== undefined && { 'kubernetes.io/ingress.class': ingressClass }),
        ...(config.tlsAcme && { 'kubernetes.io/tls-acme': 'true' }),
        ...extra,
      },
    },
  };
}

/** Lines of `key: value`; undefined when one of them is none, or would be an ingress controller's code. */
function extraAnnotations(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (!lines.every((line) => /^\s*[^:\s]+\s*:/.test(line))) return undefined;
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  if (pairs.some(([key]) => key.endsWith('-snippet'))) return undefined;
  return Object.fromEntries(pairs);
}

/** Of the original's template language only what its own documentation uses. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/{{\s*\.(\w+)\s*}}/g, (whole, key: string) => values[key] ?? whole);
}

function joined(first: string, second: string): string {
  return `${first.replace(/\/$/, '')}/${second.replace(/^\//, '')}`;
}
