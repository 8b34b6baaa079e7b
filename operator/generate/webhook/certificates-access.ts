import type { AccessDeclaration } from '../../controller/access-declaration.ts';
import { type Source, source } from '../../controller/source.ts';
import type { Secret } from '../../model/kubernetes/core-v1.ts';
import {
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  secrets,
  validatingWebhookConfigurations,
} from '../../model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';

/** The objects that `chancery certificates` writes. It may write only these. */
export interface CertificateTargets {
  /** The Secret with the serving certificate, in the namespace of the process. */
  readonly secret: string;
  /** Names of ValidatingWebhookConfigurations. */
  readonly validating: readonly string[];
  /** Names of MutatingWebhookConfigurations. */
  readonly mutating: readonly string[];
  /** Names of CustomResourceDefinitions that a webhook converts. */
  readonly definitions: readonly string[];
}

/** The access of `chancery certificates`: one Secret, and the `caBundle` of named objects. */
export interface CertificatesAccess extends AccessDeclaration {
  readonly secret: Source<Secret>;
  /** The objects that trust the certificate, one source per object. */
  readonly trusting: readonly Source[];
}

/** The declaration of this access. The rights are generated from it, and the controller uses it. */
export function certificatesAccess(targets: CertificateTargets): CertificatesAccess {
  const secret = source(secrets, { fieldSelector: `metadata.name=${targets.secret}` });
  const trusting = [
    ...targets.validating.map((name) => named(validatingWebhookConfigurations, name)),
    ...targets.mutating.map((name) => named(mutatingWebhookConfigurations, name)),
    ...targets.definitions.map((name) => named(customResourceDefinitions, name)),
  ];
  return {
    name: CERTIFICATES,
    secret,
    trusting,
    sources: [secret as unknown as Source, ...trusting],
    permissions: [
      { resource: secrets, resourceNames: [targets.secret], verbs: ['create', 'patch'] },
      ...[
        [validatingWebhookConfigurations, targets.validating] as const,
        [mutatingWebhookConfigurations, targets.mutating] as const,
        [customResourceDefinitions, targets.definitions] as const,
      ].flatMap(([resource, resourceNames]) =>
        resourceNames.length === 0 ? [] : [{ resource, resourceNames, verbs: ['patch'] as const }],
      ),
    ],
  };
}

/** The name of the controller, and of its field manager. */
const CERTIFICATES = 'certificates';

function named(resource: Resource, name: string): Source {
  return source<KubernetesObject>(resource, { fieldSelector: `metadata.name=${name}` });
}
