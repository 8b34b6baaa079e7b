import { ConfigurationError } from '../../core/errors.ts';
import { CONVERSION_PATH } from '../../model/custom-resource-definition.ts';
import { isDnsSubdomain } from '../../model/dns-name.ts';
import type { Webhook } from '../../webhook/webhook.ts';
import type { GatePath } from '../gate/gate-config.ts';

/** The last part of the name of our own gate image. */
export const OWN_GATE_IMAGE: string = 'chancery-gate';

/** The last part of the name of our own image that runs `chancery certificates`. */
export const OWN_CERTIFICATES_IMAGE: string = 'chancery-certificates';

/** The possible sources of the gate's certificate, the best source first. */
export type CertificateSource = 'cert-manager' | 'service-ca' | 'pod' | 'chancery';

/** The settings of an operator's gate and of its certificate. */
export interface GateOptions {
  readonly certificates: CertificateSource;
  /** The image of the container `gate`, with a tag or a digest. */
  readonly image: string;
  /**
   * The signer that issues serving certificates, such as `example.com/serving`. Only for the source
   * `pod`.
   */
  readonly signer?: string;
  /** The certificates of the signer, as PEM. The API server trusts them. Only for the source `pod`. */
  readonly caBundle?: string;
  /**
   * The image with `chancery certificates`, with a tag or a digest. Only for the source `chancery`.
   */
  readonly certificatesImage?: string;
  /**
   * The Secret for clients that read metrics, in the namespace of the operator. The gate then
   * serves metrics to clients whose certificate is signed by `ca.crt` in the Secret. A PodMonitor
   * presents `tls.crt` and `tls.key` of the Secret. Default: the operator serves metrics itself, to
   * everybody.
   */
  readonly metricsClientCa?: string;
}

/** The webhooks and conversions of an operator, and the settings of its gate. */
export interface WebhooksOptions extends GateOptions {
  readonly webhooks: readonly Webhook[];
  /** Names of the definitions whose versions the operator converts. Default: none. */
  readonly conversions?: readonly string[];
}

/** True when there is at least one webhook or conversion. */
export function isServing({
  webhooks,
  conversions = [],
}: Pick<WebhooksOptions, 'conversions' | 'webhooks'>): boolean {
  return webhooks.length > 0 || conversions.length > 0;
}

/** True when the operator has a gate: for webhooks, for metrics, or for both. */
export function hasGate(options: WebhooksOptions): boolean {
  return isServing(options) || options.metricsClientCa !== undefined;
}

/** The time limit of the API server for a conversion, which no definition can change. */
const CONVERSION_SECONDS = 30;

/** The paths that the gate forwards. */
export function servedPaths({ webhooks, conversions = [] }: WebhooksOptions): readonly GatePath[] {
  return [
    ...webhooks.map(({ path, timeoutSeconds }) => ({ path, timeoutSeconds })),
    ...(conversions.length > 0
      ? [{ path: CONVERSION_PATH, timeoutSeconds: CONVERSION_SECONDS }]
      : []),
  ];
}

/**
 * The reason why one replica is not enough. Undefined when requests succeed even while no replica
 * answers.
 */
export function reasonForTwo({ webhooks }: WebhooksOptions): string | undefined {
  const closed = webhooks.find(({ failurePolicy }) => failurePolicy === 'Fail');
  return closed && `the webhook ${closed.name} has failurePolicy Fail`;
}

/** Matches a signer: a domain and a path, such as `example.com/serving`. */
const SIGNER = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\.[a-z0-9-]+\/[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;

const CERTIFICATES =
  /^(?:\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;

/**
 * Checks the webhooks, the metrics and the gate.
 *
 * @throws ConfigurationError `CONFIG` when the API server would refuse the webhooks, when nothing would trust
 * the gate, and when one replica cannot serve the webhooks.
 */
export function requireServable(
  options: WebhooksOptions,
  { installCrds, electsLeader, name }: Surroundings,
): void {
  const { certificates, signer, caBundle, conversions = [], metricsClientCa } = options;
  if (!/^[a-z]/.test(name)) {
    throw new ConfigurationError(
      'an operator with a gate has a Service, whose name begins with a letter: choose another name with --name',
      { context: { name } },
    );
  }
  if (metricsClientCa !== undefined) requireClients(metricsClientCa);
  if (certificates === 'chancery' && !isServing(options)) {
    throw new ConfigurationError(
      '--certificates chancery makes certificates for webhooks, and this operator declares none: for its metrics use ' +
        'cert-manager, service-ca or pod',
    );
  }
  if (certificates === 'pod') requirePodSigner(signer, caBundle);
  else if (signer !== undefined || caBundle !== undefined) {
    const option = signer === undefined ? '--ca-bundle' : '--certificate-signer';
    throw new ConfigurationError(
      `${option} is for --certificates pod: ${certificates} brings its own authority`,
    );
  }
  if (conversions.length > 0 && installCrds) {
    throw new ConfigurationError(
      `${conversions[0]} is converted by a webhook, and --install-crds lets the operator write definitions: it would need ` +
        'the caBundle, and the right to change what the API server trusts; let the manifests have the definitions',
    );
  }
  const reason = reasonForTwo(options);
  if (reason !== undefined && !electsLeader) {
    throw new ConfigurationError(
      `${reason}, so that requests are refused while no replica answers: it needs two replicas and a ` +
        'PodDisruptionBudget, and without leader election two replicas would do everything twice; use ' +
        '--leader-election, or failurePolicy Ignore',
    );
  }
}

function requireClients(secret: string): void {
  if (isDnsSubdomain(secret)) return;
  throw new ConfigurationError(
    '--metrics-client-ca names a Secret: at most 253 of a-z, 0-9, "-" and "."',
    { context: { secret } },
  );
}

interface Surroundings {
  readonly name: string;
  readonly installCrds: boolean;
  /** True if the replicas elect a leader. Without a leader, two replicas would do all work twice. */
  readonly electsLeader: boolean;
}

function requirePodSigner(signer: string | undefined, caBundle: string | undefined): void {
  if (signer === undefined || !SIGNER.test(signer) || signer.startsWith('kubernetes.io/')) {
    throw new ConfigurationError(
      '--certificates pod needs --certificate-signer NAME: the signer of serving certificates that is installed in the ' +
        'cluster, such as example.com/serving; Kubernetes itself has none',
      { context: { signer: signer ?? 'none' } },
    );
  }
  if (caBundle === undefined || !CERTIFICATES.test(caBundle)) {
    throw new ConfigurationError(
      '--certificates pod needs --ca-bundle FILE: PEM certificates of the signer. Nothing in Kubernetes writes them into ' +
        'webhook configurations, and without them the API server would trust its own system roots',
    );
  }
}
