import { type BuiltInField, builtInType } from '../built-in-types/built-in-types.ts';

/** What a number stands for in the message of a type. */
export type WireField =
  | { readonly name: string; readonly field: BuiltInField }
  /** A message whose fields JSON shows one level higher. */
  | { readonly inlined: WireFields };

export type WireFields = ReadonlyMap<number, WireField>;

const FIELDS = new Map<string, WireFields>();

/** The fields of a built-in type by their numbers in protobuf. */
export function wireFieldsOf(typeName: string): WireFields {
  const known = FIELDS.get(typeName);
  if (known !== undefined) return known;
  const root = new Map<number, WireField>();
  for (const [name, field] of Object.entries(builtInType(typeName)?.fields ?? {})) {
    if (field.number === undefined) continue;
    const message = (field.within ?? []).reduce(inlinedAt, root);
    message.set(field.number, { name, field });
  }
  FIELDS.set(typeName, root);
  return root;
}

function inlinedAt(message: Map<number, WireField>, number: number): Map<number, WireField> {
  const there = message.get(number);
  if (there !== undefined && 'inlined' in there) return there.inlined as Map<number, WireField>;
  const inlined = new Map<number, WireField>();
  message.set(number, { inlined });
  return inlined;
}
