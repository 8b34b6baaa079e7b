import {
  type CertificateSource,
  type GateOptions,
  OWN_GATE_IMAGE,
} from '../../generate/webhook/webhooks-options.ts';
import type { FileState } from './written-files.ts';

/** What a cluster must have, so that the gate gets its certificate. */
const NEEDED: Readonly<Record<CertificateSource, string>> = {
  'cert-manager': 'cert-manager in the cluster (--certificates names other sources)',
  'service-ca': 'the service-ca of OpenShift',
  pod: 'the signer of --certificate-signer',
  chancery: 'the image of --certificates-image',
};

/**
 * What the gate needs besides the generated manifests. Empty without a gate. Also empty when the
 * user has chosen another image for the gate, because that user knows what the image needs.
 */
export function gateNeeds(
  states: readonly FileState[],
  { image, certificates }: GateOptions,
): readonly string[] {
  const hasGate = states.some(
    ({ path, state }) => /\/gate\.yaml$/.test(path) && state !== 'surplus',
  );
  if (!hasGate || image.split(/[:@]/, 1)[0] !== OWN_GATE_IMAGE) return [];
  return [
    `the gate needs the image ${image}, which Dockerfile.gate of Chancery's repository builds ` +
      `(--gate-image names another), and ${NEEDED[certificates]}`,
  ];
}
