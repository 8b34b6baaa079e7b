import type { Container, EnvVar } from '../../model/kubernetes/core-v1.ts';
import type { Installation, PlacedContainer } from './installation.ts';
import type { GivenFlag } from './proxy-flags.ts';

/** Where an argument of the ambassador stands: its command comes before its args. */
export function argumentPath({ container, path }: PlacedContainer, { at }: GivenFlag): string {
  const { command } = container;
  const before = command?.length ?? 0;
  return at < before ? `${path}.command[${at}]` : `${path}.args[${at - before}]`;
}

/** Of a variable that stands there twice, the last counts. */
export function variable(container: Container | undefined, name: string): EnvVar | undefined {
  return (container?.env ?? []).findLast((each) => each.name === name);
}

/** The port that the ambassador listens on. */
export function portOf({ flags }: Installation): string {
  return flags.given.get('port')?.value ?? '8001';
}
