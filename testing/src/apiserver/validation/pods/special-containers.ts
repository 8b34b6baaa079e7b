import { absent, type Check, fields, isEmpty, itemsOf } from '../fields/check.ts';
import { notFoundValue } from '../fields/problem.ts';
import { containerCommon, namesOf, probes, repeatedName, type Volumes } from './container.ts';

const NOT_ALWAYS = 'may not be set for init containers without restartPolicy=Always';
const forbiddenInInit = fields({
  lifecycle: absent(NOT_ALWAYS),
  livenessProbe: absent(NOT_ALWAYS),
  readinessProbe: absent(NOT_ALWAYS),
  startupProbe: absent(NOT_ALWAYS),
});

/**
 * Checks init containers. An init container with `restartPolicy: Always` runs beside the regular containers.
 */
export function initContainers(volumes: Volumes, regular: unknown): Check {
  const common = containerCommon(volumes);
  return (value, field) => {
    const names = namesOf(regular);
    const isTaken = names.has('');
    return itemsOf(value).flatMap((container, at) => {
      const item = `${field}[${at}]`;
      const sidecar = container.restartPolicy === 'Always';
      // Init containers without names are not reported as duplicates of each other, because each is reported
      // as unnamed.
      if (!isTaken) names.delete('');
      return [
        ...common(container, item),
        ...repeatedName(container, names, item),
        ...(sidecar ? probes(container, item) : forbiddenInInit(container, item)),
      ];
    });
  };
}

/** The rules for ephemeral containers, which are added to a running Pod for debugging. */
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
    const known = namesOf(others.flatMap(itemsOf));
    const names = new Set(known);
    return itemsOf(value).flatMap((container, at) => {
      const item = `${field}[${at}]`;
      const target = container.targetContainerName;
      return [
        ...common(container, item),
        ...repeatedName(container, names, item),
        ...(isEmpty(target) || known.has(String(target))
          ? []
          : [notFoundValue(`${item}.targetContainerName`, target)]),
        ...forbiddenInEphemeral(container, item),
      ];
    });
  };
}
