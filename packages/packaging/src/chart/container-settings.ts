import type { ModelContainer, OperatorModel } from 'chancery/internal';
import { imageParts } from './image-reference.ts';
import { securityRules } from './limits.ts';
import { type Kind, type Setting, setting } from './setting.ts';

/** The values that configure the ambassador. */
export function proxySettings(model: OperatorModel): readonly Setting[] {
  const proxy = containerNamed(model, 'proxy');
  return [
    ...imageSettings('proxy', proxy),
    setting(
      'proxy.resources',
      proxy.resources ?? {},
      { is: 'resources' },
      'Of the ambassador. It collects garbage before it reaches 96 MiB.',
    ),
    setting(
      'proxy.securityContext',
      {},
      { is: 'security', fields: securityRules('container', proxy) },
      'Additions to the security context of the ambassador. Only what makes it stricter.',
    ),
  ];
}

/** The values that configure the gate. Empty if the operator has no gate. */
export function gateSettings(model: OperatorModel): readonly Setting[] {
  if (model.webhooks === undefined) return [];
  const gate = containerNamed(model, 'gate');
  return [
    ...imageSettings('gate', gate),
    setting(
      'gate.resources',
      gate.resources ?? {},
      { is: 'resources' },
      'Of the gate. It holds up to 128 MiB of reviews.',
    ),
    setting(
      'gate.securityContext',
      {},
      { is: 'security', fields: securityRules('container', gate) },
      'Additions to the security context of the gate. Only what makes it stricter.',
    ),
  ];
}

const IMAGE_COMMENTS: Readonly<Record<string, string>> = {
  gate: 'The image of the TLS gate in front of webhooks.',
  manager: 'The image of the operator.',
  proxy:
    'The image of the ambassador. Keep the last part of its name: other images need other arguments.',
};

/** The values that configure the image of a container. */
export function imageSettings(container: string, { image }: ModelContainer): readonly Setting[] {
  const { repository, tag, digest } = imageParts(image);
  const text = (pattern: string, wanted: string): Kind => ({
    is: 'text',
    ...{ pattern, wanted, maxLength: 255 },
  });
  return [
    setting(
      `${container}.image.repository`,
      repository,
      text(
        '^([A-Za-z0-9.-]+(:[0-9]+)?/)?[a-z0-9]+([._/-]+[a-z0-9]+)*$',
        'the name of an image without a tag',
      ),
      IMAGE_COMMENTS[container] ?? '',
    ),
    setting(
      `${container}.image.tag`,
      tag,
      text('^([A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$', 'a tag'),
      'Needed unless there is a digest.',
    ),
    setting(
      `${container}.image.digest`,
      digest,
      text('^(sha256:[a-f0-9]{64})?$', 'sha256: and 64 digits'),
      'sha256:…, which wins over the tag.',
    ),
    setting(
      `${container}.image.pullPolicy`,
      '',
      { is: 'choice', of: ['', 'Always', 'IfNotPresent', 'Never'] },
      'Default: that of Kubernetes.',
    ),
  ];
}

/** A container of the Deployment, or a native sidecar. */
export function containerNamed({ deployment }: OperatorModel, name: string): ModelContainer {
  const { containers, initContainers = [] } = deployment.spec.template.spec;
  const found = [...initContainers, ...containers].find((each) => each.name === name);
  if (found === undefined) throw new Error(`the Deployment has no container ${name}`);
  return found;
}
