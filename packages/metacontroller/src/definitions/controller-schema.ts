import type { StructuralSchema } from 'chancery/internal';
import { fields, listOf, TEXT } from './schema-parts.ts';

/** The fields with which controller objects refer to a resource. */
export const RESOURCE_FIELDS: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: TEXT,
  resource: TEXT,
};

export const RESOURCE_REQUIRED: readonly string[] = ['apiVersion', 'resource'];

/** The values of `updateStrategy.method`. */
const METHODS = ['OnDelete', 'Recreate', 'InPlace', 'RollingRecreate', 'RollingInPlace'];

/**
 * Child types, or attachment types, with their strategies.
 *
 * @param strategy - fields of the strategy besides `method`.
 */
export function childTypesSchema(
  strategy: Readonly<Record<string, StructuralSchema>> = {},
): StructuralSchema {
  const method: StructuralSchema = { ...TEXT, enum: METHODS };
  return listOf(
    fields(
      { ...RESOURCE_FIELDS, updateStrategy: fields({ method, ...strategy }) },
      RESOURCE_REQUIRED,
    ),
  );
}

/**
 * The status of a controller. Metacontroller declares no fields of it. The conditions are an
 * addition of this package. They report whether the controller runs, and if not, why.
 */
export const CONTROLLER_STATUS: StructuralSchema = fields({
  conditions: {
    ...listOf(
      fields(
        {
          type: TEXT,
          status: { ...TEXT, enum: ['True', 'False', 'Unknown'] },
          observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
          lastTransitionTime: { ...TEXT, format: 'date-time' },
          reason: TEXT,
          message: TEXT,
        },
        ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
      ),
    ),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  },
});
