import type { Container, Volume } from '../../../model/kubernetes/core-v1.ts';
import type { KubernetesObject } from '../../../model/object.ts';
import { matchesSelector, selectorFromObject } from '../../../model/selector.ts';
import {
  GATE_CONFIG_FILE,
  GATE_CONFIG_FOLDER,
  GATE_TLS_FOLDER,
  OPERATOR_ADDRESS,
  readGateConfig,
} from '../../gate/gate-config.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import { type Installation, type PlacedContainer, variable } from '../installation.ts';
import { tlsSecretProblem } from '../tls-secret.ts';

export const keyOnlyInGate: Rule = {
  id: 'key-only-in-gate',
  check: (installation) => {
    const { containers, gate } = installation;
    const volume = gate && volumeAt(gate, GATE_TLS_FOLDER, installation);
    if (volume === undefined) return [];
    const secrets = secretsOf(volume);
    const withKey = (installation.pod.volumes ?? [])
      .filter((each) => each.name === volume.name || secretsOf(each).some(isIn(secrets)))
      .map(({ name }) => name);
    return containers
      .filter((placed) => placed !== gate)
      .flatMap(({ container, path }) => [
        ...(container.volumeMounts ?? [])
          .filter(({ name }) => withKey.includes(name))
          .map(({ name }) => `${path}.volumeMounts[${name}]`),
        ...variablesFrom(container, secrets).map((name) => `${path}.${name}`),
      ])
      .map((path) => ({
        path,
        wrong: 'has the key of the gate',
        why: 'code in this container could answer the API server in the name of the Service',
        todo: 'give it to the container gate only',
      }));
  },
};

export const gateCertificate: Rule = {
  id: 'gate-certificate',
  check: (installation): readonly Problem[] => {
    const { gate, objects } = installation;
    if (gate === undefined) return [];
    const mount = gate.container.volumeMounts?.find(({ mountPath }) =>
      isAt(mountPath, GATE_TLS_FOLDER),
    );
    const path = `${gate.path}.volumeMounts`;
    const volume = volumeAt(gate, GATE_TLS_FOLDER, installation);
    if (mount === undefined || volume === undefined) {
      const todo = `mount the Secret with tls.crt and tls.key at ${GATE_TLS_FOLDER}`;
      const why = 'the API server gets no answer, and writes fail or go unchecked';
      return [{ path, wrong: 'has no certificate', why, todo }];
    }
    if (mount.subPath !== undefined || mount.subPathExpr !== undefined) {
      const wrong = `mounts one part of a volume at ${GATE_TLS_FOLDER}`;
      const why = 'the kubelet never renews a subPath, and the certificate expires';
      return [{ path, wrong, why, todo: 'mount the whole volume' }];
    }
    const names = servedNames(installation);
    const secrets = secretsOf(volume);
    return objects.flatMap((object) => ofCertificate(object, secrets, names, installation));
  },
};

export const gateConfiguration: Rule = {
  id: 'gate-configuration',
  check: (installation): readonly Problem[] => {
    const { gate, operator } = installation;
    if (gate === undefined) return [];
    if (volumeAt(gate, GATE_CONFIG_FOLDER, installation) === undefined) {
      return [
        {
          path: `${gate.path}.volumeMounts`,
          wrong: `has nothing at ${GATE_CONFIG_FOLDER}`,
          why: 'the image refuses every path',
          todo: `mount a ConfigMap with ${GATE_CONFIG_FILE} there`,
        },
      ];
    }
    const map = configMapOf(gate, installation);
    if (map === undefined) return []; // applied from elsewhere
    const text = map.data?.[GATE_CONFIG_FILE];
    const where = { object: `ConfigMap/${map.metadata.name}`, path: `data[${GATE_CONFIG_FILE}]` };
    const todo = 'generate it again with chancery generate manifests';
    const config = text === undefined ? undefined : readGateConfig(text);
    if (config === undefined) {
      const wrong = text === undefined ? 'is missing' : 'is not what chancery generates';
      const why = 'it is unknown which requests reach the operator';
      return [{ ...where, wrong, why, todo }];
    }
    const listens =
      variable(operator?.container, 'CHANCERY_WEBHOOK_LISTEN')?.value ?? OPERATOR_ADDRESS;
    return [
      ...(config.operator === listens
        ? []
        : [
            {
              ...where,
              wrong: `passes reviews to ${config.operator}, and the operator listens on ${listens}`,
              why: 'there is no operator behind the gate, which answers 502',
              todo: 'give CHANCERY_WEBHOOK_LISTEN the same address',
            },
          ]),
      ...calledPaths(installation)
        .filter(({ path }) => !config.paths.some((declared) => declared.path === path))
        .map(({ object, field, path }) => ({
          object,
          path: field,
          wrong: `calls ${path}, which the gate refuses`,
          why: 'no webhook is declared there, and the API server gets 404',
          todo,
        })),
    ];
  },
};

