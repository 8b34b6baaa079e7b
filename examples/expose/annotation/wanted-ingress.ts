import type { Desired } from 'chancery';
import type { Ingress, Service } from 'chancery/kubernetes';
import { isDnsName, isSafePath } from '../url-parts.ts';

/** What a Service's annotations ask for, or why that cannot be. */
export type Wanted =
  | { readonly ingress: Desired<Ingress>; readonly refusal?: undefined }
  | { readonly refusal: string; readonly ingress?: undefined };

const PATH_TYPES = ['Prefix', 'Exact', 'ImplementationSpecific'] as const;

/** Undefined for a Service that is not to be exposed. Pure. */
export function wantedIngress({ metadata, spec = {} }: Service): Wanted | undefined {
  const { name, annotations = {} } = metadata;
  const path = annotations.expose;
  if (path === undefined) return undefined;
  const host = annotations['expose.host'];
  const ingressClassName = annotations['expose.ingressClass'];
  const secretName = annotations['expose.tlsSecret'];
  const pathType = annotations['expose.pathType'] ?? 'Prefix';
  const port = portNumber(spec, annotations['expose.port']);

  if (!isSafePath(path)) return refused('expose', path, 'must be a path such as /shop');
  if (!isPathType(pathType)) {
    return refused('expose.pathType', pathType, `must be one of ${PATH_TYPES.join(', ')}`);
  }
  if (host !== undefined && !isDnsName(host.replace(/^\*\./, ''))) {
    return refused('expose.host', host, 'must be a DNS name');
  }
  if (ingressClassName !== undefined && !isDnsName(ingressClassName)) {
    return refused('expose.ingressClass', ingressClassName, 'must be the name of an IngressClass');
  }
  if (secretName !== undefined && !isDnsName(secretName)) {
    return refused('expose.tlsSecret', secretName, 'must be the name of a Secret');
  }
  if (spec.type === 'ExternalName') {
    return { refusal: 'a Service of type ExternalName has no Pods to send requests to' };
  }
  if (port === undefined) {
    const asked = annotations['expose.port'];
    if (asked === undefined) return { refusal: 'the Service has no TCP port' };
    return refused('expose.port', asked, 'must be the number or the name of a TCP port it has');
  }

  const backend = { service: { name, port: { number: port } } };
  return {
    ingress: {
      metadata: { name },
      spec: {
        ...(ingressClassName !== undefined && { ingressClassName }),
        ...(secretName !== undefined && {
          tls: [{ secretName, ...(host !== undefined && { hosts: [host] }) }],
        }),
        rules: [
          { ...(host !== undefined && { host }), http: { paths: [{ path, pathType, backend }] } },
        ],
      },
    },
  };
}

/** By number or by name; the first when none is asked for. An Ingress speaks TCP only. */
function portNumber(
  { ports = [] }: NonNullable<Service['spec']>,
  asked: string | undefined,
): number | undefined {
  const usable = ports.filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  if (asked === undefined) return usable[0]?.port;
  return usable.find(({ name, port }) => name === asked || String(port) === asked)?.port;
}

function isPathType(text: string): text is (typeof PATH_TYPES)[number] {
  return PATH_TYPES.some((type) => type === text);
}

/** The value is quoted and cut: it comes from whoever may annotate a Service. */
function refused(annotation: string, value: string, rule: string): Wanted {
  return { refusal: `annotation ${annotation} ${rule}, not ${JSON.stringify(value.slice(0, 80))}` };
}
