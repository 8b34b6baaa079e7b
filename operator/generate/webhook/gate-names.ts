/** Names of what belongs to the gate of an operator. */
export interface GateNames {
  /** Of the Service, the ConfigMap, the NetworkPolicy, the Issuer and the Certificate. */
  readonly gate: string;
  /** Of the Secret with the serving certificate and its key. */
  readonly secret: string;
  /** Of the operator that keeps the certificate, where `chancery certificates` does, and of its ServiceAccount. */
  readonly keeper: string;
  /** Of the configurations of webhooks, which have no namespace. */
  readonly configuration: string;
  /** As the API server calls the Service. */
  readonly dnsNames: readonly string[];
}

/** The longest name of an operator is 52 characters, so that each of these fits. */
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

/** Where the API server finds the gate. */
export const SERVICE_PORT = 443;
