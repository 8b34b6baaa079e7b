import { absent, type Check, fields, isEmpty, itemsOf } from '../fields/check.ts';
import { notFoundValue } from '../fields/problem.ts';
import { containerCommon, probes, repeatedName, type Volumes } from './container.ts';

const NOT_ALWAYS = 'may not be set for init containers without restartPolicy=Always';
const forbiddenInInit = fields({
  lifecycle: absent(NOT_ALWAYS),
  livenessProbe: absent(NOT_ALWAYS),
  readinessProbe: absent(NOT_ALWAYS),
  startupProbe: absent(NOT_ALWAYS),
});

/** Init containers; one with `restartPolicy: Always` runs beside the others. */
export function initContainers(volumes: Volumes, regular: unknown): Check {
  const common = containerCommon(volumes);
  return (value, field) => {
    const names = new Set<unknown>(itemsOf(regular).map(({ name }) => name));
    return itemsOf(value).flatMap((container, at) => {
      const item = `${field}[${at}]`;
      const sidecar = container.restartPolicy === 'Always';
      return [
        ...common(container, item),
        ...repeatedName(container, names, item),
        ...(sidecar ? probes(container, item) : forbiddenInInit(container, item)),
      ];
    });
  };
}

/** What may be attached to a running Pod, for looking into it. */
const EPHEMERAL = 'cannot be set for an Ephemeral Container';
const forbiddenInEphemeral = fields({
  lifecycle: absent(EPHEMERAL),
  livenessProbe: absent(EPHEMERAL),
  ports: absent(EPHEMERAL),
  readinessProbe: absent(EPHEMERAL),
  startupProbe: absent(EPHEMERAL),
});

export function ephemeralContainers(volumes: Volumes, others: readonly unknown[]): Check {
  const common = containerCommon(volumes);
  return (value, field) => {
    const known = new Set<unknown>(others.flatMap(itemsOf).map(({ name }) => name));
    const names = new Set(known);
    return itemsOf(value).flatMap((container, at) => {
      const item = `${field}[${at}]`;
      const target = container.targetContainerName;
      return [
        ...common(container, item),
        ...repeatedName(container, names, item),
        ...(isEmpty(target) || known.has(target)
          ? []
          : [notFoundValue(`${item}.targetContainerName`, target)]),
        ...forbiddenInEphemeral(container, item),
      ];
    });
  };
}
