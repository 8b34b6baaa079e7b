import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  secret: { type: 'text', value: 'NAME', help: 'the Secret that the gate mounts' },
  service: { type: 'text', value: 'NAME', help: 'the Service of the gate' },
  namespace: {
    type: 'namespace',
    help: 'of the Secret and the Service; default POD_NAMESPACE',
  },
  validating: {
    type: 'text',
    value: 'NAME',
    multiple: true,
    help: 'a ValidatingWebhookConfiguration that trusts the certificate',
  },
  mutating: {
    type: 'text',
    value: 'NAME',
    multiple: true,
    help: 'a MutatingWebhookConfiguration that trusts it',
  },
  definition: {
    type: 'text',
    value: 'NAME',
    multiple: true,
    help: 'a CustomResourceDefinition whose versions the gate converts',
  },
} as const;

/** The command line of `chancery certificates`. */
export const CERTIFICATES: CommandTable<typeof OPTIONS> = {
  name: 'certificates',
  summary: 'keep the certificate of a webhook gate',
  usage: ['--secret NAME --service NAME [--validating NAME] [--mutating NAME] [--definition NAME]'],
  options: OPTIONS,
  isLasting: true,
  description: `Makes an authority and a serving certificate for the gate in front of webhooks, and renews both after 60 of 90 days.
The API server trusts a new authority before a certificate of it is served, and the old one an hour longer.

It runs in a Pod of its own: chancery generate manifests --certificates chancery writes it. It needs the package
@chancery/certificates beside chancery: npm install @chancery/certificates`,
  environment: 'all',
  exitCodes: {
    0: 'asked to stop, and stopped in order',
    1: 'failed, or asked to stop twice',
    2: 'the command line or the environment is wrong',
    3: 'leadership lost, or refused to start where it is not safe',
  },
};
