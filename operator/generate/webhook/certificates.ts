import type { KubernetesObject } from '../../model/object.ts';
import { gateNames } from './gate-names.ts';
import type { WebhooksOptions } from './webhooks-options.ts';

type Marks = Readonly<Record<string, string>>;

/** The parts of an operator's manifests that depend on the certificate source. */
export interface CertificateModel {
  /**
   * Annotations of webhook configurations and converted definitions. They make the source fill the
   * `caBundle`.
   */
  readonly trusting: Marks;
  /** Annotations of the Service. */
  readonly served: Marks;
  /** The volume from which the gate reads `tls.crt` and `tls.key`. */
  readonly volume: { readonly name: string; readonly [field: string]: unknown };
  /** The reference to the certificate authorities of this certificate, as a PodMonitor expects it. */
  readonly authorities: object;
  readonly objects: readonly KubernetesObject[];
}

/** The volume with certificate and key. Only the container `gate` mounts it. */
export const GATE_TLS = 'gate-tls';

/** The key of the gate's ConfigMap with the authorities of `--ca-bundle`. */
export const AUTHORITIES_FILE = 'authorities.pem';

/** The parts that the certificate source of an operator adds to its manifests. */
export function certificateModel(
  options: WebhooksOptions,
  place: { readonly name: string; readonly namespace: string },
): CertificateModel {
  const { gate, secret } = gateNames(place);
  const fromSecret = {
    name: GATE_TLS,
    secret: {
      secretName: secret,
      // Mount no other keys, because the Secret of `chancery certificates` contains more than these
      // two.
      items: ['tls.crt', 'tls.key'].map((key) => ({ key, path: key })),
    },
  };
  const authorities = { secret: { name: secret, key: 'ca.crt' } };
  const plain = { trusting: {}, served: {}, volume: fromSecret, authorities, objects: [] };
  switch (options.certificates) {
    case 'cert-manager':
      return { ...plain, ...certManager(place) };
    case 'service-ca':
      return {
        ...plain,
        trusting: { 'service.beta.openshift.io/inject-cabundle': 'true' },
        served: { 'service.beta.openshift.io/serving-cert-secret-name': secret },
        // OpenShift writes this ConfigMap into every namespace.
        authorities: { configMap: { name: 'openshift-service-ca.crt', key: 'service-ca.crt' } },
      };
    case 'pod':
      return {
        ...plain,
        volume: fromSigner(options.signer ?? ''),
        authorities: { configMap: { name: gate, key: AUTHORITIES_FILE } },
      };
    case 'chancery':
      return plain;
  }
}

/**
 * An authority that signs the serving certificate. A self-signed serving certificate would change
 * together with the `caBundle`, and requests would fail between the two changes.
 */
function certManager(place: {
  readonly name: string;
  readonly namespace: string;
}): Pick<CertificateModel, 'objects' | 'trusting'> {
  const { namespace } = place;
  const { gate, secret, dnsNames } = gateNames(place);
  const authority = `${gate}-ca`;
  const object = (kind: string, name: string, spec: object): KubernetesObject => ({
    apiVersion: 'cert-manager.io/v1',
    kind,
    metadata: { name, namespace },
    ...{ spec },
  });
  const issuerRef = (name: string): object => ({ group: 'cert-manager.io', kind: 'Issuer', name });
  return {
    trusting: { 'cert-manager.io/inject-ca-from': `${namespace}/${gate}` },
    objects: [
      object('Issuer', authority, { selfSigned: {} }),
      object('Certificate', authority, {
        isCA: true,
        commonName: 'chancery-gate-ca',
        secretName: authority,
        duration: '87600h',
        // The authority keeps its key when it is renewed. So the renewed authority is also valid
        // for certificates that were signed before.
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Never' },
        issuerRef: issuerRef(authority),
      }),
      object('Issuer', gate, { ca: { secretName: authority } }),
      object('Certificate', gate, {
        dnsNames,
        secretName: secret,
        duration: '2160h',
        renewBefore: '720h',
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
        usages: ['digital signature', 'server auth'],
        issuerRef: issuerRef(gate),
      }),
    ],
  };
}

/**
 * A volume for which the kubelet creates a private key and requests a certificate. The key is in no
 * Secret.
 */
function fromSigner(signerName: string): CertificateModel['volume'] {
  return {
    name: GATE_TLS,
    projected: {
      sources: [
        {
          podCertificate: {
            signerName,
            keyType: 'ECDSAP256',
            keyPath: 'tls.key',
            certificateChainPath: 'tls.crt',
          },
        },
      ],
    },
  };
}