export const guardedMetrics: Rule = {
  id: 'guarded-metrics',
  check: (installation): readonly Problem[] => {
    const { gate, operator } = installation;
    if (gate === undefined || operator === undefined) return [];
    const text = configMapOf(gate, installation)?.data?.[GATE_CONFIG_FILE] ?? '';
    const metrics = readGateConfig(text)?.metrics;
    if (metrics === undefined) return [];
    const host = variable(operator.container, 'CHANCERY_METRICS_HOST')?.value;
    const port = variable(operator.container, 'CHANCERY_METRICS_PORT')?.value ?? '8080';
    const path = `${operator.path}.env[CHANCERY_METRICS_HOST]`;
    if (host === undefined || !LOOPBACK.test(host)) {
      return [
        {
          path,
          wrong: host === undefined ? 'is not set' : `is ${host}`,
          why: 'everybody in the network of the Pod reads the metrics without a certificate, past the gate',
          todo: 'set 127.0.0.1',
        },
      ];
    }
    const listens = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    if (listens === metrics.operator) return [];
    return [
      {
        path,
        wrong: `makes ${listens}, and the gate passes scrapes to ${metrics.operator}`,
        why: 'there are no metrics behind the gate, which answers 502',
        todo: 'give CHANCERY_METRICS_HOST and CHANCERY_METRICS_PORT the address of the gate',
      },
    ];
  },
};

const LOOPBACK = /^(?:127\.0\.0\.1|::1|localhost)$/;

function ofCertificate(
  object: KubernetesObject,
  secrets: readonly string[],
  names: readonly string[],
  { namespace }: Installation,
): readonly Problem[] {
  const { kind, metadata } = object;
  if ((metadata.namespace ?? namespace) !== namespace) return [];
  const where = { object: `${kind}/${metadata.name}` };
  const why = 'the API server refuses the connection, and writes fail or go unchecked';
  if (kind === 'Secret' && secrets.includes(metadata.name)) {
    const problem = tlsSecretProblem(object, names, new Date());
    return problem === undefined ? [] : [{ ...where, ...problem, why }];
  }
  const { secretName = '', dnsNames = [] } =
    (object as { spec?: { secretName?: string; dnsNames?: readonly string[] } }).spec ?? {};
  if (kind !== 'Certificate' || !secrets.includes(secretName)) return [];
  return names
    .filter((name) => !dnsNames.includes(name))
    .map((name) => ({
      ...where,
      path: 'spec.dnsNames',
      wrong: `does not have ${name}`,
      why,
      todo: `add ${name}, the name by which the API server calls the Service`,
    }));
}

interface CalledPath {
  readonly object: string;
  readonly field: string;
  readonly path: string;
}

/** Paths at which the API server calls this Pod through a Service. */
function calledPaths(installation: Installation): readonly CalledPath[] {
  const services = servicesOf(installation).map(({ metadata }) => metadata.name);
  return installation.objects.flatMap((object) =>
    clientConfigsOf(object)
      .filter(({ service }) => services.includes(service?.name ?? ''))
      .filter(({ service }) => (service?.namespace ?? '') === (installation.namespace ?? ''))
      .map(({ service, field }) => ({
        object: `${object.kind}/${object.metadata.name}`,
        field,
        path: service?.path ?? '/',
      })),
  );
}

