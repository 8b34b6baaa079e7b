import type { AccessDeclaration } from 'chancery/internal';
import type { ControllerSpec, ResourceReference } from '../spec.ts';
import { type AccessSurroundings, controllerAccess, controllerTitle } from './controller-access.ts';
import { SUPERVISOR_ACCESS } from './supervisor-access.ts';

/** The requests of an operator that runs these controllers. */
export interface MetacontrollerAccess {
  readonly declarations: readonly AccessDeclaration[];
  /** Unknown resources, one line each: `compositecontroller/shops: websites in example.dev/v1`. */
  readonly unknown: readonly string[];
}

/**
 * The access of an operator that runs these controllers. It is the union of the controllers'
 * accesses.
 *
 * @throws InvalidSpecError in the same cases as `controllerAccess`.
 */
export function metacontrollerAccess(
  specs: readonly ControllerSpec[],
  surroundings: AccessSurroundings,
): MetacontrollerAccess {
  const found = specs.map((spec) => ({ spec, access: controllerAccess(spec, surroundings) }));
  const unknown = found.flatMap(({ spec, access }) =>
    access.unknown.map((reference) => `${controllerTitle(spec)}: ${textOf(reference)}`),
  );
  return {
    declarations: [SUPERVISOR_ACCESS, ...found.flatMap(({ access }) => access.declarations)],
    unknown: [...new Set(unknown)],
  };
}

function textOf({ apiVersion, resource }: ResourceReference): string {
  return `${resource} in ${apiVersion}`;
}
