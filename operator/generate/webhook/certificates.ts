import type { KubernetesObject } from '../../model/object.ts';
import { gateNames } from './gate-names.ts';
import type { WebhooksOptions } from './webhooks-options.ts';

type Marks = Readonly<Record<string, string>>;

/** How a certificate source takes part in the manifests of an operator. */
export interface CertificateModel {
  /** Annotations of webhook configurations and converted definitions: the source fills their `caBundle`. */
  readonly trusting: Marks;
  /** Annotations of the Service. */
  readonly served: Marks;
  /** Where the gate gets `tls.crt` and `tls.key` from. */
  readonly volume: { readonly name: string; readonly [field: string]: unknown };
  readonly objects: readonly KubernetesObject[];
}

/** The volume with certificate and key. Only the container `gate` mounts it. */
export const GATE_TLS = 'gate-tls';

/** What the certificate source of an operator adds to its manifests. */
export function certificateModel(
  options: WebhooksOptions,
  place: { readonly name: string; readonly namespace: string },
): CertificateModel {
  const { secret } = gateNames(place);
  const fromSecret = {
    name: GATE_TLS,
    secret: {
      secretName: secret,
      // Nothing else of the Secret: that of `chancery certificates` has more in it.
      items: ['tls.crt', 'tls.key'].map((key) => ({ key, path: key })),
    },
  };
  const plain = { trusting: {}, served: {}, volume: fromSecret, objects: [] };
  switch (options.certificates) {
    case 'cert-manager':
      return { ...plain, ...certManager(place) };
    case 'service-ca':
      return {
        ...plain,
        trusting: { 'service.beta.openshift.io/inject-cabundle': 'true' },
        served: { 'service.beta.openshift.io/serving-cert-secret-name': secret },
      };
    case 'pod':
      return { ...plain, volume: fromSigner(options.signer ?? '') };
    case 'chancery':
      return plain;
  }
}

/**
 * An authority of its own, which signs the serving certificate. A serving certificate that signed itself would change
 * together with the `caBundle`, and requests would fail in between.
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
        // A renewed authority with the same key vouches for the certificates of the one before it.
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

/** The kubelet makes the key, and asks the signer: no Secret has it. */
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
