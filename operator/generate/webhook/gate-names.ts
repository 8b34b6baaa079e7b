/** The names of the objects of an operator's gate. */
export interface GateNames {
  /** Name of the Service, the ConfigMap, the NetworkPolicy, the Issuer and the Certificate. */
  readonly gate: string;
  /** Name of the Secret with the serving certificate and its key. */
  readonly secret: string;
  /**
   * Name of the operator `chancery certificates` and of its ServiceAccount, if this operator
   * maintains the certificate.
   */
  readonly keeper: string;
  /** Name of the webhook configurations, which have no namespace. */
  readonly configuration: string;
  /** The names by which the API server calls the Service. */
  readonly dnsNames: readonly string[];
}

/**
 * The names for an operator. The name of an operator has at most 52 characters, so all of these
 * fit.
 */
export function gateNames({
  name,
  namespace,
}: {
  readonly name: string;
  readonly namespace: string;
}): GateNames {
  const gate = `${name}-gate`;
  return {
    gate,
    secret: `${gate}-tls`,
    keeper: `${name}-certs`,
    configuration: `${name}.${namespace}`,
    dnsNames: [`${gate}.${namespace}.svc`, `${gate}.${namespace}.svc.cluster.local`],
  };
}

/** The port of the gate's Service. */
export const SERVICE_PORT = 443;
