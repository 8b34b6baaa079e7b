import type { StructuralSchema } from 'chancery/internal';
import { isTextFormat } from 'chancery/internal';

/** The format of a schema, if the server checks it. Unknown ones are documentation. */
export function checkedFormat({ type, format }: StructuralSchema): string | undefined {
  if (format === undefined) return undefined;
  switch (type) {
    case undefined:
    case 'string':
      return isTextFormat(format) ? format : undefined;
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : undefined;
    case 'number':
      return format === 'float' || format === 'double' ? format : undefined;
    default:
      return undefined;
  }
}