interface ClientConfig {
  readonly service?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly path?: string;
  } | null;
}

function clientConfigsOf(object: KubernetesObject): readonly (ClientConfig & { field: string })[] {
  const { webhooks, spec } = object as {
    webhooks?: readonly { readonly clientConfig?: ClientConfig }[] | null;
    spec?: { conversion?: { webhook?: { clientConfig?: ClientConfig } | null } | null };
  };
  if (/^(?:Validating|Mutating)WebhookConfiguration$/.test(object.kind)) {
    return (webhooks ?? []).map(({ clientConfig }, at) => ({
      ...clientConfig,
      field: `webhooks[${at}].clientConfig.service.path`,
    }));
  }
  const conversion = spec?.conversion?.webhook?.clientConfig;
  if (object.kind !== 'CustomResourceDefinition' || conversion === undefined) return [];
  return [{ ...conversion, field: 'spec.conversion.webhook.clientConfig.service.path' }];
}

/** Names by which the API server calls this Pod: the names of Services in webhooks. */
function servedNames(installation: Installation): readonly string[] {
  const { namespace = 'default', objects } = installation;
  const called = objects.flatMap((object) =>
    clientConfigsOf(object).map(({ service }) => service?.name ?? ''),
  );
  return servicesOf(installation)
    .filter(({ metadata }) => called.includes(metadata.name))
    .map(({ metadata }) => `${metadata.name}.${namespace}.svc`);
}

/** The Services that select the Pods. */
export function servicesOf({
  objects,
  labels,
  namespace,
}: Installation): readonly KubernetesObject[] {
  return objects.filter((object) => {
    const { selector } =
      (object as { spec?: { selector?: Record<string, string> | null } }).spec ?? {};
    return (
      object.kind === 'Service' &&
      (object.metadata.namespace ?? namespace) === namespace &&
      selector != null &&
      matchesSelector(selectorFromObject({ matchLabels: selector }), labels)
    );
  });
}

/** The ConfigMap with the configuration of the gate. Undefined when it is not among the objects. */
function configMapOf(
  gate: PlacedContainer,
  installation: Installation,
): (KubernetesObject & { readonly data?: Readonly<Record<string, string>> | null }) | undefined {
  const { namespace, objects } = installation;
  const name = volumeAt(gate, GATE_CONFIG_FOLDER, installation)?.configMap?.name;
  return objects.find(
    ({ kind, metadata }) =>
      kind === 'ConfigMap' &&
      metadata.name === name &&
      (metadata.namespace ?? namespace) === namespace,
  );
}

function volumeAt(
  { container }: PlacedContainer,
  folder: string,
  { pod }: Installation,
): Volume | undefined {
  const mount = container.volumeMounts?.find(({ mountPath }) => isAt(mountPath, folder));
  return (pod.volumes ?? []).find(({ name }) => name === mount?.name);
}

function isAt(mountPath: string, folder: string): boolean {
  return mountPath.replace(/\/$/, '') === folder;
}

function secretsOf({ secret, projected }: Volume): readonly string[] {
  const names = [
    secret?.secretName,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ];
  return names.filter((name) => name !== undefined);
}

function isIn(names: readonly string[]): (name: string) => boolean {
  return (name) => names.includes(name);
}

function variablesFrom({ env, envFrom }: Container, secrets: readonly string[]): readonly string[] {
  return [
    ...(env ?? [])
      .filter(({ valueFrom }) => secrets.includes(valueFrom?.secretKeyRef?.name ?? ''))
      .map(({ name }) => `env[${name}]`),
    ...(envFrom ?? []).flatMap(({ secretRef }, at) =>
      secrets.includes(secretRef?.name ?? '') ? [`envFrom[${at}]`] : [],
    ),
  ];
}
