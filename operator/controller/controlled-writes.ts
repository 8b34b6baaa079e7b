import { resourceName } from '../model/resource.ts';
import type {
  AccessDeclaration,
  ControlledWrites,
  Declared,
  PlacedPermission,
} from './access-declaration.ts';
import { type Controller, isController, type Permission } from './controller.ts';
import { finalizerNameOf } from './finalizers/finalizer.ts';

/** Registered with `Symbol.for`, like the mark of a controller. */
const WRITES: unique symbol = Symbol.for('chancery.writes');

/** A copy of a controller that carries the description of its writes. */
export function withControlledWrites(controller: Controller, writes: ControlledWrites): Controller {
  return Object.freeze({ ...controller, [WRITES]: writes });
}

/**
 * The writes of a declaration. `others` are the rights for which only verbs, names and namespaces are known.
 */
export function controlledWritesOf(
  declared: Declared,
): ControlledWrites & { readonly others: readonly PlacedPermission[] } {
  const { permissions = [] } = declared;
  const writes = isController(declared) ? ofController(declared) : ofDeclaration(declared);
  const others = (permissions as readonly PlacedPermission[]).filter(
    (each) => each.unrequested !== true && !writes.permissions.includes(each),
  );
  return { ...writes, others: others.flatMap((each) => withoutDelete(each, writes)) };
}

function ofController(controller: Controller): ControlledWrites {
  const known = (controller as { readonly [WRITES]?: ControlledWrites })[WRITES];
  if (known !== undefined) return known;
  const { for: root, owns } = controller;
  const finalizer = finalizerNameOf(controller);
  return {
    children: owns.map(({ source, adopts }) => ({
      resource: source.resource,
      parents: [root.resource],
      ...(adopts === true && { adopts: 'whole' as const }),
    })),
    parents: [{ resource: root.resource, finalizers: finalizer === undefined ? [] : [finalizer] }],
    permissions: [],
  };
}

function ofDeclaration({ writes }: AccessDeclaration): ControlledWrites {
  return writes ?? { children: [], parents: [], permissions: [] };
}

/**
 * A right to delete an owned resource is used only for children, unless the code also creates such objects
 * itself.
 */
function withoutDelete(
  permission: Permission,
  { children }: ControlledWrites,
): readonly PlacedPermission[] {
  const name = resourceName(permission.resource);
  const isOwned = children.some(({ resource }) => resourceName(resource) === name);
  const makesOthers = permission.verbs.includes('create');
  if (!isOwned || makesOthers || permission.subresource !== undefined) return [permission];
  const verbs = permission.verbs.filter((verb) => verb !== 'delete');
  return verbs.length === 0 ? [] : [{ ...permission, verbs }];
}
