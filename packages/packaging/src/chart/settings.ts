import { DNS_LABEL, DNS_SUBDOMAIN, type OperatorModel, overlayComponents } from 'chancery/internal';
import {
  containerNamed,
  gateSettings,
  imageSettings,
  proxySettings,
} from './container-settings.ts';
import { reservedVariables, securityRules } from './limits.ts';
import { type Kind, type Setting, setting, type TextRule } from './setting.ts';

const BOOLEAN: Kind = { is: 'boolean' };

const NAME_RULE: TextRule = {
  pattern: `^(${DNS_LABEL})?$`,
  maxLength: 52,
  wanted: 'at most 52 of a-z, 0-9 and "-", a letter or a digit at both ends',
};

const LABEL_VALUE: TextRule = {
  pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$',
  maxLength: 63,
  wanted: 'names and values of labels, which the chart does not set itself',
};

const ANNOTATION_VALUE: TextRule = {
  // Any characters are allowed, even line breaks. A dot in a pattern would not match line breaks.
  pattern: '^[\\s\\S]*$',
  maxLength: 65_536,
  wanted: 'names and values of annotations, which the chart does not set itself',
};

/**
 * Regular expressions for labels and annotations that give a Pod a cloud identity. Webhooks of the
 * cloud then mount tokens into all containers, and a cloud identity may also have rights in the
 * cluster.
 */
const IDENTITIES = [
  '^eks\\.amazonaws\\.com/',
  '^iam\\.amazonaws\\.com/',
  '^azure\\.workload\\.identity/',
  '^iam\\.gke\\.io/',
];

/**
 * Regular expressions for labels that the chart sets, or that Helm, a selector or a cloud reads.
 */
const OWN_LABELS = [
  '^app\\.kubernetes\\.io/(name|instance|version|managed-by|part-of|component)$',
  '^helm\\.sh/',
  '^pod-template-hash$',
  ...IDENTITIES,
];

/**
 * Regular expressions for annotations that values must not contain. Helm or a cloud acts on these
 * annotations, or the chart sets them, or they turn protection off, or container runtimes use them
 * to change the profile, the devices or the kernel settings of a container.
 */
const OWN_ANNOTATIONS = [
  '^(meta\\.)?helm\\.sh/',
  '^checksum/',
  '^kubectl\\.kubernetes\\.io/default-container$',
  '(apparmor|seccomp)\\.security\\.',
  'cri-?o\\.io(/|$)',
  '^io\\.(kubernetes\\.cri|containerd|katacontainers)',
  '(^|\\.)cdi\\.k8s\\.io/',
  '^run\\.oci\\.',
  '^org\\.systemd\\.',
  ...IDENTITIES,
];

const LABELS: Kind = { is: 'map', refused: OWN_LABELS, ...LABEL_VALUE };
const ANNOTATIONS: Kind = { is: 'map', refused: OWN_ANNOTATIONS, ...ANNOTATION_VALUE };

/** All values of the chart, in the order of `values.yaml`. */
export function settingsOf(model: OperatorModel): readonly Setting[] {
  return [
    ...nameSettings(model),
    ...managerSettings(model),
    ...podSettings(),
    ...proxySettings(model),
    ...gateSettings(model),
    ...scopeSettings(model),
    ...objectSettings(model),
    ...componentSettings(model),
  ];
}

function nameSettings({ options }: OperatorModel): readonly Setting[] {
  return [
    setting(
      'nameOverride',
      '',
      { is: 'text', ...NAME_RULE },
      `In place of ${options.name} in names. The selector of the Pods stays.`,
    ),
    setting(
      'fullnameOverride',
      '',
      { is: 'text', ...NAME_RULE },
      'The name of all objects. Default: made of the names of the release and of the chart.',
    ),
  ];
}

function managerSettings(model: OperatorModel): readonly Setting[] {
  const operator = containerNamed(model, 'operator');
  const grace = model.deployment.spec.template.spec.terminationGracePeriodSeconds as number;
  const refused = reservedVariables(model);
  return [
    replicasSetting(model),
    ...imageSettings('manager', operator),
    setting(
      'manager.imagePullSecrets',
      [],
      { is: 'names' },
      'Names of Secrets for registries: [{name: …}].',
    ),
    setting(
      'manager.env',
      [],
      { is: 'variables', refused },
      'More variables of the operator: name with value, or with valueFrom of a Secret or a ConfigMap.',
    ),
    setting(
      'manager.envOverrides',
      {},
      { is: 'overrides', refused },
      'Variables by name. They win over env.',
    ),
    setting(
      'manager.resources',
      operator.resources ?? {},
      { is: 'resources' },
      'Of the operator: cpu, memory and ephemeral-storage.',
    ),
    setting(
      'manager.securityContext',
      {},
      { is: 'security', fields: securityRules('container', operator) },
      'Additions to the security context of the operator. Only what makes it stricter.',
    ),
    setting(
      'manager.podSecurityContext',
      {},
      { is: 'security', fields: securityRules('pod') },
      'Additions to the security context of the Pod. Only what makes it stricter.',
    ),
    setting(
      'manager.terminationGracePeriodSeconds',
      grace,
      { is: 'integer', minimum: grace, maximum: 7200 },
      `At least ${grace}: the operator stops first, and writes through the ambassador until then.`,
    ),
  ];
}

