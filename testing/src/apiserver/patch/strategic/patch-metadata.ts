import {
  type BuiltInField,
  builtInType,
  elementType,
} from '../../built-in-types/built-in-types.ts';
import { internalError } from '../../failures/failure.ts';

/** A Go type, written in the same way as in the declaration of a field. */
export type GoType = Pick<BuiltInField, 'type' | 'pointer'>;

/** How a strategic merge patch treats one field (Go: PatchMeta), and the type of the field's values. */
export interface PatchMetadata {
  /** The type of the map, or of the items in the list. */
  readonly below: GoType;
  readonly strategy: 'merge' | 'replace' | undefined;
  /** The field that identifies the items of a list; empty for a list of scalars. */
  readonly mergeKey: string;
}

/**
 * The patch strategy of a field that is a map, from the tags of its Go struct (Go:
 * LookupPatchMetadataForStruct).
 *
 * @throws ApiError 500 with the server's message when the type has no such field.
 */
export function metadataOfMap(parent: GoType, name: string): PatchMetadata {
  const { type } = parent;
  if (!type.startsWith('#')) {
    throw internalError(
      `merging an object in json but data type is not struct, instead is: ${kindOf({ type })}`,
    );
  }
  const declared = builtInType(type);
  // For some built-in kinds, the Go type is not known here. In their objects, maps are merged and lists are
  // replaced.
  if (declared === undefined) return { below: { type }, strategy: undefined, mergeKey: '' };
  const { fields } = declared;
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) {
    const struct = type.slice(type.lastIndexOf('.') + 1);
    throw internalError(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`,
    );
  }
  const strategies = field.patchStrategy?.split(',') ?? [];
  return {
    below: field,
    strategy: strategies.includes('merge')
      ? 'merge'
      : strategies.includes('replace')
        ? 'replace'
        : undefined,
    mergeKey: field.patchMergeKey ?? '',
  };
}

/**
 * The patch strategy of a field that is a list (Go: LookupPatchMetadataForSlice).
 *
 * @throws ApiError 500 when the type has no such field, or when the field is not a list.
 */
export function metadataOfList(parent: GoType, name: string): PatchMetadata {
  const metadata = metadataOfMap(parent, name);
  const { type, pointer } = metadata.below;
  if (builtInType(parent.type) === undefined) return metadata;
  const items = type.startsWith('[]') ? elementType(type) : undefined;
  if (items === undefined) {
    if (pointer) return { ...metadata, below: { type } };
    throw internalError(`expected slice or array type, but got: ${kindOf(parent)}`);
  }
  if (items.startsWith('[]')) throw internalError('unexpected slice of slice');
  return { ...metadata, below: { type: items } };
}

const KINDS: Readonly<Record<string, string>> = { double: 'float64', bytes: 'slice' };

/** The kind of a type, as Go's package `reflect` names it. */
function kindOf({ type, pointer }: GoType): string {
  if (pointer) return 'ptr';
  if (type.startsWith('[]')) return 'slice';
  if (type.startsWith('map:')) return 'map';
  if (/^(string|bool|int32|int64|double|bytes)$/.test(type)) return KINDS[type] ?? type;
  return 'struct';
}
