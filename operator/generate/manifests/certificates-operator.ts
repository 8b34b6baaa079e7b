import { AccessByScope } from '../../access/access-by-scope.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { type CertificateTargets, certificatesAccess } from '../webhook/certificates-access.ts';
import { certificatesPolicy } from '../webhook/certificates-policy.ts';
import { gateNames } from '../webhook/gate-names.ts';
import type { WebhookModel } from '../webhook/webhook-model.ts';
import { modelOf, type OperatorModel } from './operator-model.ts';
import { renderedObjects } from './rendered-objects.ts';

/**
 * The operator that maintains the certificate of another operator's gate: its objects without the
 * Namespace, and a policy. It runs in a separate Pod, with a separate ambassador and account. So
 * the operator whose gate it serves needs no right to change which certificates the API server
 * trusts. Empty when the certificates come from another source.
 */
export function certificatesOperator({
  options,
  webhooks,
}: OperatorModel): readonly KubernetesObject[] {
  if (webhooks?.options.certificates !== 'chancery') return [];
  const { certificatesImage = '' } = webhooks.options;
  const name = gateNames(options).keeper;
  const { namespace, command, images } = options;
  const targets = targetsOf(webhooks, options);
  const access = new AccessByScope([certificatesAccess(targets)], false);
  const model = modelOf(access, {
    name,
    namespace,
    modules: [],
    program: { words: wordsOf(targets, gateNames(options).gate) },
    images: { ambassador: images.ambassador, operator: certificatesImage },
    leaderElection: true,
    installCrds: false,
    stopSeconds: 25,
    command,
  });
  const objects = renderedObjects(model, { scope: 'namespaced' });
  return [
    ...objects.filter(({ kind }) => kind !== 'Namespace'),
    ...certificatesPolicy({ name, namespace }),
  ];
}

function targetsOf(
  { options: { webhooks, conversions = [] } }: WebhookModel,
  place: { readonly name: string; readonly namespace: string },
): CertificateTargets {
  const { secret, configuration } = gateNames(place);
  const named = (type: 'validating' | 'mutating'): readonly string[] =>
    webhooks.some((webhook) => webhook.type === type) ? [configuration] : [];
  return {
    secret,
    validating: named('validating'),
    mutating: named('mutating'),
    definitions: conversions,
  };
}

function wordsOf(
  { secret, validating, mutating, definitions }: CertificateTargets,
  service: string,
): readonly string[] {
  return [
    'certificates',
    `--secret=${secret}`,
    `--service=${service}`,
    ...validating.map((name) => `--validating=${name}`),
    ...mutating.map((name) => `--mutating=${name}`),
    ...definitions.map((name) => `--definition=${name}`),
  ];
}