function replicasSetting({ options, deployment }: OperatorModel): Setting {
  return setting(
    'manager.replicas',
    deployment.spec.replicas,
    { is: 'integer', minimum: 0, maximum: maxReplicas(options) },
    options.shards !== undefined
      ? 'Replicas that share the work, at most one for two groups of keys.'
      : options.leaderElection
        ? 'Replicas of which one works and the others wait for its Lease.'
        : 'At most 1: there is no leader election, and two would do everything twice.',
  );
}

function maxReplicas({ leaderElection, shards }: OperatorModel['options']): number {
  if (shards !== undefined) return Math.max(shards / 2, 2);
  return leaderElection ? 20 : 1;
}

function podSettings(): readonly Setting[] {
  const subdomain: TextRule = {
    pattern: `^(${DNS_SUBDOMAIN})?$`,
    maxLength: 253,
    wanted: 'the name of a PriorityClass',
  };
  return [
    setting('manager.labels', {}, LABELS, 'More labels of the Deployment.'),
    setting('manager.annotations', {}, ANNOTATIONS, 'More annotations of the Deployment.'),
    setting('manager.pod.labels', {}, LABELS, 'More labels of the Pods.'),
    setting('manager.pod.annotations', {}, ANNOTATIONS, 'More annotations of the Pods.'),
    setting('manager.affinity', {}, { is: 'object' }, 'Of the Pods.'),
    setting(
      'manager.nodeSelector',
      {},
      { is: 'map', refused: [], ...LABEL_VALUE, wanted: 'names and values of labels' },
      'Labels of the nodes for the Pods.',
    ),
    setting('manager.tolerations', [], { is: 'objects' }, 'Of the Pods.'),
    setting(
      'manager.topologySpreadConstraints',
      [],
      { is: 'objects' },
      'Of the Pods, in place of those of highAvailability.',
    ),
    setting('manager.priorityClassName', '', { is: 'text', ...subdomain }, 'Of the Pods.'),
  ];
}

function scopeSettings({ options }: OperatorModel): readonly Setting[] {
  if (options.watched !== undefined) return [];
  return [
    setting(
      'watch.namespaces',
      [],
      {
        is: 'texts',
        pattern: `^${DNS_LABEL}$`,
        maxLength: 63,
        wanted: 'names of namespaces',
      },
      'The namespaces that the operator watches. It gets a Role in each of them, which have to exist. Default: all.',
    ),
    setting(
      'rbac.namespaced',
      false,
      BOOLEAN,
      'The operator watches only the namespace of the release, unless watch.namespaces names others.',
    ),
  ];
}

function objectSettings({ definitions }: OperatorModel): readonly Setting[] {
  const crd = [
    setting('crd.enabled', true, BOOLEAN, 'Install and upgrade the CustomResourceDefinitions.'),
    setting(
      'crd.keep',
      true,
      BOOLEAN,
      'Keep them, and with them all objects, when the release is uninstalled.',
    ),
  ];
  return [
    setting('serviceAccount.labels', {}, LABELS, 'More labels of the ServiceAccount.'),
    setting(
      'serviceAccount.annotations',
      {},
      ANNOTATIONS,
      'More annotations of the ServiceAccount. None for an identity at a cloud: every container would get its token.',
    ),
    ...(definitions.length > 0 ? crd : []),
  ];
}

function componentSettings(model: OperatorModel): readonly Setting[] {
  const { options } = model;
  const used = overlayComponents(model);
  const availability = setting(
    'highAvailability',
    used.includes('high-availability'),
    BOOLEAN,
    'Two replicas or more, spread over nodes and zones, and a PodDisruptionBudget.',
  );
  return [
    setting(
      'transport',
      'tcp',
      { is: 'choice', of: ['tcp', 'unixSocket'] },
      'How the containers talk: over loopback, or through a socket in a folder that only they have.',
    ),
    setting(
      'nativeSidecar',
      used.includes('native-sidecar'),
      { is: 'choice', of: [true, false, 'auto'] },
      'The ambassador starts before the operator and stops after it. auto: from Kubernetes 1.33.',
    ),
    ...(options.leaderElection ? [availability] : []),
    ...prometheusSettings(),
    setting(
      'networkPolicy.enabled',
      false,
      BOOLEAN,
      'Out only to the API server, in only to probes and metrics.',
    ),
    setting(
      'networkPolicy.apiServer',
      [],
      {
        is: 'texts',
        pattern: '^[0-9a-fA-F.:]+/[1-9][0-9]{0,2}$',
        maxLength: 49,
        wanted: 'addresses as CIDR blocks, such as 10.96.0.1/32',
      },
      'Where the API server is: addresses of the Service kubernetes and of its endpoints, as CIDR blocks.',
    ),
    setting(
      'debug',
      false,
      BOOLEAN,
      'The ambassador logs each request, the operator its debug lines. Not for always.',
    ),
  ];
}

function prometheusSettings(): readonly Setting[] {
  return [
    setting('prometheus.enabled', false, BOOLEAN, 'A PodMonitor. Needs the Prometheus Operator.'),
    setting(
      'prometheus.rules',
      false,
      BOOLEAN,
      'Alerts, as a PrometheusRule. Needs the Prometheus Operator, and prometheus.enabled.',
    ),
    setting(
      'prometheus.dashboard',
      false,
      BOOLEAN,
      'A dashboard, in a ConfigMap with the label that the sidecar of Grafana looks for.',
    ),
    setting(
      'prometheus.labels',
      {},
      LABELS,
      'More labels of PodMonitor and PrometheusRule, by which a Prometheus selects them.',
    ),
  ];
}
